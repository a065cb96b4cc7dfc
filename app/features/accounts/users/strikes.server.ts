import { randomUUID } from "node:crypto";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog, textDigest } from "~/platform/activity/moderation-log.server";
import { FormError } from "~/platform/form-error.server";
import { settings } from "~/platform/settings.server";
import { database, prepared, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { accountRow } from "../user-list.server";
import { blockInTransaction } from "./block.server";
import {
  type GivenStrike,
  MAX_STRIKE_REASON_LENGTH,
  STRIKE_DAYS,
  type Strike,
  type Strikeable,
} from "./strike-rules";

const VALID_MS = STRIKE_DAYS * 24 * 60 * 60 * 1000;
const iso = (time: number) => new Date(time).toISOString();

/** Returns each user's strikes by user id, newest first, including strikes that no longer count. */
export function listStrikes(userIds: readonly string[], now = Date.now()): Map<string, Strike[]> {
  const rows = prepared<Omit<Strike, "counts"> & { userId: string }>(
    `SELECT id, user_id AS userId, reason, given_at AS givenAt, ends_at AS endsAt,
       withdrawn_at AS withdrawnAt
     FROM user_strikes WHERE user_id IN (SELECT value FROM json_each(?))
     ORDER BY given_at DESC, id`,
  ).all(JSON.stringify(userIds));
  const found = new Map<string, Strike[]>();
  for (const { userId, ...strike } of rows) {
    const counts = strike.withdrawnAt === null && strike.endsAt > iso(now);
    found.set(userId, [...(found.get(userId) ?? []), { ...strike, counts }]);
  }
  return found;
}

/**
 * Gives an uploader a strike, which counts for 90 days. Reaching STRIKES_BLOCK blocks the account in the same
 * transaction.
 *
 * @param options.shown the number of strikes that the page listed. It ensures that submitting the form twice gives only
 * one strike.
 * @returns undefined if there is no such account.
 * @throws {FormError} 409 if the reason is missing or the user isn't an uploader.
 */
export async function giveStrike(
  userId: string,
  typedReason: string,
  giverId: string,
  { shown, now = Date.now() }: { shown?: number; now?: number } = {},
): Promise<GivenStrike | undefined> {
  const reason = typedReason.trim();
  if (!reason) throw new FormError(409, "Enter a reason for the strike.");
  if (reason.length > MAX_STRIKE_REASON_LENGTH) {
    throw new FormError(409, `Use at most ${MAX_STRIKE_REASON_LENGTH} characters for the reason.`);
  }
  return transaction(() => {
    const strikes = listStrikes([userId]).get(userId) ?? [];
    if (shown !== undefined && shown !== strikes.length) {
      throw new FormError(
        409,
        "This account has received another strike since you opened the page. Check the list first.",
      );
    }
    return giveStrikeInTransaction(userId, reason, giverId, now);
  });
}

/** Gives a strike within the caller's transaction. The reason has at most MAX_STRIKE_REASON_LENGTH characters. */
export function giveStrikeInTransaction(
  userId: string,
  reason: string,
  giverId: string,
  now: number,
): GivenStrike | undefined {
  const user = accountRow(userId);
  if (!user) return undefined;
  if (user.role !== "uploader") throw new FormError(409, "Only uploaders can get strikes.");
  const row = { id: randomUUID(), user_id: userId, reason, given_by: giverId };
  runChange(
    database()
      .insertInto("user_strikes")
      .values({ ...row, given_at: iso(now), ends_at: iso(now + VALID_MS), withdrawn_at: null }),
  );
  const entry = { userId: giverId, action: "strike", detail: user.email } as const;
  recordActivity(entry);
  const detail = { user: userId, reason: textDigest(reason) };
  appendToLog({ action: "strike", userId: giverId, detail }, now);
  const strikes = countStrikes(userId, now);
  const { strikesBlock } = settings();
  const isBlocked = strikesBlock > 0 && strikes >= strikesBlock && user.deactivated_at === null;
  if (isBlocked) blockInTransaction(userId, null);
  return { email: user.email, strikes, isBlocked };
}

/**
 * Returns the users who can be given a strike for any of the given videos, including videos in the trash. Only
 * uploaders can get strikes.
 */
export function findStrikeable(videoIds: readonly string[], now = Date.now()): Strikeable[] {
  const rows = prepared<{ id: string; email: string; isIn: 0 | 1 }>(
    `SELECT id, email, deactivated_at IS NULL AS isIn FROM users WHERE role = 'uploader' AND id IN (
       SELECT uploaded_by FROM videos WHERE id IN (SELECT value FROM json_each(@ids))
       UNION SELECT uploaded_by FROM deleted_videos WHERE id IN (SELECT value FROM json_each(@ids)))
     ORDER BY email`,
  ).all({ ids: JSON.stringify(videoIds) });
  const { strikesBlock } = settings();
  return rows.map(({ id, email, isIn }) => {
    const strikes = countStrikes(id, now);
    return {
      id,
      email,
      strikes,
      isLast: isIn === 1 && strikesBlock > 0 && strikes + 1 >= strikesBlock,
    };
  });
}

/**
 * Withdraws a strike. The strike stays in the list. Returns undefined if it has already been withdrawn or doesn't
 * exist.
 */
export async function withdrawStrike(
  strikeId: string,
  ownerId: string,
  now = Date.now(),
): Promise<{ email: string } | undefined> {
  return transaction(() => {
    const user = firstRow(
      database()
        .selectFrom("user_strikes")
        .innerJoin("users", "users.id", "user_id")
        .select(["email", "user_id as id"])
        .where("user_strikes.id", "=", strikeId)
        .where("withdrawn_at", "is", null),
    );
    if (!user) return undefined;
    prepared("UPDATE user_strikes SET withdrawn_at = ? WHERE id = ?").run(iso(now), strikeId);
    const entry = { userId: ownerId, action: "strike-withdraw", detail: user.email } as const;
    recordActivity(entry);
    appendToLog({ action: "strike-withdrawn", userId: ownerId, detail: { user: user.id } }, now);
    return { email: user.email };
  });
}

function countStrikes(userId: string, now: number): number {
  return prepared<number>(
    `SELECT count(*) FROM user_strikes
     WHERE user_id = ? AND withdrawn_at IS NULL AND ends_at > ?`,
  )
    .pluck()
    .get(userId, iso(now))!;
}
