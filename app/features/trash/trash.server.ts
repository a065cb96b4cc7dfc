import {
  OWN_DELETED,
  OWN_FILE,
  type OwnVideos,
  ownDeletedValues,
} from "~/features/permissions/permissions";
import { isPreserved } from "~/media/files/preserved.server";
import { entriesOf, type NamingRow } from "~/media/files/references.server";
import { enqueueRemovals, removeSoon } from "~/media/files/removals.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { createYielder, partsOf } from "~/shared/event-loop";
import { nameTitles } from "~/shared/format";
import { prepared, transaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import type { VideoFileRow } from "~db/video-files";
import { type EvidenceOptions, isEvidence, recordFileChange } from "./evidence.server";
import { TRASH_DAYS } from "./trash-address";

/** How long a deleted video can be restored. */
export const TRASH_MS = TRASH_DAYS * 24 * 60 * 60 * 1000;
const EMPTY_EVERY_MS = 60_000;
/** Kept small, so that other writes can run between two transactions. */
const VIDEOS_PER_TRANSACTION = 32;

/** A permanently deleted video. */
export interface Purged {
  id: string;
  title: string;
  bytes: number;
}

interface RemovalOptions<Removed> {
  /** Whether a user requested the deletion, as opposed to the automatic cleanup. */
  isOrdered?: boolean;
  /** Called in each transaction with all videos removed so far. */
  record?: (removed: readonly Removed[]) => void;
}

/**
 * Permanently deletes videos from the trash, with their views, watched parts, digests and positions in series, and
 * enqueues the removal of their files. Doesn't delete evidence.
 *
 * @returns the deleted videos.
 */
export async function purge(
  ids: readonly string[],
  {
    isOrdered = true,
    isRemovedKept = false,
    record = () => {},
  }: RemovalOptions<Purged> & Partial<EvidenceOptions> = {},
): Promise<Purged[]> {
  const purged: Purged[] = [];
  const yieldIfDue = createYielder();
  for (const some of partsOf(ids, VIDEOS_PER_TRANSACTION)) {
    await yieldIfDue();
    await transaction(() => {
      const part = purgePart(some, isOrdered, { isRemovedKept });
      purged.push(...part);
      if (part.length > 0) record(purged);
    });
  }
  removeSoon();
  return purged;
}

/** Returns the subject and the detail of an activity entry about videos. */
export function activityAbout(videos: readonly { id: string; title: string }[]) {
  const titles = videos.map(({ title }) => title);
  const [only] = videos.length === 1 ? videos : [];
  return { subjectId: only?.id, detail: only?.title ?? nameTitles(titles) };
}

/** The rows that are kept for as long as a video can be restored. */
const KEPT = [
  "view_days WHERE video_id",
  "watched_parts WHERE video_id",
  "video_digests WHERE video_id",
  "series_videos WHERE video_id",
  "block_list_matches WHERE video_id",
  "scan_findings WHERE video_id",
  "review_notes WHERE video_id",
  "preview_links WHERE video_id",
  "similar_videos WHERE first",
  "similar_videos WHERE second",
];

function purgePart(
  ids: readonly string[],
  isOrdered: boolean,
  evidence: EvidenceOptions,
): Purged[] {
  const rows = prepared<Purged & { row: string }>(
    `DELETE FROM deleted_videos
     WHERE id IN (SELECT value FROM json_each(?)) AND NOT ${isEvidence("deleted_videos.id", evidence)}
     RETURNING id, title, bytes, row`,
  ).all(JSON.stringify(ids));
  for (const { id, row } of rows) {
    const files = entriesOf(id, JSON.parse(row) as NamingRow);
    enqueueRemovals(files, { reason: "deleted", isOrdered });
  }
  // Another tool may have since inserted a video with the same id.
  const gone = JSON.stringify(rows.map(({ id }) => id));
  recordFileChange(rows.map(({ id }) => id));
  for (const named of KEPT) {
    prepared(
      `DELETE FROM ${named} IN (SELECT value FROM json_each(?)
         WHERE value NOT IN (SELECT id FROM videos))`,
    ).run(gone);
  }
  removeFilesOf(
    rows.map(({ id }) => id),
    isOrdered,
  );
  return rows.map(({ id, title, bytes }) => ({ id, title, bytes }));
}

/**
 * Returns at most `limit` ids of videos that were deleted at or before a given time, oldest first, excluding evidence.
 * If `own` is given, only that user's videos are included.
 */
export function trashedUntil(
  until: string,
  limit: number,
  { own, isRemovedKept = false }: { own?: OwnVideos } & Partial<EvidenceOptions> = {},
): string[] {
  return prepared<string>(
    `SELECT id FROM deleted_videos WHERE deleted_at <= @until AND ${own ? OWN_DELETED : "TRUE"}
       AND NOT ${isEvidence("deleted_videos.id", { isRemovedKept })}
     ORDER BY deleted_at LIMIT @limit`,
  )
    .pluck()
    .all({ until, limit, ...(own && ownDeletedValues(own)) });
}

/**
 * Permanently deletes videos that were deleted, and files that were replaced, more than 30 days ago. Does nothing while
 * removals are paused.
 */
export async function emptyTrash(now = Date.now()): Promise<void> {
  if (await removalsPausedBy()) return;
  const until = new Date(now - TRASH_MS).toISOString();
  await removeOrphanFiles();
  for (;;) {
    const ids = replacedUntil(until, VIDEOS_PER_TRANSACTION);
    if (ids.length === 0) break;
    await removeReplaced(ids, "earlier", { isOrdered: false });
  }
  for (;;) {
    const ids = trashedUntil(until, VIDEOS_PER_TRANSACTION);
    if (ids.length === 0) return;
    await purge(ids, { isOrdered: false });
  }
}

/** Runs `emptyTrash` every minute. */
export function scheduleTrashCleanup(): void {
  every(EMPTY_EVERY_MS, "empty the trash", () => emptyTrash(), { firstMs: 0 });
}

/** A removed file that belongs to a video, which may itself be in the trash. */
export interface RemovedFile {
  id: string;
  videoId: string;
  /** The title of the video. */
  title: string;
  bytes: number;
}

const REMOVED_FILE = `
  SELECT file.id, video_id AS videoId, coalesce(videos.title, deleted.title, '') AS title, file.bytes
  FROM video_files AS file
  LEFT JOIN videos ON videos.id = video_id
  LEFT JOIN deleted_videos AS deleted ON deleted.id = video_id`;

/** Returns the given files that were replaced. If `own` is given, only files of that user's videos are included. */
export function replacedFiles(ids: readonly string[], own: OwnVideos | undefined): RemovedFile[] {
  return prepared<RemovedFile>(
    `${REMOVED_FILE} WHERE file.id IN (SELECT value FROM json_each(@ids)) AND +state = 'earlier'
       AND ${own ? OWN_FILE : "TRUE"}`,
  ).all({ ids: JSON.stringify(ids), ...(own && ownDeletedValues(own)) });
}

/**
 * Permanently removes pending or replaced files. Doesn't remove evidence.
 *
 * @returns the removed files.
 */
export async function removeReplaced(
  ids: readonly string[],
  state: "pending" | "earlier",
  { isOrdered = true, record = () => {} }: RemovalOptions<RemovedFile> = {},
): Promise<RemovedFile[]> {
  const removed = await transaction(() => {
    const rows = prepared<RemovedFile>(
      `${REMOVED_FILE} WHERE file.id IN (SELECT value FROM json_each(?)) AND +state = ?
         AND NOT ${isEvidence("file.video_id", { isRemovedKept: false })}`,
    ).all(JSON.stringify(ids), state);
    for (const { id } of rows) removeRow(id, isOrdered);
    if (rows.length > 0) record(rows);
    return rows;
  });
  removeSoon();
  return removed;
}

/**
 * Enqueues the removal of a file, and deletes its row or marks it as removed. Must be called as part of a transaction.
 */
function removeRow(id: string, isOrdered: boolean): void {
  const row = prepared<VideoFileRow>("SELECT * FROM video_files WHERE id = ?").get(id)!;
  const files = row.state === "removed" ? [] : entriesOf(id, row);
  // A replaced file's row is kept, because its URL may be known and redirects to the current file.
  const kept = `replaced_at IS NOT NULL AND
    (video_id IN (SELECT id FROM videos) OR video_id IN (SELECT id FROM deleted_videos))`;
  prepared("DELETE FROM jobs WHERE video_id = ?").run(id);
  prepared(`UPDATE video_files SET state = 'removed', bytes = 0 WHERE id = ? AND ${kept}`).run(id);
  prepared(`DELETE FROM video_files WHERE id = ? AND NOT (${kept})`).run(id);
  const reason = row.state === "pending" ? "discarded" : "replaced";
  enqueueRemovals(files, { reason, isOrdered });
}

/** The number of rows checked in each call of `removeOrphanFiles`, which takes a few milliseconds. */
const ROWS_PER_CALL = 2_000;
const IS_ORPHAN = `NOT EXISTS (SELECT 1 FROM videos WHERE videos.id = video_id)
  AND NOT EXISTS (SELECT 1 FROM deleted_videos AS deleted WHERE deleted.id = video_id)
  AND NOT ${isPreserved("video_id")}`;
const FIRST_ROW = { videoId: "", id: "" };
/** The last row that `removeOrphanFiles` has checked. */
const check = processState("check for orphan files", () => ({ after: FIRST_ROW }));

/**
 * Removes the files of videos that exist neither in the catalogue nor in the trash, regardless of which tool deleted
 * them. Each call checks the next few thousand rows, because this function runs in the thread that serves requests.
 */
async function removeOrphanFiles(): Promise<void> {
  const next = `SELECT video_id AS videoId, video_id, id FROM video_files
    WHERE (video_id, id) > (@videoId, @id) ORDER BY video_id, id`;
  const orphans = prepared<string>(
    `SELECT id FROM (${next} LIMIT ${ROWS_PER_CALL}) AS part WHERE ${IS_ORPHAN}`,
  ).pluck();
  const last = prepared<typeof after>(`${next} LIMIT 1 OFFSET ${ROWS_PER_CALL - 1}`);
  const { after } = check();
  const ids = orphans.all(after);
  check().after = last.get(after) ?? FIRST_ROW;
  if (ids.length === 0) return;
  const isOrphan = prepared(`SELECT 1 FROM video_files WHERE id = ? AND ${IS_ORPHAN}`);
  await transaction(() => {
    for (const id of ids) if (isOrphan.get(id)) removeRow(id, false);
  });
  removeSoon();
}

/** Removes the remaining files of those videos that no longer exist. Must be called as part of a transaction. */
function removeFilesOf(videoIds: readonly string[], isOrdered: boolean): void {
  const orphans = prepared<string>(
    `SELECT id FROM video_files WHERE video_id IN (SELECT value FROM json_each(?)) AND ${IS_ORPHAN}`,
  ).pluck();
  for (const id of orphans.all(JSON.stringify(videoIds))) removeRow(id, isOrdered);
}

/**
 * Returns at most `limit` ids of files that were replaced at or before a given time, oldest first, excluding evidence.
 */
export function replacedUntil(
  until: string,
  limit: number,
  { own, isRemovedKept = false }: { own?: OwnVideos } & Partial<EvidenceOptions> = {},
): string[] {
  return prepared<string>(
    `SELECT file.id FROM video_files AS file LEFT JOIN videos ON videos.id = video_id
     WHERE state = 'earlier' AND replaced_at <= @until AND ${own ? OWN_FILE : "TRUE"}
       AND NOT ${isEvidence("file.video_id", { isRemovedKept })}
     ORDER BY replaced_at LIMIT @limit`,
  )
    .pluck()
    .all({ until, limit, ...(own && ownDeletedValues(own)) });
}
