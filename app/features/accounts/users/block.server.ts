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

/** Held or released in one transaction: a few milliseconds. */
const VIDEOS_AT_ONCE = 25;

/**
 * Blocks an account: its user can't sign in, its sessions end, and its tokens are revoked. It is a deactivation and no
 * state of its own, which every check of an account would have to know.
 *
 * @param hidesVideos whether to hold all of their videos, including deleted ones, until the account is reactivated.
 * @returns undefined when there is no such account.
 * @throws {FormError} 409 for an owner: owners have no uploads to answer for.
 */
export async function blockUser(
  userId: string,
  ownerId: string,
  hidesVideos: boolean,
): Promise<{ email: string; hidden: number } | undefined> {
  const user = await transaction(() => blockIn(userId, ownerId));
  if (!user) return undefined;
  const hidden = hidesVideos
    ? await eachVideo(videosOf(userId), (id) => hideOne(id, userId, ownerId))
    : 0;
  return { ...user, hidden };
}

/** Blocks the account only, in the caller's transaction. */
export function blockIn(userId: string, ownerId: string | null): { email: string } | undefined {
  const user = accountRow(userId);
  if (!user) return undefined;
  if (user.role === "owner")
    throw new FormError(409, "An owner can't be blocked. Give them another role first.");
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
 * Reactivates an account and releases the videos that its block holds, also those whose uploader another program has
 * changed since.
 */
export async function unblockUser(
  userId: string,
  ownerId: string,
): Promise<{ email: string; restored: number } | undefined> {
  const user = await setDeactivated(userId, false, ownerId);
  if (!user) return undefined;
  const restored = await eachVideo(heldFor("user-blocked", userId), (id) => {
    const isReleased = releaseHold({ videoId: id, reason: "user-blocked", sourceId: userId });
    if (isReleased) appendToLog({ action: "unhide-blocked", videoId: id, userId: ownerId });
    return isReleased && isPublic(id);
  });
  return { ...user, restored };
}

/**
 * Returns the blocked accounts that hold a video although it now belongs to another account: it was transferred, and
 * nobody will reactivate a deleted account.
 */
export function formerBlocksOf(videoId: string): string[] {
  const uploader = prepared("SELECT uploaded_by FROM videos WHERE id = ?").pluck().get(videoId);
  return sourcesOf(videoId, "user-blocked").filter((source) => source !== uploader);
}

/**
 * Releases the holds of `formerBlocksOf`. Other holds stay.
 *
 * @returns false if there are none.
 */
export function releaseFormerBlocks(
  { id, title }: { id: string; title: string },
  userId: string,
): Promise<boolean> {
  return transaction(() => {
    const sources = formerBlocksOf(id);
    if (sources.length === 0) return false;
    for (const sourceId of sources) {
      releaseHold({ videoId: id, reason: "user-blocked", sourceId });
      appendToLog({ action: "unhide-blocked", videoId: id, userId, detail: { user: sourceId } });
    }
    recordActivity({ userId, action: "block-release", subjectId: id, detail: title });
    return true;
  });
}

/** @returns whether it was public until now. */
function hideOne(videoId: string, userId: string, ownerId: string): boolean {
  const wasPublic = isPublic(videoId);
  const isNew = hold({ videoId, reason: "user-blocked", sourceId: userId });
  if (isNew) appendToLog({ action: "hide-blocked", videoId, userId: ownerId });
  return wasPublic;
}

/** All that a user has uploaded, deleted videos included. */
function videosOf(userId: string): string[] {
  return prepared<string>(
    `SELECT id FROM videos WHERE uploaded_by = @userId
     UNION SELECT id FROM deleted_videos WHERE uploaded_by = @userId`,
  )
    .pluck()
    .all({ userId });
}

/** Returns how many of some videos `change` says are public, or were. Others can write in between. */
function eachVideo(ids: readonly string[], change: (id: string) => boolean): Promise<number> {
  const rest = [...ids];
  return changeInBatches(
    () => rest.splice(0, VIDEOS_AT_ONCE),
    (some) => some.filter(change).length,
  );
}
