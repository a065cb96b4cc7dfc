import { sql } from "kysely";
import { changeableNow, isRefusal, type Refusal } from "~/features/permissions/may-change.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { deletionRefused, removeVideos, stoppedBy } from "~/features/trash/remove.server";
import { writeIntentions } from "~/features/visibility/visibility.server";
import { createActivityRecorder } from "~/platform/activity/activity.server";
import { partsOf } from "~/shared/event-loop";
import { formatQuantity, nameTitles } from "~/shared/format";
import { database, prepared, transaction } from "~db/client.server";
import { allRows } from "~db/run-query.server";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { retryWhileBusy } from "~db/write-lock";
import { refusalDetail } from "../refusals.server";
import { BULK_WORDS, type BulkResult, type DeleteConfirmation, type Skipped } from "./bulk";
import {
  type ColumnChange,
  type Conversion,
  isConversion,
  isEdit,
  planned,
  type SelectedVideo,
  videoConverter,
} from "./planned.server";

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
  const recordPart = createActivityRecorder();
  const record = (titles: readonly string[]) =>
    recordPart({ userId, action: "bulk-edit", detail: describeDone(change, titles) });
  if (change.action === "delete") {
    const refuse = () => deletionRefused(ids, userId, permission);
    const outcome = await removeVideos(ids, userId, refuse, record);
    if (isRefusal(outcome)) return outcome;
    const { titles, batch, left: stopped } = outcome;
    const left = stopped && leftOver(stopped.videos, stopped.because);
    const done = titles.length;
    const gone = ids.length - done - (left?.videos ?? 0);
    return { done, unchanged: 0, gone, refused: [], batch, left };
  }
  const changeable = changeableNow(userId, permission, ids);
  if (isRefusal(changeable)) return changeable;
  const applyTo = isConversion(change)
    ? videoConverter(change)
    : (some: readonly SelectedVideo[]) => apply(change, some);
  const done: string[] = [];
  const skipped: Skipped = { refused: [] };
  let found = 0;
  let processed = 0;
  let left: BulkResult["left"];
  const yieldIfDue = createWriteYielder();
  for (const part of partsOf(changeable, VIDEOS_PER_TRANSACTION)) {
    const changePart = () =>
      transaction(() => {
        const stillChangeable = changeableNow(userId, permission, part);
        if (isRefusal(stillChangeable) && stillChangeable.code !== "gone") return stillChangeable;
        const selected = isRefusal(stillChangeable) ? [] : selectVideos(stillChangeable);
        const applied: Applied = applyTo(selected);
        const titles = [...done, ...applied.titles];
        if (titles.length > 0) record(titles);
        return { ...applied, found: selected.length };
      });
    // Once others have been committed, the user is told that it failed, instead of an error alone.
    const outcome =
      done.length === 0
        ? await changePart()
        : await retryWhileBusy(changePart, PATIENCE_MS).catch(stoppedBy);
    if (isRefusal(outcome)) {
      if (done.length === 0) return outcome;
      left = leftOver(changeable.length - processed, outcome);
      break;
    }
    processed += part.length;
    found += outcome.found;
    done.push(...outcome.titles);
    skipped.refused.push(...outcome.refused);
    skipped.because ??= outcome.because;
    if (outcome.withheld) {
      const { videos, because } = outcome.withheld;
      skipped.withheld = { because, videos: videos + (skipped.withheld?.videos ?? 0) };
    }
    await yieldIfDue();
  }
  if (isConversion(change)) jobsChanged("work");
  return {
    ...skipped,
    done: done.length,
    unchanged: found - done.length - skipped.refused.length,
    gone: ids.length - found - (left?.videos ?? 0),
    left,
  };
}

function leftOver(videos: number, because: Refusal): BulkResult["left"] {
  return { videos, because: refusalDetail(because) ?? "" };
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
  return prepared<string>("SELECT id FROM videos WHERE id IN (SELECT value FROM json_each(?))")
    .pluck()
    .all(JSON.stringify(ids));
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

/** The titles of the rows that were changed, and what was left alone. */
interface Applied extends Skipped {
  titles: string[];
}

function apply(change: ColumnChange, selected: readonly SelectedVideo[]): Applied {
  const { changed, ...skipped } = planned(change, selected);
  const rows = changed.map(({ row, columns }) => ({ ...row, ...columns }));
  if (isEdit(change)) {
    prepared(
      `UPDATE videos SET category = given.value ->> 'category', tags = given.value ->> 'tags',
         updated_at = ?
       FROM json_each(?) AS given WHERE videos.id = given.value ->> 'id'`,
    ).run(new Date().toISOString(), JSON.stringify(rows));
  } else writeIntentions(rows);
  return { titles: rows.map(({ title }) => title), ...skipped };
}

function describeDone(change: RowChange, titles: readonly string[]): string {
  const videos = formatQuantity(titles.length, "video");
  return `${BULK_WORDS[change.action][1]} ${videos}: ${nameTitles(titles)}`;
}
