import { changeableNow } from "~/features/permissions/own-videos.server";
import { isRefusal } from "~/features/permissions/refusal";
import { HOLD_SENTENCES, holdsOf } from "~/features/visibility/holds.server";
import type { HoldReason } from "~db/schema/moderation";
import type { VideoFileRow } from "~db/video-files";

const NOT_WHILE_HELD = "Its file can't be changed while the video is on hold.";

/** What keeps a video from switching to another file: its hold, or the account that wants it or sent it. */
export type Obstacle = "on hold" | "not allowed";

/**
 * Returns why a video can't switch to another file: what a moderator looks at, compares or blocks has to be
 * the file that the hold is about. Undefined if nothing holds it.
 */
export function fileHold(videoId: string): string | undefined {
  return sentenceOf(holdsOf([videoId]).get(videoId) ?? []);
}

/**
 * Returns why no file that replaces another can be sent. While the video is compared with the block list one
 * can: it waits until that is done.
 */
export function newFileHold(videoId: string): string | undefined {
  const reasons = holdsOf([videoId]).get(videoId) ?? [];
  return sentenceOf(reasons.filter((reason) => reason !== "comparing"));
}

/**
 * Returns what keeps a video from switching to a file. A file that was sent by somebody whose account was
 * restricted or whose video was published since waits for an editor.
 *
 * @param userId who wants the switch; null for the one who sent the file.
 */
export function obstacleTo(
  file: Pick<VideoFileRow, "video_id" | "user_id">,
  userId: string | null,
): Obstacle | undefined {
  if (fileHold(file.video_id)) return "on hold";
  const changeable = changeableNow(userId ?? file.user_id, "/admin replace", [file.video_id]);
  return isRefusal(changeable) ? "not allowed" : undefined;
}

function sentenceOf(reasons: readonly HoldReason[]): string | undefined {
  const [reason] = reasons;
  return reason && `${HOLD_SENTENCES[reason]} ${NOT_WHILE_HELD}`;
}
