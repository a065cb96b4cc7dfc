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
import { BULK_TEXTS, type BulkResult, type DeleteConfirmation, type Skipped } from "./bulk";
import {
  type ColumnChange,
  type Conversion,
  isConversion,
  isEdit,
  planChange,
  type SelectedVideo,
  videoConverter,
} from "./plan-change.server";

/** A change to the videos' rows. Changes to series aren't included, because series are stored in another table. */
export type RowChange = ColumnChange | Conversion | { action: "delete" };

/** Kept small, so that other requests can run between two transactions. */
const VIDEOS_PER_TRANSACTION = 32;
/** Later transactions are retried for longer than the first one, because a partial change is worse than a slow one. */
const RETRY_FOR_MS = 10_000;

/**
 * Performs an action on many videos in small transactions. If a later transaction fails, the committed changes stay. In
 * that case, the result contains the number of videos that weren't processed, and sending the form again processes
 * them.
 *
 * @returns a refusal if nothing was changed because the account is no longer allowed to do this.
 * @throws the error of the first transaction.
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
    const left = stopped && unprocessed(stopped.videos, stopped.because);
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
    // After the first commit, an error is reported in the result instead of being thrown.
    const outcome =
      done.length === 0
        ? await changePart()
        : await retryWhileBusy(changePart, RETRY_FOR_MS).catch(stoppedBy);
    if (isRefusal(outcome)) {
      if (done.length === 0) return outcome;
      left = unprocessed(changeable.length - processed, outcome);
      break;
    }
    processed += part.length;
    found += outcome.found;
    done.push(...outcome.titles);
    skipped.refused.push(...outcome.refused);
    skipped.because ??= outcome.because;
    if (outcome.onHold) {
      const { videos, because } = outcome.onHold;
      skipped.onHold = { because, videos: videos + (skipped.onHold?.videos ?? 0) };
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

function unprocessed(videos: number, because: Refusal): BulkResult["left"] {
  return { videos, because: refusalDetail(because) ?? "" };
}

/** Returns the content of the dialog that confirms a bulk deletion. */
export async function describeDeletion(ids: readonly string[]): Promise<DeleteConfirmation> {
  const rows = await database()
    .selectFrom("videos")
    .select(["id", "title", "bytes"])
    .where("id", "in", idList(ids))
    .execute();
  return {
    ids: rows.map((row) => row.id),
    titles: rows.slice(0, 10).map((row) => row.title),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
  };
}

/** Returns only the ids of videos that exist. */
export function existingIds(ids: readonly string[]): string[] {
  return prepared<string>("SELECT id FROM videos WHERE id IN (SELECT value FROM json_each(?))")
    .pluck()
    .all(JSON.stringify(ids));
}

/** Binds any number of ids as a single parameter. */
function idList(ids: readonly string[]) {
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** Returns the rows with these ids. */
export function selectVideos(ids: readonly string[]): SelectedVideo[] {
  return allRows(
    database()
      .selectFrom("videos")
      .select(["id", "title", "status", "category", "tags", "publish_at", "unpublish_at"])
      .where("id", "in", idList(ids)),
  );
}

/** The titles of the changed videos, and the videos that weren't changed. */
interface Applied extends Skipped {
  titles: string[];
}

function apply(change: ColumnChange, selected: readonly SelectedVideo[]): Applied {
  const { changed, ...skipped } = planChange(change, selected);
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
  return `${BULK_TEXTS[change.action].activity} ${videos}: ${nameTitles(titles)}`;
}
