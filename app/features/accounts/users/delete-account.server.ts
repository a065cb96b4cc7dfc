import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { removeUploadsOf } from "~/media/intake/tus.server";
import { forgetEmail, recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { formatQuantity } from "~/shared/format";
import { database, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { endAccess } from "../end-access.server";
import { requireOtherOwner } from "../user-list.server";
import { AccountError } from "../users.server";
import { hasVideos, requireReceiver, requireRight, transferSome } from "./transfer-videos.server";

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
  "preview_links.made_by": "deleted",
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
 * @throws {AccountError} for one's own account, for the last owner, and if there are videos that nobody receives.
 */
export async function deleteAccount(
  userId: string,
  receiverId: string | undefined,
  ownerId: string | null,
): Promise<DeletedAccount | undefined> {
  const turn = writingTurns();
  let videos = 0;
  let forgottenTo = 0;
  for (;;) {
    const step = await transaction(() => {
      const user = findDeletable(userId, ownerId);
      if (!user) return undefined;
      const isTransfer = videos > 0 || hasVideos(userId);
      if (isTransfer && !receiverId) throw new AccountError(NEEDS_RECEIVER);
      const receiver = isTransfer && receiverId ? requireReceiver(receiverId, userId) : undefined;
      endAccess(userId, { event: "deletion" });
      const moved = isTransfer && receiverId ? transferSome(userId, receiverId) : 0;
      const forgotten = forgetEmail(user.email, forgottenTo);
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
    await turn();
  }
}

function findDeletable(userId: string, ownerId: string | null) {
  const user = firstRow(
    database()
      .selectFrom("users")
      .select(["id", "email", "role", "deactivated_at"])
      .where("id", "=", userId),
  );
  if (!user) return undefined;
  if (userId === ownerId) throw new AccountError(OWN_ACCOUNT);
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
