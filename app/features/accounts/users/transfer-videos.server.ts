import { accountNow, mayNow } from "~/features/permissions/account-now.server";
import { allows } from "~/features/permissions/permissions";
import { changeActivity, recordActivity } from "~/platform/activity/activity.server";
import { formatQuantity } from "~/shared/format";
import { database, prepared, transaction } from "~db/client.server";
import { firstRow, requireTransaction } from "~db/run-query.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { AccountError } from "../users.server";

/** Moved in one transaction: a few milliseconds. */
const VIDEOS_AT_ONCE = 50;

const LOST_RIGHT = "Your account may no longer change users.";
const NO_RECEIVER =
  "Choose an active account that can upload videos. The one you chose can’t receive any.";

export interface VideoCount {
  videos: number;
  /** Of them in the trash. */
  inTrash: number;
}

export function videosOfAccount(userId: string): VideoCount {
  const { live, inTrash } = prepared(
    `SELECT (SELECT count(*) FROM videos WHERE uploaded_by = @userId) AS live,
       (SELECT count(*) FROM deleted_videos WHERE uploaded_by = @userId) AS inTrash`,
  ).get({ userId }) as { live: number; inTrash: number };
  return { videos: live + inTrash, inTrash };
}

/** Whether an account has any videos, deleted ones included. */
export function hasVideos(userId: string): boolean {
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
 * @throws {AccountError} if the other account can't upload videos, or is the same.
 */
export async function transferVideos(
  userId: string,
  receiverId: string,
  ownerId: string,
): Promise<{ email: string; receiver: string; videos: number } | undefined> {
  const turn = writingTurns();
  let videos = 0;
  let activity: number | undefined;
  for (;;) {
    const step = await transaction(() => {
      const email = emailOf(userId);
      if (email === undefined) return undefined;
      requireRight(ownerId);
      const receiver = requireReceiver(receiverId, userId);
      const moved = transferSome(userId, receiverId);
      if (moved === 0) return { email, receiver, moved, entry: activity };
      const detail = `${formatQuantity(videos + moved, "video")} of ${email} to ${receiver}`;
      if (activity !== undefined) changeActivity(activity, detail);
      const entry =
        activity ?? recordActivity({ userId: ownerId, action: "videos-transfer", detail });
      return { email, receiver, moved, entry };
    });
    if (!step) return undefined;
    videos += step.moved;
    activity = step.entry;
    if (step.moved === 0) return { email: step.email, receiver: step.receiver, videos };
    await turn();
  }
}

/**
 * Part of a transaction: transfers the next videos of an account.
 *
 * @returns how many; 0 once none is left.
 */
export function transferSome(userId: string, receiverId: string): number {
  requireTransaction();
  const next = prepared(
    `SELECT id FROM videos WHERE uploaded_by = @userId
     UNION ALL SELECT id FROM deleted_videos WHERE uploaded_by = @userId
     LIMIT ${VIDEOS_AT_ONCE}`,
  ).pluck();
  const ids = next.all({ userId }) as string[];
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

/** @throws {AccountError} for somebody who has lost the right since the request was let in. */
export function requireRight(ownerId: string | null): void {
  if (ownerId !== null && !mayNow(ownerId, "/admin/users")) throw new AccountError(LOST_RIGHT);
}

/**
 * Returns the email address of the account that receives videos.
 *
 * @throws {AccountError} if it can't upload videos, or is the account that they are from.
 */
export function requireReceiver(receiverId: string, userId: string): string {
  const receiver = receiverId === userId ? undefined : accountNow(receiverId);
  const email = receiver && allows(receiver, "/admin/publish") ? emailOf(receiverId) : undefined;
  if (email === undefined) throw new AccountError(NO_RECEIVER);
  return email;
}

function emailOf(userId: string): string | undefined {
  return firstRow(database().selectFrom("users").select("email").where("id", "=", userId))?.email;
}
