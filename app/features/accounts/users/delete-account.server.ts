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
const NEEDS_RECEIVER = "Choose an account to receive this account’s videos.";

/**
 * What happens to each column that references an account when the account is deleted. A test compares it with the
 * schema.
 *
 * - `transferred`: the column references the account that receives the videos instead.
 * - `deleted`: the row belongs only to the account and is deleted with it.
 * - `kept`: the column records who performed an action. The id stays but no longer identifies anyone. It is never used
 *   for another account, because ids are 128 random bits.
 */
export const ACCOUNT_COLUMNS: Readonly<Record<string, "transferred" | "deleted" | "kept">> = {
  "videos.uploaded_by": "transferred",
  "deleted_videos.row": "transferred",
  "deleted_videos.uploaded_by": "transferred",
  // Kept for pending replacement files, so that the files wait for someone who is allowed to change the video.
  "video_files.user_id": "transferred",

  "users.id": "deleted",
  "sessions.user_id": "deleted",
  "recovery_codes.user_id": "deleted",
  "passkeys.user_id": "deleted",
  "api_tokens.user_id": "deleted",
  "upload_templates.user_id": "deleted",
  "saved_views.user_id": "deleted",
  "devices.user_id": "deleted",
  // The stored results of publish requests, in case they are retried.
  "published_uploads.user_id": "deleted",
  "preview_links.created_by": "deleted",
  // Queued imports are canceled, and nobody needs the list of other imports.
  "downloads.user_id": "deleted",
  // Only shown to the uploader. The decisions themselves are in the moderation log.
  "user_strikes.user_id": "deleted",
  "uploader_decisions.user_id": "deleted",

  // Used invitations are kept, and unused ones are deleted.
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
  // Videos on hold because of a block stay on hold until an editor releases them.
  "video_holds.source_id": "kept",
};

export interface DeletedAccount {
  email: string;
  /** The number of transferred videos. `receiver` is the email address of the account that received them. */
  videos: number;
  receiver: string | undefined;
}

/**
 * Deletes an account. Its access ends first. Its videos are transferred to another account as in `transferVideos`, and
 * its email address is removed from the database.
 *
 * All of this happens in one transaction, unless there are many videos or activity log entries. In that case it takes
 * several transactions, each of which leaves a consistent state. If the process is killed in between, the account is
 * deactivated but still has its remaining videos, and deleting it again resumes the deletion.
 *
 * @param receiverId the account that receives the videos; undefined for an account without videos.
 * @param ownerId the user who requests the deletion; null on the command line.
 * @returns undefined if there is no such account.
 * @throws {FormError} 409 for the user's own account or the last owner, or if there are videos but no receiver.
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
      // Uploads that can't be removed now will expire within a day.
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
  requireUserPermission(ownerId);
  requireOtherOwner(user);
  return user;
}

/** Performs the last step of a deletion. Foreign keys delete the rows that belong only to the account. */
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

/** The number of videos moved in one transaction, which takes a few milliseconds. */
const VIDEOS_AT_ONCE = 50;

const LOST_PERMISSION = "You no longer have permission to manage users.";
const NO_RECEIVER =
  "This account can’t receive videos. Choose an active account that can upload videos.";

/** Counts all of an account's videos, and how many of them are in the trash. */
export function countAccountVideos(userId: string) {
  const { live, inTrash } = prepared<{ live: number; inTrash: number }>(
    `SELECT (SELECT count(*) FROM videos WHERE uploaded_by = @userId) AS live,
       (SELECT count(*) FROM deleted_videos WHERE uploaded_by = @userId) AS inTrash`,
  ).get({ userId })!;
  return { videos: live + inTrash, inTrash };
}

/** Returns whether an account has any videos, including deleted ones. */
function hasVideos(userId: string): boolean {
  const any = prepared(
    `SELECT EXISTS (SELECT 1 FROM videos WHERE uploaded_by = @userId)
       OR EXISTS (SELECT 1 FROM deleted_videos WHERE uploaded_by = @userId)`,
  );
  return any.pluck().get({ userId }) === 1;
}

/**
 * Transfers all of an account's videos to another account, including deleted ones. Their files, URLs, holds, schedules
 * and jobs don't change, so no video becomes visible. If the process is killed, the remaining videos stay with the
 * first account, and the next transfer resumes with them.
 *
 * @param ownerId the user who requests the transfer.
 * @returns undefined if there is no such account.
 * @throws {FormError} 409 if the other account can't upload videos, or if it is the same account.
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
      requireUserPermission(ownerId);
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
 * Transfers the next batch of an account's videos. Needs a transaction.
 *
 * @returns the number of videos; 0 when there are none left.
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
  // The plus signs make SQLite look up the rows by id instead of reading all of the account's rows.
  prepared(
    `UPDATE videos SET uploaded_by = @receiverId
     WHERE id IN (SELECT value FROM json_each(@ids)) AND +uploaded_by = @userId`,
  ).run(values);
  prepared(
    `UPDATE deleted_videos SET row = json_set(row, '$.uploaded_by', @receiverId)
     WHERE id IN (SELECT value FROM json_each(@ids)) AND +uploaded_by = @userId`,
  ).run(values);
  // Pending replacement files keep their sender, so that they aren't published with the receiver's permissions before
  // someone who has those permissions has reviewed them.
  prepared(
    `UPDATE video_files SET user_id = @receiverId
     WHERE video_id IN (SELECT value FROM json_each(@ids)) AND +user_id = @userId AND state <> 'pending'`,
  ).run(values);
  return ids.length;
}

/** @throws {FormError} 409 for a user who has lost the permission since the request was accepted. */
function requireUserPermission(ownerId: string | null): void {
  if (ownerId !== null && !mayNow(ownerId, "/admin/users"))
    throw new FormError(409, LOST_PERMISSION);
}

/**
 * Returns the email address of the account that receives videos.
 *
 * @throws {FormError} 409 if it can't upload videos, or if it is the same account.
 */
function requireReceiver(receiverId: string, userId: string): string {
  const receiver = receiverId === userId ? undefined : accountNow(receiverId);
  const email =
    receiver && allows(receiver, "/admin/publish") ? accountRow(receiverId)?.email : undefined;
  if (email === undefined) throw new FormError(409, NO_RECEIVER);
  return email;
}
