import { refusalsOf } from "~/features/consent/validity.server";
import { ownDeletedIds } from "~/features/permissions/may-change.server";
import type { OwnVideos } from "~/features/permissions/permissions";
import { enqueueMissingIn } from "~/features/processing/queue/enqueue.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { HOLD_MESSAGES, holdsOf } from "~/features/visibility/holds.server";
import { addUpFiles } from "~/media/media-files.server";
import { createActivityRecorder } from "~/platform/activity/activity.server";
import { type Failure, failure } from "~/platform/failure";
import { createYielder, partsOf } from "~/shared/event-loop";
import { formatQuantity, nameTitles } from "~/shared/format";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { ensureProjected } from "~db/changes.server";
import { database, prepared, sqliteHandle, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import type { NewVideoRow } from "~db/schema";
import { aboutVideos } from "./trash.server";

/** Restored in one transaction; others have their turn between two. */
const VIDEOS_AT_ONCE = 32;

interface Deleted {
  id: string;
  title: string;
  row: string;
}

interface Restored {
  /** The ids and titles of those that are back. */
  done: { id: string; title: string }[];
  /** Titles of those that stay in the trash, because their id is taken. */
  taken: string[];
  /** Of those that a moderator has removed, which stay as well. */
  removed: string[];
  /** Of those that are back, and hidden, with the sentence that says why. */
  hidden: { title: string; refusal: string }[];
}

/** Restores the videos of one deletion, or of them only one user's. */
export async function restoreDeletion(
  batch: string,
  userId: string,
  own?: OwnVideos,
): Promise<Failure | ToastMessage> {
  const all = prepared("SELECT id FROM deleted_videos WHERE deleted_at = ?").pluck().all(batch);
  const ids = ownDeletedIds(own, all as string[]);
  if (ids.length === 0) {
    return failure(404, "This deletion can't be undone any more.", {
      detail: "It was undone before, or its videos were deleted for good.",
    });
  }
  return restoreVideos(ids, userId);
}

/**
 * Restores videos of the trash, with their texts, views, files and captions, as they were; what was
 * still to be made from them is asked for again.
 *
 * @returns the failure when none came back: 404 for what is not in the trash, 409 for what stays there.
 */
export async function restoreVideos(
  ids: readonly string[],
  userId: string,
  now = Date.now(),
): Promise<Failure | ToastMessage> {
  const restored: Restored = { done: [], taken: [], removed: [], hidden: [] };
  const record = createActivityRecorder();
  const yieldIfDue = createYielder();
  for (const some of partsOf(ids, VIDEOS_AT_ONCE)) {
    await yieldIfDue();
    await transaction(() => {
      if (restorePart(some, restored, now))
        record({ userId, action: "restore", ...aboutVideos(restored.done) });
    });
  }
  await ensureProjected();
  jobsChanged("work");
  return describeResult(ids.length, restored);
}

/** Part of a transaction. Returns whether any of these videos is back. */
function restorePart(ids: readonly string[], restored: Restored, now: number): boolean {
  const columns = new Set(
    (sqliteHandle().pragma("table_info(videos)") as { name: string }[]).map(({ name }) => name),
  );
  const rows = prepared<Deleted & { is_taken: 0 | 1 }>(
    `SELECT id, title, row, id IN (SELECT id FROM videos) AS is_taken FROM deleted_videos
       WHERE id IN (SELECT value FROM json_each(?))`,
  ).all(JSON.stringify(ids));
  const ready: Deleted[] = [];
  const holds = holdsOf(ids);
  for (const row of rows) {
    if (holds.get(row.id)?.includes("removed")) restored.removed.push(row.title);
    // Another program has entered a video of this id since.
    else if (row.is_taken) restored.taken.push(row.title);
    else ready.push(row);
  }
  if (ready.length === 0) return false;
  const back = ready.map(({ id }) => id);
  const refusals = refusalsOf(back);
  for (const { id, title, row } of ready) {
    const values = toRow(row, columns, now);
    const refusal = values.status === "published" && refusals.get(id);
    if (refusal) restored.hidden.push({ title, refusal });
    runChange(database().insertInto("videos").values(values));
    addUpFiles("videos", id);
  }
  // Their jobs were forgotten with them.
  enqueueMissingIn(back);
  const pending = prepared<string>(
    `SELECT id FROM video_files WHERE state = 'pending'
       AND video_id IN (SELECT value FROM json_each(?))`,
  ).pluck();
  enqueueMissingIn(pending.all(JSON.stringify(back)), "video_files");
  runChange(database().deleteFrom("deleted_videos").where("id", "in", back));
  restored.done.push(...ready);
  return true;
}

/** The row as it was, as far as its columns still exist: the site may have been upgraded since. */
function toRow(row: string, columns: ReadonlySet<string>, now: number): NewVideoRow {
  const before = JSON.parse(row) as NewVideoRow;
  const kept = Object.entries(before).filter(([column]) => columns.has(column));
  const { publish_at, unpublish_at, ...rest } = Object.fromEntries(kept) as unknown as NewVideoRow;
  const isAhead = (at: string | null | undefined) => at && Date.parse(at) > now;
  // What was to be published while it lay in the trash is not published by coming back, and what was to be hidden is
  // hidden.
  const isOver = unpublish_at && !isAhead(unpublish_at) && rest.status === "published";
  return {
    ...rest,
    ...(isOver && { status: "hidden" as const }),
    ...(isAhead(publish_at) && { publish_at }),
    ...(isAhead(unpublish_at) && { unpublish_at }),
  };
}

function describeResult(
  asked: number,
  { done, taken, removed, hidden }: Restored,
): Failure | ToastMessage {
  const gone = asked - done.length - taken.length - removed.length;
  const were = (count: number) =>
    `${formatQuantity(count, "video")} ${count === 1 ? "was" : "were"}`;
  const [first] = hidden;
  const rest = [
    first &&
      `${were(hidden.length)} not published again: ${nameTitles(hidden.map(({ title }) => title))}. ${first.refusal}`,
    removed.length > 0 &&
      `${were(removed.length)} left there: ${nameTitles(removed)}. ${HOLD_MESSAGES.removed}`,
    gone > 0 && `${were(gone)} no longer in the trash.`,
    taken.length > 0 &&
      `${were(taken.length)} left there, because another video has its id: ${nameTitles(taken)}.`,
  ].filter((message) => typeof message === "string");
  if (done.length === 0) {
    const status = gone === asked ? 404 : 409;
    return failure(status, "Failed to restore video.", { detail: rest.join(" ") });
  }
  const titles = done.map(({ title }) => title);
  const back = `${nameTitles(titles)} ${done.length === 1 ? "is" : "are"} back, files included.`;
  const title = done.length === 1 ? "Video Restored" : "Videos Restored";
  return success(title, [back, ...rest].join(" "));
}
