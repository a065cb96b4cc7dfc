import type { VideoRow } from "~db/schema";
import { allows, type Permission, type Permitted, reachOf } from "./permissions";

/** The videos that an uploader's permissions reach: what they have uploaded. */
export interface OwnVideos {
  userId: string;
  /** Until they may publish, only drafts can be changed: what was reviewed stays as it was. */
  draftsOnly: boolean;
}

/** Which videos a permission reaches; undefined for all. */
export function ownVideosOf(
  user: Permitted & { id: string },
  permission: Permission,
): OwnVideos | undefined {
  if (reachOf(user, permission) === "all") return undefined;
  return { userId: user.id, draftsOnly: !allows(user, "/admin publish") };
}

/** Whether a video is still a draft: nobody has published, hidden or scheduled it. */
export function isDraft({ status, publish_at }: Pick<VideoRow, "status" | "publish_at">): boolean {
  return status === "review" && publish_at === null;
}

/** The condition on `deleted_videos` for these; its values are those of `ownDeletedValues`. */
export const OWN_DELETED = `uploaded_by = @uploader AND (@draftsOnly = 0 OR (
  json_extract("row", '$.status') = 'review' AND json_extract("row", '$.publish_at') IS NULL))`;

/** The same for files that were replaced, of `videos`: its values are the same too. */
export const OWN_FILE = `videos.uploaded_by = @uploader AND (@draftsOnly = 0 OR (
  videos.status = 'review' AND videos.publish_at IS NULL))`;

export function ownDeletedValues({ userId, draftsOnly }: OwnVideos) {
  return { uploader: userId, draftsOnly: Number(draftsOnly) };
}
