import { type Kysely, sql, type Transaction } from "kysely";
import { recordActivity } from "~/account/activity.server";
import { jobsChanged } from "~/media/jobs/job-events.server";
import { eventLoopTurns, partsOf } from "~/shared/event-loop";
import { formatQuantity } from "~/shared/format";
import { writeIntentions } from "~/visibility/visibility.server";
import { database, prepared } from "~db/client.server";
import type { Schema } from "~db/schema";
import type { StudioFailure } from "../failure";
import { changeableNow } from "../own-videos.server";
import { deletionRefused, removeVideos } from "../trash/remove.server";
import { type BulkResult, type DeleteConfirmation, nameTitles, withheldSentence } from "./bulk";
import { type Conversion, isConversion, videoConverter } from "./convert-videos.server";
import {
  type ColumnChange,
  isEdit,
  type Planned,
  planned,
  type SelectedVideo,
} from "./planned.server";

const NOTHING_CHANGED = "No video was changed.";

const VERBS: Record<RowChange["action"], string> = {
  publish: "published",
  hide: "hid",
  category: "set the category of",
  "add-tags": "added tags to",
  "remove-tags": "removed tags from",
  schedule: "scheduled",
  unschedule: "removed the schedule of",
  "convert-again": "had made again",
  "convert-now": "put first in the queue",
  "convert-later": "put last in the queue",
  delete: "deleted",
};

/** A change of the rows themselves; a series has its videos in a table of its own. */
export type RowChange = ColumnChange | Conversion | { action: "delete" };

/** Videos changed by one statement; the event loop runs other work between two. */
const VIDEOS_PER_STATEMENT = 32;

/**
 * Does one thing to many videos in one transaction, and says what became of each. Pages are read and
 * timers run meanwhile; only what writes to the database waits for the end.
 *
 * @returns the failure when nothing was changed, because the account may not do it any more.
 */
export async function changeVideos(
  change: RowChange,
  ids: readonly string[],
  userId: string,
): Promise<BulkResult | StudioFailure> {
  const permission = `/admin bulk ${change.action}` as const;
  if (change.action === "delete") {
    const refuse = () => deletionRefused(ids, userId, permission, NOTHING_CHANGED);
    const outcome = await removeVideos(ids, userId, refuse);
    if ("status" in outcome) return outcome;
    const { titles, batch } = outcome;
    const done = titles.length;
    await recordBulkActivity(change, titles, done, userId);
    return { done, unchanged: 0, gone: ids.length - done, refused: [], batch };
  }
  const result = { done: [] as string[], refused: [] as string[], found: 0 };
  let because: string | undefined;
  let withheld: Planned["withheld"];
  const failed = await database()
    .transaction()
    .execute(async (transaction) => {
      const changeable = changeableNow(userId, permission, ids, NOTHING_CHANGED);
      if ("status" in changeable) return changeable;
      const turn = eventLoopTurns();
      const applyTo = isConversion(change)
        ? videoConverter(transaction, change)
        : (some: readonly SelectedVideo[]) => apply(transaction, change, some);
      for (const some of partsOf(changeable, VIDEOS_PER_STATEMENT)) {
        const selected = await selectVideos(transaction, some);
        const { titles, refused, because: why, withheld: later }: Applied = await applyTo(selected);
        because ??= why;
        if (later) withheld = { ...later, videos: later.videos + (withheld?.videos ?? 0) };
        result.found += selected.length;
        result.done.push(...titles);
        result.refused.push(...refused);
        await turn();
      }
      return undefined;
    });
  if (failed) return failed;
  const { done, refused, found } = result;
  if (isConversion(change)) jobsChanged("work");
  await recordBulkActivity(change, done, done.length, userId);
  const unchanged = found - done.length - refused.length;
  return {
    done: done.length,
    unchanged,
    gone: ids.length - found,
    refused,
    because,
    ...(withheld && { withheld: withheldSentence(withheld) }),
  };
}

/** What the confirmation dialog shows before these videos are deleted. */
export async function describeDeletion(ids: readonly string[]): Promise<DeleteConfirmation> {
  const rows = await database()
    .selectFrom("videos")
    .select(["id", "title", "bytes"])
    .where("id", "in", listed(ids))
    .execute();
  return {
    ids: rows.map((row) => row.id),
    titles: rows.slice(0, 10).map((row) => row.title),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
  };
}

/** The rows of ids, for what is told of a change before it is done. */
export function selectForPreview(ids: readonly string[]): Promise<SelectedVideo[]> {
  return selectVideos(database(), ids);
}

/** Those of some ids that are there. */
export function existingIds(ids: readonly string[]): string[] {
  return prepared("SELECT id FROM videos WHERE id IN (SELECT value FROM json_each(?))")
    .pluck()
    .all(JSON.stringify(ids)) as string[];
}

/** One parameter for any number of ids. */
function listed(ids: readonly string[]) {
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

function selectVideos(
  transaction: Kysely<Schema>,
  ids: readonly string[],
): Promise<SelectedVideo[]> {
  return transaction
    .selectFrom("videos")
    .select(["id", "title", "status", "category", "tags", "publish_at", "unpublish_at"])
    .where("id", "in", listed(ids))
    .execute();
}

/** Titles of the rows that were changed, and of those that could not be, with why the first could not. */
interface Applied {
  titles: string[];
  refused: string[];
  because?: string;
  withheld?: Planned["withheld"];
}

async function apply(
  transaction: Transaction<Schema>,
  change: ColumnChange,
  selected: readonly SelectedVideo[],
): Promise<Applied> {
  const { changed, refused, because, withheld } = planned(change, selected);
  const rows = changed.map(({ row, columns }) => ({ ...row, ...columns }));
  if (isEdit(change)) {
    await sql`
      UPDATE videos SET category = given.value ->> 'category', tags = given.value ->> 'tags',
        updated_at = ${new Date().toISOString()}
      FROM json_each(${JSON.stringify(rows)}) AS given
      WHERE videos.id = given.value ->> 'id'`.execute(transaction);
  } else writeIntentions(rows);
  return {
    titles: rows.map(({ title }) => title),
    refused: refused.map(({ title }) => title),
    because,
    withheld,
  };
}

async function recordBulkActivity(
  change: RowChange,
  titles: readonly string[],
  count: number,
  userId: string,
): Promise<void> {
  if (count === 0) return;
  const videos = formatQuantity(count, "video");
  const detail = `${VERBS[change.action]} ${videos}: ${nameTitles(titles, count)}`;
  await recordActivity({ userId, action: "bulk-edit", detail });
}
