import { refusalsOf } from "~/features/consent/validity.server";
import { createJobChanger, type JobChange } from "~/features/processing/queue/change-jobs.server";
import { DEFAULT_KINDS, enqueueJobs } from "~/features/processing/queue/enqueue.server";
import type { Schedule } from "~/features/visibility/schedule";
import { type Intention, intentionAfter } from "~/features/visibility/visibility.server";
import { MAX_TAGS } from "~/shared/video-limits";
import { database } from "~db/client.server";
import { allRows } from "~db/run-query.server";
import type { VideoRow } from "~db/schema";
import { readTags } from "~db/tags";
import type { BulkChange, Skipped } from "./bulk";

/** A change to columns of the `videos` table. */
export type ColumnChange = Exclude<
  BulkChange,
  Conversion | { action: "delete" } | { action: "add-series" | "remove-series" }
>;

/** The columns that a change reads and writes. */
type Columns = Intention & Pick<VideoRow, "category" | "tags">;
export type SelectedVideo = Columns & Pick<VideoRow, "id" | "title">;

/** The planned changes: the new columns for each video that will change, and the videos that can't be changed. */
interface Planned extends Skipped {
  changed: { row: SelectedVideo; columns: Partial<Columns> }[];
}

/**
 * Plans a change. Videos that need no change are in neither list. Both the preview and the change itself call this
 * function, so that they can't differ.
 */
export function planChange(change: ColumnChange, rows: readonly SelectedVideo[]): Planned {
  const plan: Planned = { changed: [], refused: [] };
  const refusals = change.action === "publish" ? refusalsOf(rows.map(({ id }) => id)) : undefined;
  for (const row of rows) {
    const refusal = row.status === "published" ? undefined : refusals?.get(row.id);
    if (refusal) plan.because ??= refusal;
    const columns = refusal ? "refused" : columnsAfter(change, row);
    if (columns === "refused") plan.refused.push(row.title);
    else if (columns) plan.changed.push({ row, columns });
  }
  if (change.action === "schedule") plan.onHold = heldVideos(plan.changed);
  return plan;
}

/**
 * Returns the videos that a hold will keep hidden at their scheduled time. The time is stored anyway, just as it is in
 * the dialog for a single video.
 */
function heldVideos(changed: Planned["changed"]): Planned["onHold"] {
  const times = changed.filter(
    ({ row, columns }) => columns.publish_at && row.status !== "published",
  );
  const refusals = [...refusalsOf(times.map(({ row }) => row.id)).values()];
  return refusals[0] ? { videos: refusals.length, because: refusals[0] } : undefined;
}

/** Returns whether a change edits metadata, so that the video counts as updated afterwards. */
export function isEdit({ action }: ColumnChange): boolean {
  return action === "category" || action === "add-tags" || action === "remove-tags";
}

function columnsAfter(
  change: ColumnChange,
  row: SelectedVideo,
): Partial<Columns> | "refused" | undefined {
  switch (change.action) {
    case "publish":
      return intentionAfter("publish", row);
    case "hide":
      return intentionAfter("hide", row);
    case "category":
      return row.category === change.category ? undefined : { category: change.category };
    case "schedule":
      return scheduleChange(change.schedule, row);
    case "unschedule":
      return row.publish_at === null && row.unpublish_at === null
        ? undefined
        : { publish_at: null, unpublish_at: null };
    case "add-tags":
    case "remove-tags":
      return tagChange(change, row);
    default:
      return change satisfies never;
  }
}

/** Just as in the dialog for a single video, a published video can only be scheduled to be hidden. */
function scheduleChange({ publishAt, unpublishAt }: Schedule, row: SelectedVideo) {
  const isPublished = row.status === "published";
  const publish_at = isPublished ? row.publish_at : (publishAt ?? row.publish_at);
  const unpublish_at = unpublishAt ?? row.unpublish_at;
  if (!isPublished && publish_at && unpublish_at && unpublish_at <= publish_at) return "refused";
  const isSame = publish_at === row.publish_at && unpublish_at === row.unpublish_at;
  return isSame ? undefined : { publish_at, unpublish_at };
}

function tagChange(
  change: { action: "add-tags" | "remove-tags"; tags: string[] },
  row: SelectedVideo,
) {
  const before = readTags(row.tags);
  const has = new Set(before.map((tag) => tag.toLowerCase()));
  const named = new Set(change.tags.map((tag) => tag.toLowerCase()));
  const after =
    change.action === "add-tags"
      ? [...before, ...change.tags.filter((tag) => !has.has(tag.toLowerCase()))]
      : before.filter((tag) => !named.has(tag.toLowerCase()));
  if (after.length === before.length) return undefined;
  if (after.length > MAX_TAGS) return "refused";
  return { tags: after.length > 0 ? JSON.stringify(after) : null };
}

export type Conversion = Extract<BulkChange, { action: `convert-${JobChange}` }>;

const CHANGES: Record<Conversion["action"], JobChange> = {
  "convert-again": "again",
  "convert-now": "now",
  "convert-later": "later",
};

export function isConversion(change: BulkChange): change is Conversion {
  return change.action in CHANGES;
}

/**
 * Returns a function that re-encodes videos or moves them in the queue, within the caller's transaction. Re-encoding
 * runs all of a video's jobs again; its current files stay in use until they are done.
 */
export function videoConverter({ action }: Conversion) {
  const change = CHANGES[action];
  const changeJobs = createJobChanger(change);
  return (selected: readonly SelectedVideo[]) => {
    const selectedIds = selected.map(({ id }) => id);
    const changed = new Set<string>();
    const refused = new Set<string>();
    if (change === "again") {
      for (const id of withoutFile(selectedIds)) refused.add(id);
      const encodable = selectedIds.filter((id) => !refused.has(id));
      for (const id of withoutAllJobs(encodable)) changed.add(id);
      enqueueJobs(encodable);
    }
    const videos = selectedIds.filter((id) => !refused.has(id));
    for (const { video_id } of changeJobs({ videos })) changed.add(video_id);
    const titles = (of: ReadonlySet<string>) =>
      selected.filter(({ id }) => of.has(id)).map(({ title }) => title);
    return { titles: titles(changed), refused: titles(refused) };
  };
}

function withoutFile(ids: readonly string[]): string[] {
  const rows = allRows(
    database()
      .selectFrom("videos")
      .select("id")
      .where("id", "in", ids)
      .where("video_url", "=", "")
      .where("source_url", "is", null),
  );
  return rows.map(({ id }) => id);
}

function withoutAllJobs(ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const rows = allRows(
    database()
      .selectFrom("jobs")
      .select("video_id")
      .where("video_id", "in", ids)
      .where("kind", "in", DEFAULT_KINDS)
      .groupBy("video_id")
      .having((e) => e.fn.countAll(), "=", DEFAULT_KINDS.length),
  );
  const complete = new Set(rows.map(({ video_id }) => video_id));
  return ids.filter((id) => !complete.has(id));
}
