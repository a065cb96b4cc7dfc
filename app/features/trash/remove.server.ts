import {
  accountNow,
  changeableNow,
  isRefusal,
  type Refusal,
} from "~/features/permissions/may-change.server";
import type { Permission } from "~/features/permissions/permissions";
import { recordActivity } from "~/platform/activity/activity.server";
import { createYielder, partsOf } from "~/shared/event-loop";
import { prepared, transaction } from "~db/client.server";
import type { NewVideoRow, VideoRow } from "~db/schema";
import { isBusy, retryWhileBusy } from "~db/write-lock";
import { evidenceAmong } from "./evidence.server";

/** Kept small, so that other writes can run between two transactions. */
const VIDEOS_PER_TRANSACTION = 32;
/** How long a transaction is retried while the database is busy, once the first videos have been deleted. */
const RETRY_FOR_MS = 10_000;

/** Computed columns, which aren't set when a row is restored. */
const COMPUTED = ["number", "sort_key", "seconds", "bytes", "held", "public", "listed"] as const;

/** One deletion, which can be undone as a whole. */
export interface Deletion {
  /** The time of the deletion (ISO 8601, UTC). */
  batch: string;
}

/**
 * Deletes a video by moving its row to the trash. As long as the deletion can be undone, the video's files stay where
 * they are, but aren't served.
 */
export async function deleteVideo(id: string, userId: string): Promise<Deletion | Refusal> {
  return transaction(() => deleteVideoIn(id, userId));
}

/** Like `deleteVideo`, but as part of the caller's transaction. */
export function deleteVideoIn(id: string, userId: string): Deletion | Refusal {
  const batch = new Date().toISOString();
  const refusal = deletionRefused([id], userId, "/admin delete");
  if (refusal) return refusal;
  const [title] = moveRowToTrash(id, userId, batch);
  if (title === undefined) return { code: "gone" };
  recordActivity({ userId, action: "delete", subjectId: id, detail: title });
  return { batch };
}

/** Returns the reason why an account may no longer delete videos. Called in the transaction that deletes them. */
export function deletionRefused(
  ids: readonly string[],
  userId: string,
  permission: Permission,
): Refusal | undefined {
  const changeable = changeableNow(userId, permission, ids);
  if (isRefusal(changeable)) return changeable;
  const present = prepared<number>(
    "SELECT count(*) FROM videos WHERE id IN (SELECT value FROM json_each(?))",
  ).pluck();
  const isPartial = changeable.length < present.get(JSON.stringify(ids))!;
  if (isPartial) return { code: "not-allowed" };
  const isUploader = accountNow(userId)?.role === "uploader";
  return isUploader && evidenceAmong(ids).size > 0 ? { code: "evidence" } : undefined;
}

export interface Removed {
  titles: string[];
  batch: string;
  left?: { videos: number; because: Refusal };
}

/**
 * Deletes many videos.
 *
 * @param refuse called in each transaction; returns the reason why the videos can't be deleted. Omitted for automatic
 * deletions and for a moderator's decision.
 * @param record called in each transaction with the titles of all videos deleted so far.
 * @returns the titles of the deleted videos, the id of the deletion, and the number of videos that weren't deleted if
 * the deletion failed after the first transaction.
 */
export async function removeVideos<Refused extends Refusal = never>(
  ids: readonly string[],
  userId: string,
  refuse?: () => Refused | undefined,
  record: (titles: readonly string[]) => void = () => {},
): Promise<Removed | Refused> {
  const deletedAt = new Date().toISOString();
  const titles: string[] = [];
  const yieldIfDue = createYielder();
  const all = [...new Set(ids)];
  let processed = 0;
  for (const some of partsOf(all, VIDEOS_PER_TRANSACTION)) {
    await yieldIfDue();
    const removeBatch = () =>
      transaction((): string[] | Refusal => {
        const refusal = refuse?.();
        if (refusal) return refusal;
        const moved = some.flatMap((id) => moveRowToTrash(id, userId, deletedAt));
        if (moved.length > 0) record([...titles, ...moved]);
        return moved;
      });
    const outcome =
      titles.length === 0
        ? await removeBatch()
        : await retryWhileBusy(removeBatch, RETRY_FOR_MS).catch((error) => stoppedBy(error));
    if (isRefusal(outcome)) {
      // If a later transaction fails, the result only covers the videos that were deleted before.
      if (titles.length === 0) return outcome as Refused;
      const left = { videos: all.length - processed, because: outcome };
      return { titles, batch: deletedAt, left };
    }
    titles.push(...outcome);
    processed += some.length;
  }
  return { titles, batch: deletedAt };
}

/** Returns the refusal to be reported for an error that ended a bulk change after its first transaction. */
export function stoppedBy(error: unknown): Refusal {
  if (isBusy(error)) return { code: "busy" };
  console.error("A bulk change failed:", error);
  return { code: "failed" };
}

/**
 * Moves a video's row to the trash. Must be called as part of a transaction. Returns the title if the video exists, or
 * else an empty list. Videos with the same deletion time can be restored together.
 */
function moveRowToTrash(id: string, userId: string, deletedAt: string): string[] {
  const row = prepared<VideoRow>("SELECT * FROM videos WHERE id = ?").get(id);
  if (!row) return [];
  const { title, bytes } = row;
  prepared(
    `INSERT OR REPLACE INTO deleted_videos (id, title, row, deleted_by, deleted_at, bytes)
     VALUES (@id, @title, @row, @userId, @deletedAt, @bytes)`,
  ).run({ id, title, row: JSON.stringify(withoutComputed(row)), userId, deletedAt, bytes });
  prepared("DELETE FROM videos WHERE id = ?").run(id);
  // A pending file's jobs are requeued when the video is restored.
  prepared(
    "DELETE FROM jobs WHERE video_id IN (SELECT id FROM video_files WHERE video_id = ?)",
  ).run(id);
  return [title];
}

function withoutComputed(row: VideoRow): NewVideoRow {
  const kept: Partial<VideoRow> = { ...row };
  for (const column of COMPUTED) delete kept[column];
  return kept as NewVideoRow;
}
