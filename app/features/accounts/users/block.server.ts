import { heldFor, hold, releaseHold, sourcesOf } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { FormError } from "~/platform/form-error.server";
import { database, prepared, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import { changeInBatches } from "~db/threads/checkpoint.server";
import { endAccess } from "../end-access.server";
import { accountRow, setDeactivated } from "../user-list.server";

/** The number of videos changed in one transaction, which takes a few milliseconds. */
const VIDEOS_AT_ONCE = 25;

/**
 * Blocks an account: its user can't sign in, its sessions end, and its tokens are revoked. A block is a deactivation
 * rather than a separate state, which every account check would have to know about.
 *
 * @param hidesVideos whether to put all of the account's videos on hold, including deleted ones, until the account is
 *   reactivated.
 * @returns undefined if there is no such account.
 * @throws {FormError} 409 for an owner.
 */
export async function blockUser(
  userId: string,
  ownerId: string,
  hidesVideos: boolean,
): Promise<{ email: string; hidden: number } | undefined> {
  const user = await transaction(() => blockInTransaction(userId, ownerId));
  if (!user) return undefined;
  const hidden = hidesVideos
    ? await changeVideos(videosOf(userId), (id) => hideVideo(id, userId, ownerId))
    : 0;
  return { ...user, hidden };
}

/** Blocks only the account, within the caller's transaction. */
export function blockInTransaction(
  userId: string,
  ownerId: string | null,
): { email: string } | undefined {
  const user = accountRow(userId);
  if (!user) return undefined;
  if (user.role === "owner")
    throw new FormError(409, "Owners can’t be blocked. Change their role first.");
  const isDeactivated = user.deactivated_at !== null;
  if (!isDeactivated) {
    const deactivated_at = new Date().toISOString();
    runChange(database().updateTable("users").set({ deactivated_at }).where("id", "=", userId));
  }
  const ended = endAccess(userId, { event: "deactivation" });
  if (isDeactivated && ended.tokens === 0) return { email: user.email };
  recordActivity({ userId: ownerId, action: "block", detail: user.email });
  appendToLog({ action: "block-user", userId: ownerId, detail: { user: userId } });
  return { email: user.email };
}

/**
 * Reactivates an account and releases the videos that are on hold because it was blocked, including videos whose
 * uploader has since been changed by another tool.
 */
export async function unblockUser(
  userId: string,
  ownerId: string,
): Promise<{ email: string; restored: number } | undefined> {
  const user = await setDeactivated(userId, false, ownerId);
  if (!user) return undefined;
  const restored = await changeVideos(heldFor("user-blocked", userId), (id) => {
    const isReleased = releaseHold({ videoId: id, reason: "user-blocked", sourceId: userId });
    if (isReleased) appendToLog({ action: "unhide-blocked", videoId: id, userId: ownerId });
    return isReleased && isPublic(id);
  });
  return { ...user, restored };
}

/**
 * Returns the blocked accounts that keep a video on hold although the video now belongs to another account. If such an
 * account was deleted, it can never be reactivated to release the video.
 */
export function findFormerBlocks(videoId: string): string[] {
  const uploader = prepared("SELECT uploaded_by FROM videos WHERE id = ?").pluck().get(videoId);
  return sourcesOf(videoId, "user-blocked").filter((source) => source !== uploader);
}

/**
 * Releases the holds that `findFormerBlocks` returns. Other holds stay.
 *
 * @returns false if there are none.
 */
export function releaseFormerBlocks(
  { id, title }: { id: string; title: string },
  userId: string,
): Promise<boolean> {
  return transaction(() => {
    const sources = findFormerBlocks(id);
    if (sources.length === 0) return false;
    for (const sourceId of sources) {
      releaseHold({ videoId: id, reason: "user-blocked", sourceId });
      appendToLog({ action: "unhide-blocked", videoId: id, userId, detail: { user: sourceId } });
    }
    recordActivity({ userId, action: "block-release", subjectId: id, detail: title });
    return true;
  });
}

/** Puts a video on hold. Returns whether the video was public before. */
function hideVideo(videoId: string, userId: string, ownerId: string): boolean {
  const wasPublic = isPublic(videoId);
  const isNew = hold({ videoId, reason: "user-blocked", sourceId: userId });
  if (isNew) appendToLog({ action: "hide-blocked", videoId, userId: ownerId });
  return wasPublic;
}

/** Returns the ids of a user's videos, including deleted ones. */
function videosOf(userId: string): string[] {
  return prepared<string>(
    `SELECT id FROM videos WHERE uploaded_by = @userId
     UNION SELECT id FROM deleted_videos WHERE uploaded_by = @userId`,
  )
    .pluck()
    .all({ userId });
}

/**
 * Changes videos in batches, so that other writes can happen in between. Returns the number of videos for which
 * `change` returned true.
 */
function changeVideos(ids: readonly string[], change: (id: string) => boolean): Promise<number> {
  const rest = [...ids];
  return changeInBatches(
    () => rest.splice(0, VIDEOS_AT_ONCE),
    (some) => some.filter(change).length,
  );
}
