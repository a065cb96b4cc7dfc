import { database, type NotPromise, prepared, transaction } from "~db/client.server";
import { firstRow, requireTransaction, runChange } from "~db/run-query.server";
import { ABOUT_ACCOUNTS, type ActivityAction } from "./activity-labels";

const ACTIVITIES_PER_PAGE = 50;
/**
 * The maximum number of activities to keep. This is enough for years on a busy site. The oldest activities are deleted
 * first.
 */
const MAX_ACTIVITIES = 100_000;

export interface ActivityEntry {
  userId: string | null;
  action: ActivityAction;
  /** The id of the video, if the activity is about one. Its title is stored in `detail`. */
  subjectId?: string;
  detail?: string;
}

/** Makes a change and records it in a single transaction, so that neither is stored without the other. */
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
 * Records an admin's activity, but never anything about a visitor. Must be part of a transaction.
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
      .where("id", "<=", id - MAX_ACTIVITIES),
  );
  return id;
}

/**
 * Returns a function that records the work of several transactions in a single entry. Call it in each transaction with
 * a description of the work done so far.
 */
export function createActivityRecorder(): (entry: ActivityEntry) => void {
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

/** The limits per transaction, so that each one takes only a few milliseconds. */
const MAX_READ = 10_000;
const MAX_CHANGED = 100;
/** Replaces the email address of a deleted account in an entry. */
const REDACTED = "[deleted]";

/**
 * Removes an email address from the next batch of entries about accounts. Must be part of a transaction.
 *
 * @param after the id of the last entry that the previous call read, or 0 for the first call.
 * @returns the id of the last entry that was read, and whether all entries have been read.
 */
export function redactEmail(email: string, after: number): { to: number; isDone: boolean } {
  requireTransaction();
  const last = prepared<number>("SELECT coalesce(max(id), 0) FROM activities").pluck().get()!;
  const to = Math.min(last, after + MAX_READ);
  // Use instr(), because an address may contain the wildcards of LIKE.
  const rows = prepared<{
    id: number;
    detail: string;
  }>(
    `SELECT id, detail FROM activities
     WHERE id > @after AND id <= @to AND action IN (SELECT value FROM json_each(@actions))
       AND instr(lower(detail), lower(@email)) > 0
     ORDER BY id LIMIT ${MAX_CHANGED}`,
  ).all({ after, to, email, actions: JSON.stringify(ABOUT_ACCOUNTS) });
  const isIt = (word: string) => word.toLowerCase() === email.toLowerCase();
  for (const { id, detail } of rows) {
    const words = detail.split(" ").map((word) => (isIt(word) ? REDACTED : word));
    changeActivity(id, words.join(" "));
  }
  if (rows.length === MAX_CHANGED) return { to: rows.at(-1)!.id, isDone: false };
  return { to, isDone: to === last };
}

/** Changes an entry's detail. Must be part of a transaction. */
function changeActivity(id: number, detail: string): void {
  runChange(database().updateTable("activities").set({ detail }).where("id", "=", id));
}

/**
 * Returns at most 50 activities, newest first.
 *
 * @param filter.before only entries older than this id, for the next page.
 * @param filter.subjectId only entries about this video.
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
    // user_id is null if the operator performed the action on the command line.
    isDeletedAccount: user_id !== null && email === null,
    subjectId: subjectId ?? undefined,
  }));
}
