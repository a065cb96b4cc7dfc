import fs from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { Insertable } from "kysely";
import { resolveAliases } from "~/features/catalogue/tags.server";
import { consentRefusals, refusalsOf } from "~/features/consent/validity.server";
import { type Acceptance, storeAcceptance } from "~/features/moderation/uploaders/terms.server";
import { accountNow } from "~/features/permissions/may-change.server";
import {
  type FileComparison,
  holdMatches,
  holdUncompared,
  recordFrames,
} from "~/features/processing/comparison/block-list-matches.server";
import {
  type ArrivedFile,
  BLOCKED_FILE,
  insertUnblocked,
  isOnBlockList,
} from "~/features/processing/comparison/blocked-videos.server";
import { scanNewVideo } from "~/features/processing/kinds/scan.server";
import { enqueueJobs } from "~/features/processing/queue/enqueue.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { HOLD_MESSAGES } from "~/features/visibility/holds.server";
import { newIntention } from "~/features/visibility/visibility.server";
import { bucketFile, mediaUrl } from "~/media/bucket.server";
import { type MeasuredFile, recordFileIn } from "~/media/media-files.server";
import { removeMetadata } from "~/media/metadata/clean-files.server";
import { settings } from "~/platform/settings.server";
import { formatDuration } from "~/shared/format";
import { mapConcurrently } from "~/shared/map-concurrently";
import { freeSlug, slugOf } from "~/shared/series/slug";
import { database, prepared } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import type { VideosTable } from "~db/schema";
import { storedTags } from "~db/tags";
import {
  copyInsteadOfLink,
  type EncodedThumbnail,
  encodeImportedThumbnail,
  flushUploads,
  type ImportMode,
  type InspectedFile,
  moveVideo,
  reserveBasePaths,
} from "./files.server";
import { announce, rollBackFile, withdraw } from "./journal.server";
import { type ImportEntry, ImportError } from "./table.server";

/** An entry whose file is a video and isn't in the catalogue yet. */
export interface Candidate extends ArrivedFile {
  entry: ImportEntry;
  bytes: number;
  modifiedMs: number;
  inspected: InspectedFile | undefined;
  /** The result of the comparison with the block list. */
  comparison: FileComparison | "late" | undefined;
  videoId: string;
}

const ACCOUNT_ENDED = "The importing account was deactivated or deleted. The import stopped.";
/** The number of rows per transaction. */
const ROWS_AT_ONCE = 50;

interface PendingImport extends Candidate {
  /** The base path, `{userId}/{uploadId}`, or undefined if there is no file. */
  basePath?: string;
  /** The path in the `videos` bucket, or an empty string if there is no file. */
  target: string;
  encodedThumbnail?: EncodedThumbnail;
  /** Whether the file can be served without conversion. */
  isClean?: boolean;
  /** Whether the video becomes a draft because a required consent record is missing. */
  lacksRecord?: boolean;
  /** The reason why the video isn't public, although it should be. */
  refusal?: string;
}

interface BatchOptions {
  userId: string;
  /** The start of the import, in ISO 8601 format (UTC). */
  since: string;
  mode: ImportMode;
  /** The acceptance of the uploaders' terms for the whole import, if acceptance is required. */
  acceptance: Acceptance | undefined;
  /**
   * Updates the import's activity in the transaction that inserts the rows, so that it is correct even if the process
   * is killed.
   */
  countImported(videos: number): void;
  onProgress?(bytes: number, files: number): void;
}

/**
 * Moves a batch's files into the buckets and inserts its rows.
 *
 * @param failed called for each entry that couldn't be imported; the entry's files are unchanged.
 * @returns the imported entries.
 */
export async function importBatch(
  candidates: Candidate[],
  options: BatchOptions,
  failed: (name: string, error: unknown) => void,
): Promise<PendingImport[]> {
  const basePaths = reserveBasePaths(options.userId);
  return moveAndInsert(candidates, basePaths, options, failed).finally(basePaths.free);
}

/** Moves the files, then inserts their rows. */
async function moveAndInsert(
  candidates: Candidate[],
  basePaths: ReturnType<typeof reserveBasePaths>,
  options: BatchOptions,
  failed: (name: string, error: unknown) => void,
): Promise<PendingImport[]> {
  const { mode, onProgress } = options;
  const pending = await mapConcurrently(candidates, async (candidate): Promise<PendingImport> => {
    const { entry, inspected } = candidate;
    const basePath = inspected && (await basePaths.reserve(entry.basePath));
    const target = basePath ? `${basePath}.${inspected.extension}` : "";
    return { ...candidate, ...(basePath && { basePath }), target };
  });
  await announce(pending.flatMap(planned));

  const moved = new Set<PendingImport>();
  await mapConcurrently(pending, async (each) => {
    try {
      if (each.entry.file) {
        await moveVideo(mode, each.entry.file, each.target);
        // The block list is checked while the file still has its original digests.
        await isOnBlockList(each);
        const isPlayable = each.inspected?.playable !== false;
        each.isClean = isPlayable && (await cleanVideo(each, each.entry.file));
      }
      await addThumbnail(each);
      moved.add(each);
    } catch (error) {
      await rollBack(each, (error as NodeJS.ErrnoException).code === "EEXIST");
      failed(each.entry.name, error);
    }
    onProgress?.(each.bytes, 1);
  });
  await flushUploads();
  // The files are in the order of the plan, rather than in the order in which copying finished.
  const inOrder = pending.filter((each) => moved.has(each));
  const inserted = new Set(await insertAllRows(inOrder, options));
  for (const each of inOrder.filter((each) => !inserted.has(each))) {
    await rollBack(each);
    failed(each.entry.name, new ImportError(BLOCKED_FILE));
  }
  return [...inserted];
}

/**
 * Inserts the rows in small transactions: each transaction holds the database lock for a few milliseconds. Afterwards,
 * the lock is free for the same length of time.
 *
 * @returns the entries that were inserted, which excludes those whose files were added to the block list in the
 * meantime.
 * @throws the error thrown by a transaction. In that case, the files of entries that aren't in the catalogue yet are
 * unchanged.
 */
async function insertAllRows(
  moved: PendingImport[],
  options: BatchOptions,
): Promise<PendingImport[]> {
  const { mode, countImported } = options;
  const now = Date.now();
  const inserted: PendingImport[] = [];
  for (let start = 0; start < moved.length; start += ROWS_AT_ONCE) {
    const slice = moved.slice(start, start + ROWS_AT_ONCE);
    const from = performance.now();
    let unblocked: PendingImport[];
    try {
      unblocked = await insertUnblocked(slice, (rows) => {
        if (rows.length === 0) return rows;
        insertRows(options, rows, now + start);
        countImported(rows.length);
        return rows;
      });
    } catch (error) {
      for (const each of moved.slice(start)) await rollBack(each);
      throw error;
    }
    const pausedMs = performance.now() - from;
    inserted.push(...unblocked);
    jobsChanged("work");
    await mapConcurrently(unblocked, async ({ entry }) => {
      // The source is removed only now, so that the video always has either its source or its row.
      if (mode === "move" && entry.file) await fs.rm(entry.file, { force: true });
    });
    await setTimeout(pausedMs);
  }
  return inserted;
}

function planned({ entry, bytes, modifiedMs, videoId, target }: PendingImport) {
  return entry.file ? [{ source: entry.file, bytes, modifiedMs, videoId, target }] : [];
}

/**
 * Removes the metadata from a video in the bucket. If the video is a hard link to the file in the folder, which must
 * not change before the row is committed, the link is first replaced with a copy if the file has metadata.
 *
 * @returns whether the video can be served without conversion.
 */
async function cleanVideo({ target }: PendingImport, source: string): Promise<boolean> {
  const file = bucketFile("videos", target);
  if (!file) throw new Error(`${target} isn't the path of a video.`);
  if ((await fs.stat(file)).nlink > 1) {
    if (await removeMetadata({ file, isShared: true })) return true;
    await copyInsteadOfLink(source, target);
  }
  return removeMetadata({ file });
}

/** Moves the thumbnail. An unreadable image is ignored, since a frame will be extracted from the video. */
async function addThumbnail(each: PendingImport): Promise<void> {
  const { thumbnail } = each.entry;
  if (!thumbnail || !each.basePath) return;
  each.encodedThumbnail = await encodeImportedThumbnail(thumbnail, each.basePath).catch(
    () => undefined,
  );
}

/** @param notOurs whether the target file already existed. */
async function rollBack({ entry, target }: PendingImport, notOurs = false): Promise<void> {
  if (!entry.file) return;
  if (!notOurs) await rollBackFile(target);
  await withdraw([entry.file]);
}

/** Inserts the rows for some of the entries, along with their file sizes, digests and jobs. */
function insertRows(
  { userId, since, acceptance }: BatchOptions,
  moved: PendingImport[],
  time: number,
): void {
  if (!accountNow(userId, since)) throw new ImportError(ACCOUNT_ENDED);
  const digests = moved.flatMap(({ videoId, sha256 }) =>
    sha256 ? [{ video_id: videoId, sha256 }] : [],
  );
  const files = moved.flatMap(filesOf);
  const sources = moved.flatMap(({ entry }) => entry.file ?? []);
  const ids = moved.map(({ videoId }) => videoId);
  const refusals = refusalsOf(ids);
  const lacking = consentRefusals(ids);
  for (const each of moved) {
    each.lacksRecord = lacking.has(each.videoId);
    each.refusal =
      refusals.get(each.videoId) ??
      matchRefusal(each.comparison) ??
      (each.target && settings().scanCommand ? HOLD_MESSAGES.scan : undefined);
  }
  runChange(
    database()
      .insertInto("videos")
      .values(moved.map((each, index) => rowOf(userId, each, time + index))),
  );
  for (const { entry, videoId, comparison } of moved) {
    storeAcceptance(videoId, "video", userId, acceptance);
    if (entry.series) putIntoSeries(videoId, entry.series);
    if (comparison === "late") holdUncompared(videoId);
    else if (comparison) {
      recordFrames(videoId, comparison.frames);
      holdMatches(videoId, comparison.blockedVideos);
    }
  }
  for (const file of files) recordFileIn(file);
  if (digests.length > 0) {
    runChange(
      database()
        .insertInto("video_digests")
        .values(digests)
        .onConflict((conflict) => conflict.doNothing()),
    );
  }
  const ours = moved.filter(({ target }) => target).map(({ videoId }) => videoId);
  for (const videoId of ours) scanNewVideo(videoId);
  enqueueJobs(ours);
  if (sources.length === 0) return;
  const changes = runChange(
    database()
      .updateTable("imports")
      .set({ finished_at: new Date().toISOString() })
      .where("source", "in", sources),
  );
  // The records were deleted by a site that couldn't see this process and assumed that it had been killed.
  if (changes < new Set(sources).size)
    throw new Error("Another process removed some of the imported files.");
}

function matchRefusal(comparison: FileComparison | "late" | undefined): string | undefined {
  if (comparison === "late") return HOLD_MESSAGES.comparing;
  return comparison && comparison.blockedVideos.length > 0
    ? HOLD_MESSAGES["block-list"]
    : undefined;
}

function filesOf(each: PendingImport): MeasuredFile[] {
  const { basePath, target, videoId, bytes, encodedThumbnail, isClean } = each;
  if (!basePath) return [];
  const video = { bucket: "videos", path: target, kind: "video", videoId, bytes, isClean } as const;
  if (!encodedThumbnail) return [video];
  const name = { bucket: "thumbnails", path: `${basePath}.webp`, kind: "thumbnail" } as const;
  return [video, { ...name, videoId, bytes: encodedThumbnail.bytes, isClean: true }];
}

/** @param time the creation time if the entry has none; times ascend in the order of the plan. */
function rowOf(userId: string, each: PendingImport, time: number): Insertable<VideosTable> {
  const { entry, inspected, basePath, target, videoId, lacksRecord, isClean = true } = each;
  // A video whose file is incomplete becomes a draft, so that a person can decide what to do with it.
  const isDraft = entry.status === "published" && (inspected?.cutOff || lacksRecord);
  const url = target ? mediaUrl("videos", target) : "";
  const tags = resolveAliases(entry.tags);
  const createdAt = entry.createdAt ?? new Date(time).toISOString();
  return {
    id: videoId,
    title: entry.title,
    description: entry.description,
    category: entry.category,
    tags: storedTags(tags),
    duration: formatDuration(inspected?.durationSeconds ?? entry.durationSeconds ?? 0),
    // A file that browsers can't play, or whose metadata wasn't removed, has only a source and no video URL yet.
    video_url: isClean ? url : "",
    source_url: isClean ? null : url,
    thumbnail_url:
      basePath && each.encodedThumbnail ? mediaUrl("thumbnails", `${basePath}.webp`) : null,
    poster_colors: each.encodedThumbnail?.colors ?? null,
    uploaded_by: userId,
    ...newIntention(isDraft ? "review" : entry.status),
    views: entry.views ?? 0,
    created_at: createdAt,
    updated_at: entry.updatedAt ?? createdAt,
  };
}

/**
 * Adds an imported video to its series, in the transaction that inserts the video. Series that don't exist yet are
 * created as private series.
 *
 * @param series the video's positions by series title.
 */
function putIntoSeries(videoId: string, series: Readonly<Record<string, number>>): void {
  for (const [title, position] of Object.entries(series)) {
    prepared(
      `INSERT INTO series_videos (series_id, video_id, position) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET position = excluded.position`,
    ).run(seriesOfTitle(title), videoId, position);
  }
}

function seriesOfTitle(title: string): number {
  const known = prepared<number>(
    "SELECT id FROM series WHERE title = ? COLLATE NOCASE AND deleted_at IS NULL",
  )
    .pluck()
    .get(title);
  if (known !== undefined) return known;
  const isTaken = prepared("SELECT 1 FROM series_slugs WHERE slug = ?");
  const slug = freeSlug(slugOf(title), (each) => isTaken.get(each) !== undefined);
  const { lastInsertRowid } = prepared("INSERT INTO series (title, slug) VALUES (?, ?)").run(
    title,
    slug,
  );
  prepared("INSERT INTO series_slugs (slug, series_id) VALUES (?, ?)").run(slug, lastInsertRowid);
  return Number(lastInsertRowid);
}
