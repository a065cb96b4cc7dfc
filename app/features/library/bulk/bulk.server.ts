import { sql } from "kysely";
import { changeableNow, isRefusal, type Refusal } from "~/features/permissions/may-change.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { deletionRefused, removeVideos, stoppedBy } from "~/features/trash/remove.server";
import { writeIntentions } from "~/features/visibility/visibility.server";
import { changeActivity, recordActivity } from "~/platform/activity/activity.server";
import { partsOf } from "~/shared/event-loop";
import { formatQuantity, nameTitles } from "~/shared/format";
import { database, type NotPromise, prepared, transaction } from "~db/client.server";
import { allRows } from "~db/run-query.server";
import { writingTurns } from "~db/threads/checkpoint.server";
import { retryWhileBusy } from "~db/write-lock";
import { refusalDetail } from "../refusals.server";
import { type BulkResult, type DeleteConfirmation, withheldSentence } from "./bulk";
import {
  type ColumnChange,
  type Conversion,
  isConversion,
  isEdit,
  type Planned,
  planned,
  type SelectedVideo,
  videoConverter,
} from "./planned.server";

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

/** Videos changed in one transaction; other requests run between two. */
const VIDEOS_PER_TRANSACTION = 32;
/** Longer than for the first ones: somebody has to be told that a change was done in part. */
const PATIENCE_MS = 10_000;

/**
 * Does one thing to many videos in small transactions, and says what became of each. What has been committed
 * stays so if a later transaction fails: the result says how many videos weren't processed, and sending
 * the form again processes them.
 *
 * @returns the refusal when nothing was changed, because the account may not do it any more.
 * @throws what the first transaction threw.
 */
export async function changeVideos(
  change: RowChange,
  ids: readonly string[],
  userId: string,
): Promise<BulkResult | Refusal> {
  const permission = `/admin bulk ${change.action}` as const;
  if (change.action === "delete") {
    const refuse = () => deletionRefused(ids, userId, permission);
    const outcome = await removeVideos(ids, userId, refuse);
    if (isRefusal(outcome)) return outcome;
    const { titles, batch, left: stopped } = outcome;
    const left = stopped && leftOver(stopped.videos, stopped.because);
    const done = titles.length;
    const record = () => transaction(() => recordDone(change, titles, userId));
    await retryWhileBusy(record, PATIENCE_MS);
    const gone = ids.length - done - (left?.videos ?? 0);
    return { done, unchanged: 0, gone, refused: [], batch, ...(left && { left }) };
  }
  const changeable = changeableNow(userId, permission, ids);
  if (isRefusal(changeable)) return changeable;
  const applyTo = isConversion(change)
    ? videoConverter(change)
    : (some: readonly SelectedVideo[]) => apply(change, some);
  const total = { done: [] as string[], refused: [] as string[], found: 0, processed: 0 };
  let because: string | undefined;
  let withheld: Planned["withheld"];
  let left: BulkResult["left"];
  let activityId: number | undefined;
  const turn = writingTurns();
  for (const part of partsOf(changeable, VIDEOS_PER_TRANSACTION)) {
    const changePart = () => {
      const stillChangeable = changeableNow(userId, permission, part);
      if (isRefusal(stillChangeable) && stillChangeable.code !== "gone") return stillChangeable;
      const selected = isRefusal(stillChangeable) ? [] : selectVideos(stillChangeable);
      const applied: Applied = applyTo(selected);
      const done = [...total.done, ...applied.titles];
      const id = recordDone(change, done, userId, activityId);
      return { ...applied, found: selected.length, id };
    };
    const outcome = await orRefusal(changePart, total.done.length > 0);
    if (isRefusal(outcome)) {
      if (total.done.length === 0) return outcome;
      left = leftOver(changeable.length - total.processed, outcome);
      break;
    }
    total.processed += part.length;
    total.found += outcome.found;
    total.done.push(...outcome.titles);
    total.refused.push(...outcome.refused);
    because ??= outcome.because;
    if (outcome.withheld) {
      const { videos } = outcome.withheld;
      withheld = { ...outcome.withheld, videos: videos + (withheld?.videos ?? 0) };
    }
    activityId = outcome.id;
    await turn();
  }
  if (isConversion(change)) jobsChanged("work");
  const { done, refused, found } = total;
  return {
    done: done.length,
    unchanged: found - done.length - refused.length,
    gone: ids.length - found - (left?.videos ?? 0),
    refused,
    because,
    ...(withheld && { withheld: withheldSentence(withheld) }),
    ...(left && { left }),
  };
}

function leftOver(videos: number, because: Refusal): BulkResult["left"] {
  return { videos, because: refusalDetail(because) ?? "" };
}

/** Runs a transaction. Once others have been committed, the user is told that it failed, instead of an error alone. */
async function orRefusal<T>(work: () => NotPromise<T>, isLater: boolean): Promise<T | Refusal> {
  const attempt = () => transaction<T>(work);
  if (!isLater) return attempt();
  return retryWhileBusy(attempt, PATIENCE_MS).catch((error) => stoppedBy(error));
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

/** The rows of some ids. */
export function selectVideos(ids: readonly string[]): SelectedVideo[] {
  return allRows(
    database()
      .selectFrom("videos")
      .select(["id", "title", "status", "category", "tags", "publish_at", "unpublish_at"])
      .where("id", "in", listed(ids)),
  );
}

/** Titles of the rows that were changed, and of those that could not be, with why the first could not. */
interface Applied {
  titles: string[];
  refused: string[];
  because?: string;
  withheld?: Planned["withheld"];
}

function apply(change: ColumnChange, selected: readonly SelectedVideo[]): Applied {
  const { changed, refused, because, withheld } = planned(change, selected);
  const rows = changed.map(({ row, columns }) => ({ ...row, ...columns }));
  if (isEdit(change)) {
    prepared(
      `UPDATE videos SET category = given.value ->> 'category', tags = given.value ->> 'tags',
         updated_at = ?
       FROM json_each(?) AS given WHERE videos.id = given.value ->> 'id'`,
    ).run(new Date().toISOString(), JSON.stringify(rows));
  } else writeIntentions(rows);
  return {
    titles: rows.map(({ title }) => title),
    refused: refused.map(({ title }) => title),
    because,
    withheld,
  };
}

/**
 * Records what was done until now, as a part of a transaction.
 *
 * @param id of the entry that an earlier transaction has written.
 * @returns the id of the entry; undefined as long as nothing was done.
 */
function recordDone(
  change: RowChange,
  titles: readonly string[],
  userId: string,
  id?: number,
): number | undefined {
  if (titles.length === 0) return undefined;
  const videos = formatQuantity(titles.length, "video");
  const detail = `${VERBS[change.action]} ${videos}: ${nameTitles(titles)}`;
  if (id === undefined) return recordActivity({ userId, action: "bulk-edit", detail });
  changeActivity(id, detail);
  return id;
}
