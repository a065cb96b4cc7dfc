import { database, type NotPromise, prepared, transaction } from "~db/client.server";
import { firstRow, requireTransaction, runChange } from "~db/run-query.server";
import { ABOUT_ACCOUNTS, type ActivityAction } from "./activity-labels";

const ACTIVITIES_PER_PAGE = 50;
/** Years of a busy catalogue; the oldest go first. */
const ACTIVITIES_KEPT = 100_000;

export interface ActivityEntry {
  userId: string | null;
  action: ActivityAction;
  /** The video's id, for what is about a video; its title goes into `detail`. */
  subjectId?: string;
  detail?: string;
}

/** Changes something and records it in one transaction: neither is there without the other. */
export async function changeAndRecord<T>(
  entry: ActivityEntry,
  change: () => NotPromise<T>,
): Promise<T> {
  return transaction<T>(() => {
    const changed = change();
    recordActivity(entry);
    return changed;
  });
}

/**
 * Records what an admin did, as a part of a transaction. Never anything about a visitor.
 *
 * @returns the id of the entry.
 */
export function recordActivity(entry: ActivityEntry): number {
  requireTransaction();
  const { id } = firstRow(
    database()
      .insertInto("activities")
      .values({
        user_id: entry.userId,
        action: entry.action,
        subject_id: entry.subjectId ?? null,
        detail: entry.detail ?? "",
      })
      .returning("id"),
  )!;
  runChange(
    database()
      .deleteFrom("activities")
      .where("id", "<=", id - ACTIVITIES_KEPT),
  );
  return id;
}

/**
 * Returns what records work of several transactions, as a part of each of them: one entry, which says after
 * each part what was done so far.
 */
export function activityInParts(): (entry: ActivityEntry) => void {
  let id: number | undefined;
  return (entry) => {
    if (id === undefined) {
      id = recordActivity(entry);
      return;
    }
    const { subjectId = null, detail = "" } = entry;
    const change = database().updateTable("activities").set({ subject_id: subjectId, detail });
    runChange(change.where("id", "=", id));
  };
}

/** Read, and changed, in one transaction: a few milliseconds. */
const READ_AT_ONCE = 10_000;
const CHANGED_AT_ONCE = 100;
/** In an entry, instead of the email address of an account that was deleted. */
const FORGOTTEN = "[deleted]";

/**
 * Part of a transaction: removes an email address from the next entries about accounts.
 *
 * @param after the id of the last entry that was read before; 0 for the first part.
 * @returns the id of the last entry that was read, and whether it is the newest.
 */
export function forgetEmail(email: string, after: number): { to: number; isDone: boolean } {
  requireTransaction();
  const last = prepared<number>("SELECT coalesce(max(id), 0) FROM activities").pluck().get()!;
  const to = Math.min(last, after + READ_AT_ONCE);
  // instr(): an address may contain the wildcards of LIKE.
  const rows = prepared<{
    id: number;
    detail: string;
  }>(
    `SELECT id, detail FROM activities
     WHERE id > @after AND id <= @to AND action IN (SELECT value FROM json_each(@actions))
       AND instr(lower(detail), lower(@email)) > 0
     ORDER BY id LIMIT ${CHANGED_AT_ONCE}`,
  ).all({ after, to, email, actions: JSON.stringify(ABOUT_ACCOUNTS) });
  const isIt = (word: string) => word.toLowerCase() === email.toLowerCase();
  for (const { id, detail } of rows) {
    const words = detail.split(" ").map((word) => (isIt(word) ? FORGOTTEN : word));
    changeActivity(id, words.join(" "));
  }
  if (rows.length === CHANGED_AT_ONCE) return { to: rows.at(-1)!.id, isDone: false };
  return { to, isDone: to === last };
}

/** Says something else in an entry, such as more videos of the same change. Part of a transaction. */
function changeActivity(id: number, detail: string): void {
  runChange(database().updateTable("activities").set({ detail }).where("id", "=", id));
}

/**
 * What admins did, newest first, at most 50 entries.
 *
 * @param filter.before only what is older than the activity of this id: the next page.
 * @param filter.subjectId only what was done to this video.
 */
export async function listActivities(
  filter: { before?: number; userId?: string; subjectId?: string; limit?: number } = {},
) {
  let query = database()
    .selectFrom("activities")
    .leftJoin("users", "users.id", "activities.user_id")
    .select([
      "activities.id",
      "users.email",
      "activities.user_id",
      "activities.action",
      "activities.subject_id as subjectId",
      "activities.detail",
      "activities.created_at as createdAt",
    ])
    .orderBy("activities.id", "desc")
    .limit(Math.min(filter.limit ?? ACTIVITIES_PER_PAGE, ACTIVITIES_PER_PAGE));
  if (filter.before !== undefined) query = query.where("activities.id", "<", filter.before);
  if (filter.userId !== undefined) query = query.where("activities.user_id", "=", filter.userId);
  if (filter.subjectId !== undefined) {
    query = query.where("activities.subject_id", "=", filter.subjectId);
  }
  return (await query.execute()).map(({ user_id, email, subjectId, ...row }) => ({
    ...row,
    email: email ?? undefined,
    // Undefined as well when the operator did it at the command line.
    isDeletedAccount: user_id !== null && email === null,
    subjectId: subjectId ?? undefined,
  }));
}
