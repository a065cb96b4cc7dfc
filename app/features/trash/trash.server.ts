import { OWN_DELETED, type OwnVideos, ownDeletedValues } from "~/features/permissions/own-videos";
import { entriesOf, type NamingRow } from "~/media/files/references.server";
import { enqueueRemovals, removeSoon } from "~/media/files/removals.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { eventLoopTurns, partsOf } from "~/shared/event-loop";
import { prepared, transaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import { type EvidenceOptions, isEvidence, noteFilmChange } from "./evidence.server";
import {
  removeFilesOf,
  removeOrphanFiles,
  removeReplaced,
  replacedUntil,
} from "./remove-files.server";
import { TRASH_DAYS } from "./trash-address";

/** How long a deleted video can be restored. */
export const TRASH_MS = TRASH_DAYS * 24 * 60 * 60 * 1000;
const EMPTY_EVERY_MS = 60_000;
/** Deleted for good in one transaction; others have their turn between two. */
const VIDEOS_AT_ONCE = 32;

/** A video that was deleted for good. */
export interface Purged {
  id: string;
  title: string;
  bytes: number;
}

/**
 * Deletes videos of the trash for good, with their views, watched parts, digests and positions in series, and
 * enqueues the removal of their files. Evidence stays.
 *
 * @param options.isOrdered whether a person wants it.
 * @returns those that were still there.
 */
export async function purge(
  ids: readonly string[],
  {
    isOrdered = true,
    isRemovedKept = false,
  }: { isOrdered?: boolean } & Partial<EvidenceOptions> = {},
): Promise<Purged[]> {
  const purged: Purged[] = [];
  const turn = eventLoopTurns();
  for (const some of partsOf(ids, VIDEOS_AT_ONCE)) {
    await turn();
    purged.push(...(await transaction(() => purgePart(some, isOrdered, { isRemovedKept }))));
  }
  removeSoon();
  return purged;
}

/** What is kept of a video while it can be restored. */
const TABLES = [
  "view_days",
  "watched_parts",
  "video_digests",
  "series_videos",
  "blocked_likenesses",
  "scan_findings",
  "review_notes",
  "preview_links",
] as const;

function purgePart(
  ids: readonly string[],
  isOrdered: boolean,
  evidence: EvidenceOptions,
): Purged[] {
  const rows = prepared(
    `DELETE FROM deleted_videos
     WHERE id IN (SELECT value FROM json_each(?)) AND NOT ${isEvidence("deleted_videos.id", evidence)}
     RETURNING id, title, bytes, row`,
  ).all(JSON.stringify(ids)) as (Purged & { row: string })[];
  for (const { id, row } of rows) {
    const files = entriesOf(id, JSON.parse(row) as NamingRow);
    enqueueRemovals(files, { reason: "deleted", isOrdered });
  }
  // Another program may have entered a video of the same id since.
  const gone = JSON.stringify(rows.map(({ id }) => id));
  noteFilmChange(rows.map(({ id }) => id));
  for (const table of TABLES) {
    prepared(
      `DELETE FROM ${table} WHERE video_id IN (SELECT value FROM json_each(?)
         WHERE value NOT IN (SELECT id FROM videos))`,
    ).run(gone);
  }
  for (const side of ["first", "second"]) {
    prepared(
      `DELETE FROM similar_videos WHERE ${side} IN (SELECT value FROM json_each(?)
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
 * The videos that were deleted until a moment, of one user's if they are given, the oldest first. Without
 * evidence.
 */
export function trashedUntil(
  until: string,
  most: number,
  { own, isRemovedKept = false }: { own?: OwnVideos } & Partial<EvidenceOptions> = {},
): string[] {
  return prepared(
    `SELECT id FROM deleted_videos WHERE deleted_at <= @until AND ${own ? OWN_DELETED : "TRUE"}
       AND NOT ${isEvidence("deleted_videos.id", { isRemovedKept })}
     ORDER BY deleted_at LIMIT @most`,
  )
    .pluck()
    .all({ until, most, ...(own && ownDeletedValues(own)) }) as string[];
}

/**
 * Deletes for good what was deleted more than 30 days ago, and files that were replaced then. Does nothing
 * while removals are paused.
 */
export async function emptyTrash(now = Date.now()): Promise<void> {
  if (await removalsPausedBy()) return;
  const until = new Date(now - TRASH_MS).toISOString();
  await removeOrphanFiles();
  for (;;) {
    const ids = replacedUntil(until, VIDEOS_AT_ONCE);
    if (ids.length === 0) break;
    await removeReplaced(ids, "earlier", { isOrdered: false });
  }
  for (;;) {
    const ids = trashedUntil(until, VIDEOS_AT_ONCE);
    if (ids.length === 0) return;
    await purge(ids, { isOrdered: false });
  }
}

/** Removes what is too old every minute. */
export function scheduleTrashCleanup(): void {
  every(EMPTY_EVERY_MS, "empty the trash", () => emptyTrash(), { firstMs: 0 });
}
