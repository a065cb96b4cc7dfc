import { accountNow, mayNow } from "~/features/permissions/may-change.server";
import { allows } from "~/features/permissions/permissions";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { removeUploadsOf } from "~/media/intake/tus.server";
import {
  createActivityRecorder,
  recordActivity,
  redactEmail,
} from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { FormError } from "~/platform/form-error.server";
import { formatQuantity } from "~/shared/format";
import { database, prepared, transaction } from "~db/client.server";
import { requireTransaction, runChange } from "~db/run-query.server";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { endAccess } from "../end-access.server";
import { accountRow, requireOtherOwner } from "../user-list.server";

const OWN_ACCOUNT = "You can’t delete your own account, but another owner can.";
const NEEDS_RECEIVER = "Choose the account that receives the videos of this account.";

/**
 * What becomes of each column that names an account when the account is deleted. A test compares it with the schema.
 *
 * - `transferred`: it names the receiver of the videos instead.
 * - `deleted`: the row belongs to the account alone and is deleted with it.
 * - `kept`: it records what somebody did. The id stays, which by then names nobody; it is never given to another
 *   account, since ids are 128 random bits.
 */
export const ACCOUNT_COLUMNS: Readonly<Record<string, "transferred" | "deleted" | "kept">> = {
  "videos.uploaded_by": "transferred",
  "deleted_videos.row": "transferred",
  "deleted_videos.uploaded_by": "transferred",
  // Of a file that is still to replace another: kept, so that it waits for somebody who may change the video.
  "video_files.user_id": "transferred",

  "users.id": "deleted",
  "sessions.user_id": "deleted",
  "recovery_codes.user_id": "deleted",
  "passkeys.user_id": "deleted",
  "api_tokens.user_id": "deleted",
  "upload_templates.user_id": "deleted",
  "saved_views.user_id": "deleted",
  "devices.user_id": "deleted",
  // Outcomes that a repeated request to publish gets.
  "published_uploads.user_id": "deleted",
  "preview_links.created_by": "deleted",
  // Imports that wait end, and the list of the others has nobody to read it.
  "downloads.user_id": "deleted",
  // What the uploader alone reads. The decisions themselves are in the moderation log.
  "user_strikes.user_id": "deleted",
  "uploader_decisions.user_id": "deleted",

  // Of an invitation that was used. Those that weren't are deleted.
  "invitations.invited_by": "kept",
  "activities.user_id": "kept",
  "moderation_log.user_id": "kept",
  "user_strikes.given_by": "kept",
  "upload_terms.created_by": "kept",
  "accepted_terms.user_id": "kept",
  "performers.checked_by": "kept",
  "performer_documents.added_by": "kept",
  "video_consents.updated_by": "kept",
  "review_notes.user_id": "kept",
  "deleted_videos.deleted_by": "kept",
  "tag_changes.user_id": "kept",
  "backups.user_id": "kept",
  // Of a block: the videos that it holds stay on hold until an editor releases them.
  "video_holds.source_id": "kept",
};

export interface DeletedAccount {
  email: string;
  /** How many videos were transferred, and to whose account. */
  videos: number;
  receiver: string | undefined;
}

/**
 * Deletes an account. Its access ends first. Its videos go to another account, as `transferVideos` has it, and its email
 * address is removed from the database.
 *
 * All of it is one transaction, unless there are many videos or activities: then it takes several, each of which leaves
 * a consistent state. If the process is killed in between, the account is deactivated and still has the rest of its
 * videos, and deleting it again continues.
 *
 * @param receiverId whose account receives the videos; undefined for an account without any.
 * @param ownerId who requests it; null at the command line.
 * @returns undefined if there is no such account.
 * @throws {FormError} 409 for one's own account, for the last owner, and if there are videos that nobody receives.
 */
export async function deleteAccount(
  userId: string,
  receiverId: string | undefined,
  ownerId: string | null,
): Promise<DeletedAccount | undefined> {
  const yieldIfDue = createWriteYielder();
  let videos = 0;
  let forgottenTo = 0;
  for (;;) {
    const step = await transaction(() => {
      const user = findDeletable(userId, ownerId);
      if (!user) return undefined;
      const isTransfer = videos > 0 || hasVideos(userId);
      if (isTransfer && !receiverId) throw new FormError(409, NEEDS_RECEIVER);
      const receiver = isTransfer && receiverId ? requireReceiver(receiverId, userId) : undefined;
      endAccess(userId, { event: "deletion" });
      const moved = isTransfer && receiverId ? transferSome(userId, receiverId) : 0;
      const forgotten = redactEmail(user.email, forgottenTo);
      const isDone = forgotten.isDone && !hasVideos(userId);
      const deleted = { email: user.email, videos: videos + moved, receiver };
      if (isDone) deleteRows(user, ownerId, deleted, receiverId);
      return { deleted, isDone, forgottenTo: forgotten.to };
    });
    if (!step) return undefined;
    if (step.isDone) {
      // Those that are left over expire within a day.
      await removeUploadsOf(userId).catch(console.error);
      jobsChanged("progress");
      return step.deleted;
    }
    ({ videos } = step.deleted);
    ({ forgottenTo } = step);
    await yieldIfDue();
  }
}

function findDeletable(userId: string, ownerId: string | null) {
  const user = accountRow(userId);
  if (!user) return undefined;
  if (userId === ownerId) throw new FormError(409, OWN_ACCOUNT);
  requireRight(ownerId);
  requireOtherOwner(user);
  return user;
}

/** The last step. What belongs to the account alone is deleted by its foreign keys. */
function deleteRows(
  { id, email }: { id: string; email: string },
  ownerId: string | null,
  { videos, receiver }: DeletedAccount,
  receiverId: string | undefined,
): void {
  runChange(database().deleteFrom("invitations").where("email", "=", email));
  runChange(database().deleteFrom("users").where("id", "=", id));
  const detail = videos > 0 ? `${formatQuantity(videos, "video")} to ${receiver}` : "";
  recordActivity({ userId: ownerId, action: "account-delete", detail });
  appendToLog({
    action: "delete-account",
    userId: ownerId,
    detail: { user: id, videos, receiver: videos > 0 ? (receiverId ?? null) : null },
  });
}

/** Moved in one transaction: a few milliseconds. */
const VIDEOS_AT_ONCE = 50;

const LOST_RIGHT = "Your account may no longer change users.";
const NO_RECEIVER =
  "Choose an active account that can upload videos. The one you chose can’t receive any.";

/** All videos of an account, and how many of them are in the trash. */
export function videosOfAccount(userId: string) {
  const { live, inTrash } = prepared<{ live: number; inTrash: number }>(
    `SELECT (SELECT count(*) FROM videos WHERE uploaded_by = @userId) AS live,
       (SELECT count(*) FROM deleted_videos WHERE uploaded_by = @userId) AS inTrash`,
  ).get({ userId })!;
  return { videos: live + inTrash, inTrash };
}

/** Whether an account has any videos, deleted ones included. */
function hasVideos(userId: string): boolean {
  const any = prepared(
    `SELECT EXISTS (SELECT 1 FROM videos WHERE uploaded_by = @userId)
       OR EXISTS (SELECT 1 FROM deleted_videos WHERE uploaded_by = @userId)`,
  );
  return any.pluck().get({ userId }) === 1;
}

/**
 * Transfers all videos of an account to another, deleted ones included. Their files, addresses, holds, schedules and
 * jobs stay as they are, so no video becomes visible. If the process is killed, the rest stays with the first account,
 * and the next transfer continues.
 *
 * @param ownerId who requests it.
 * @returns undefined if there is no such account.
 * @throws {FormError} 409 if the other account can't upload videos, or is the same.
 */
export async function transferVideos(
  userId: string,
  receiverId: string,
  ownerId: string,
): Promise<{ email: string; receiver: string; videos: number } | undefined> {
  const yieldIfDue = createWriteYielder();
  let videos = 0;
  const record = createActivityRecorder();
  for (;;) {
    const step = await transaction(() => {
      const email = accountRow(userId)?.email;
      if (email === undefined) return undefined;
      requireRight(ownerId);
      const receiver = requireReceiver(receiverId, userId);
      const moved = transferSome(userId, receiverId);
      if (moved > 0) {
        const detail = `${formatQuantity(videos + moved, "video")} of ${email} to ${receiver}`;
        record({ userId: ownerId, action: "videos-transfer", detail });
      }
      return { email, receiver, moved };
    });
    if (!step) return undefined;
    videos += step.moved;
    if (step.moved === 0) return { email: step.email, receiver: step.receiver, videos };
    await yieldIfDue();
  }
}

/**
 * Part of a transaction: transfers the next videos of an account.
 *
 * @returns how many; 0 once none is left.
 */
function transferSome(userId: string, receiverId: string): number {
  requireTransaction();
  const next = prepared<string>(
    `SELECT id FROM videos WHERE uploaded_by = @userId
     UNION ALL SELECT id FROM deleted_videos WHERE uploaded_by = @userId
     LIMIT ${VIDEOS_AT_ONCE}`,
  ).pluck();
  const ids = next.all({ userId });
  const values = { ids: JSON.stringify(ids), userId, receiverId };
  // The plus signs let SQLite find the rows by their ids, not among all of the account.
  prepared(
    `UPDATE videos SET uploaded_by = @receiverId
     WHERE id IN (SELECT value FROM json_each(@ids)) AND +uploaded_by = @userId`,
  ).run(values);
  prepared(
    `UPDATE deleted_videos SET row = json_set(row, '$.uploaded_by', @receiverId)
     WHERE id IN (SELECT value FROM json_each(@ids)) AND +uploaded_by = @userId`,
  ).run(values);
  // What will replace a file keeps its sender: it isn't shown with the receiver's rights before somebody with them
  // has looked at it.
  prepared(
    `UPDATE video_files SET user_id = @receiverId
     WHERE video_id IN (SELECT value FROM json_each(@ids)) AND +user_id = @userId AND state <> 'pending'`,
  ).run(values);
  return ids.length;
}

/** @throws {FormError} 409 for somebody who has lost the right since the request was let in. */
function requireRight(ownerId: string | null): void {
  if (ownerId !== null && !mayNow(ownerId, "/admin/users")) throw new FormError(409, LOST_RIGHT);
}

/**
 * Returns the email address of the account that receives videos.
 *
 * @throws {FormError} 409 if it can't upload videos, or is the account that they are from.
 */
function requireReceiver(receiverId: string, userId: string): string {
  const receiver = receiverId === userId ? undefined : accountNow(receiverId);
  const email =
    receiver && allows(receiver, "/admin/publish") ? accountRow(receiverId)?.email : undefined;
  if (email === undefined) throw new FormError(409, NO_RECEIVER);
  return email;
}
