import type { Transaction } from "kysely";
import { recordActivity } from "~/account/activity.server";
import { endWait } from "~/trust/consent/requirement.server";
import { withhold } from "~/trust/holds.server";
import { refusalsOf } from "~/trust/publication.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { database } from "~db/client.server";
import type { Schema, VideoRow, VideoStatus } from "~db/schema";
import { failure, GONE, type StudioFailure } from "../failure";
import { changeableNow } from "../own-videos.server";
import { toggledStatus } from "./managed-video";

const FAILED = "Failed to update video visibility.";

/**
 * Switches published to hidden and anything else to published.
 *
 * @param expectedStatus the status that the button was pressed on. Two admins who press it on the same row
 *   mean the same thing, so the second press must not undo the first.
 */
export async function toggleVideo(
  { id, expectedStatus }: { id: string; expectedStatus?: VideoStatus },
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  const done = await database()
    .transaction()
    .execute((transaction) => toggleIn(transaction, id, expectedStatus, userId));
  if (!done) return failure(404, FAILED, { detail: GONE });
  if ("toast" in done) return done;
  if ("refusal" in done) return failure(422, FAILED, { detail: done.refusal });
  const { status } = done;
  const now = status === "published" ? "visible" : "hidden";
  return {
    title: "Video Updated",
    description: `Video is now ${now} on the website.`,
    kind: "success",
  };
}

type Visibility = Pick<VideoRow, "status" | "publish_at" | "unpublish_at">;

/**
 * Returns the columns that change when a person publishes or hides a video, or undefined if none do.
 * Hiding cancels the schedule, so that nothing publishes the video later. Publishing replaces the
 * scheduled publication and keeps a time to hide that is still ahead.
 *
 * @param now milliseconds since 1970.
 */
export function visibilityChange(
  status: "published" | "hidden",
  row: Visibility,
  now = Date.now(),
): Visibility | undefined {
  const { unpublish_at } = row;
  const isAhead = unpublish_at !== null && Date.parse(unpublish_at) > now;
  const keeps = status === "published" && isAhead;
  const after = { status, publish_at: null, unpublish_at: keeps ? unpublish_at : null };
  const isSame =
    row.status === status && row.publish_at === null && row.unpublish_at === after.unpublish_at;
  return isSame ? undefined : after;
}

/**
 * Makes videos that a person hides stay hidden when a hold is released or a consent record arrives.
 * Synchronous, for the transaction that hides them.
 */
export function keepHidden(videoIds: readonly string[]): void {
  for (const id of videoIds) {
    withhold(id, false);
    endWait(id);
  }
}

/** The new status and its activity, or neither; undefined when the video is gone. */
async function toggleIn(
  transaction: Transaction<Schema>,
  id: string,
  expectedStatus: VideoStatus | undefined,
  userId: string,
): Promise<{ status: VideoStatus } | { refusal: string } | StudioFailure | undefined> {
  const video = await transaction
    .selectFrom("videos")
    .select(["title", "status", "publish_at", "unpublish_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!video) return undefined;
  const changeable = changeableNow(userId, "/admin toggle", [id], FAILED);
  if ("status" in changeable) return changeable;
  const status = toggledStatus(expectedStatus ?? video.status);
  if (status === "hidden") keepHidden([id]);
  const columns = visibilityChange(status, video);
  if (!columns) return { status };
  const refusal = status !== video.status && status === "published" && refusalsOf([id]).get(id);
  if (refusal) return { refusal };
  await transaction.updateTable("videos").set(columns).where("id", "=", id).execute();
  const action = status === "published" ? "show" : "hide";
  await recordActivity({ userId, action, subjectId: id, detail: video.title }, transaction);
  return { status };
}
