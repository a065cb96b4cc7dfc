import { refusalsOf } from "~/features/consent/validity.server";
import { ownDeletedIds } from "~/features/permissions/may-change.server";
import type { OwnVideos } from "~/features/permissions/permissions";
import { enqueueMissingJobs } from "~/features/processing/queue/enqueue.server";
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
import { activityAbout } from "./trash.server";

/** Kept small, so that other writes can run between two transactions. */
const VIDEOS_PER_TRANSACTION = 32;

interface Deleted {
  id: string;
  title: string;
  row: string;
}

interface Restored {
  /** The restored videos. */
  done: { id: string; title: string }[];
  /** The titles of videos that stay in the trash because their id is taken. */
  taken: string[];
  /** The titles of videos that stay in the trash because a moderator removed them. */
  removed: string[];
  /** The restored videos that stay hidden, and the reasons. */
  hidden: { title: string; refusal: string }[];
}

/** Restores the videos that were deleted in one deletion. If `own` is given, only that user's videos are restored. */
export async function restoreDeletion(
  batch: string,
  userId: string,
  own?: OwnVideos,
): Promise<Failure | ToastMessage> {
  const deleted = prepared<string>("SELECT id FROM deleted_videos WHERE deleted_at = ?").pluck();
  const ids = ownDeletedIds(own, deleted.all(batch));
  if (ids.length === 0) {
    return failure(404, "This deletion can no longer be undone.", {
      detail: "It was already undone, or its videos were permanently deleted.",
    });
  }
  return restoreVideos(ids, userId);
}

/**
 * Restores videos from the trash with their text, views, files and captions, and requeues their unfinished jobs.
 *
 * @returns a failure if no video was restored: 404 if none of them is in the trash, 409 if they can't be restored.
 */
export async function restoreVideos(
  ids: readonly string[],
  userId: string,
  now = Date.now(),
): Promise<Failure | ToastMessage> {
  const restored: Restored = { done: [], taken: [], removed: [], hidden: [] };
  const record = createActivityRecorder();
  const yieldIfDue = createYielder();
  for (const some of partsOf(ids, VIDEOS_PER_TRANSACTION)) {
    await yieldIfDue();
    await transaction(() => {
      if (restorePart(some, restored, now))
        record({ userId, action: "restore", ...activityAbout(restored.done) });
    });
  }
  await ensureProjected();
  jobsChanged("work");
  return describeResult(ids.length, restored);
}

/** Restores a batch of videos. Must be called as part of a transaction. Returns whether any of them was restored. */
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
    // Another tool has inserted a video with this id in the meantime.
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
  // The videos' jobs were deleted together with the videos.
  enqueueMissingJobs(back);
  const pending = prepared<string>(
    `SELECT id FROM video_files WHERE state = 'pending'
       AND video_id IN (SELECT value FROM json_each(?))`,
  ).pluck();
  enqueueMissingJobs(pending.all(JSON.stringify(back)), "video_files");
  runChange(database().deleteFrom("deleted_videos").where("id", "in", back));
  restored.done.push(...ready);
  return true;
}

/**
 * Returns the row to insert. Omits columns that no longer exist, because the site may have been upgraded in the
 * meantime.
 */
function toRow(row: string, columns: ReadonlySet<string>, now: number): NewVideoRow {
  const before = JSON.parse(row) as NewVideoRow;
  const kept = Object.entries(before).filter(([column]) => columns.has(column));
  const { publish_at, unpublish_at, ...rest } = Object.fromEntries(kept) as unknown as NewVideoRow;
  const isAhead = (at: string | null | undefined) => at && Date.parse(at) > now;
  // If a video's publication became due while the video was in the trash, the publication is canceled, so that
  // restoring the video doesn't publish it. If the time to hide the video has passed, the video is hidden.
  const isExpired = unpublish_at && !isAhead(unpublish_at) && rest.status === "published";
  return {
    ...rest,
    ...(isExpired && { status: "hidden" as const }),
    ...(isAhead(publish_at) && { publish_at }),
    ...(isAhead(unpublish_at) && { unpublish_at }),
  };
}

function describeResult(
  requestedCount: number,
  { done, taken, removed, hidden }: Restored,
): Failure | ToastMessage {
  const gone = requestedCount - done.length - taken.length - removed.length;
  const were = (count: number) =>
    `${formatQuantity(count, "video")} ${count === 1 ? "was" : "were"}`;
  const [first] = hidden;
  const rest = [
    first &&
      `${were(hidden.length)} restored but not published: ${nameTitles(hidden.map(({ title }) => title))}. ${first.refusal}`,
    removed.length > 0 &&
      `${were(removed.length)} not restored: ${nameTitles(removed)}. ${HOLD_MESSAGES.removed}`,
    gone > 0 && `${were(gone)} no longer in the trash.`,
    taken.length > 0 &&
      `${were(taken.length)} not restored because another video has the same id: ${nameTitles(taken)}.`,
  ].filter((message) => typeof message === "string");
  if (done.length === 0) {
    const status = gone === requestedCount ? 404 : 409;
    return failure(status, "Failed to restore video.", { detail: rest.join(" ") });
  }
  const titles = done.map(({ title }) => title);
  const restored = `${nameTitles(titles)} restored.`;
  const title = done.length === 1 ? "Video restored" : "Videos restored";
  return success(title, [restored, ...rest].join(" "));
}
