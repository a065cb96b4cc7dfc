import { sql } from "kysely";
import { extraCodecs, ladderSettings } from "~/media/encode/encoders.server";
import { HAS_UNCLEAN_THUMBNAIL, HAS_UNCLEAN_VIDEO } from "~/media/metadata/clean-files.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { settings } from "~/platform/settings.server";
import { partsOf } from "~/shared/event-loop";
import { database, prepared, sqliteHandle, transaction } from "~db/client.server";
import { allRows, runChange } from "~db/run-query.server";
import { JOB_KINDS, type JobKind, type JobState, type VideoRow } from "~db/schema";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { queryThread } from "~db/threads/query-thread.server";
import { queueUnfinishedScans } from "../kinds/scan.server";
import { PRIORITIES, SOURCE_KEPT_MS } from "./kinds";
import { OUTDATED_SQL } from "./outdated-streams.server";
import { jobsChanged } from "./queue-state.server";

/**
 * The kinds of jobs that every video gets right away. Additional codecs are only for popular videos
 * (`enqueuePopularCodecs`), the duplicate check follows the storyboard, and scans are only for new files
 * (kinds/scan.server.ts).
 */
export const DEFAULT_KINDS = JOB_KINDS.filter(
  (kind) => kind !== "codecs" && kind !== "fingerprint" && kind !== "scan",
);

/**
 * Enqueues all jobs for some videos: playable copy, captions, poster, storyboard, hover preview, loudness and stream.
 * Each job checks whether there is anything to do. Existing jobs aren't changed. Does nothing if ffmpeg isn't
 * installed.
 *
 * Upload and import call this function inside their transaction, and call `jobsChanged("work")` after the commit. A row
 * that another tool inserts doesn't get jobs automatically: its file may still be incomplete, or may not be in our
 * buckets.
 */
export function enqueueJobs(
  videoIds: readonly string[],
  kinds: readonly JobKind[] = DEFAULT_KINDS,
): void {
  if (videoIds.length === 0 || !ffmpegAvailable()) return;
  insertJobs(videoIds.flatMap((id) => kinds.map((kind) => jobOf(id, kind))));
}

function jobOf(videoId: string, kind: JobKind, now = Date.now()) {
  return {
    video_id: videoId,
    kind,
    priority: PRIORITIES[kind],
    run_after: new Date(kind === "cleanup" ? now + SOURCE_KEPT_MS : now).toISOString(),
  };
}

function insertJobs(jobs: readonly ReturnType<typeof jobOf>[]): void {
  if (jobs.length === 0) return;
  runChange(
    database()
      .insertInto("jobs")
      .values(jobs)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Requeues a video's job if it is in the given state. Must be called inside a transaction. */
export function requeueJob(videoId: string, kind: JobKind, state: JobState): void {
  sqliteHandle()
    .prepare(
      `UPDATE jobs SET state = 'waiting', attempts = 0, progress = 0, worker = NULL, lease_until = NULL,
         finished_at = NULL
       WHERE video_id = ? AND kind = ? AND state = ?`,
    )
    .run(videoId, kind, state);
}

type IncompleteVideo = Pick<
  VideoRow,
  | "id"
  | "video_url"
  | "source_url"
  | "hls_url"
  | "storyboard_url"
  | "preview_url"
  | "thumbnail_url"
  | "captions"
  | "loudness"
  | "cut_of"
> & { unclean_video: 0 | 1; unclean_thumbnail: 0 | 1 };

/** Returns the jobs that create the files that a video lacks. Files that it already has aren't created again. */
function missingKinds(row: IncompleteVideo): JobKind[] {
  // A trimmed version is created from another video's file.
  if (!row.video_url && !row.source_url && !row.cut_of) return [];
  const isConverted = row.video_url !== "" && row.source_url !== null;
  const wanted: Record<JobKind, boolean> = {
    // The job checks whether an unconverted file has its index (`moov`) at the front.
    transcode: !isConverted || row.unclean_video === 1,
    captions: row.captions === null,
    poster: row.thumbnail_url === null || row.unclean_thumbnail === 1,
    storyboard: row.storyboard_url === null,
    preview: row.preview_url === null,
    loudness: row.loudness === null,
    // If there is no playable file, the stream is incomplete, see `earlyWatch`.
    ladder: row.hls_url === null || row.video_url === "",
    cleanup: true,
    codecs: false,
    scan: false,
    fingerprint: row.storyboard_url !== null,
  };
  return JOB_KINDS.filter((kind) => wanted[kind]);
}

/** The number of videos per batch. SQLite allows 32,766 parameters in a statement. */
const BATCH_SIZE = 500;

/**
 * Enqueues jobs that create the files that some videos lack, for example after they were restored from the trash. Call
 * it inside a transaction, and `jobsChanged("work")` after the commit.
 *
 * @param table the table that contains the rows; videos' pending files are in `video_files`.
 */
export function enqueueMissingJobs(
  videoIds: readonly string[],
  table: "videos" | "video_files" = "videos",
): void {
  queueUnfinishedScans(videoIds, table);
  if (!ffmpegAvailable()) return;
  for (let from = 0; from < videoIds.length; from += BATCH_SIZE) {
    const rows = allRows(
      database()
        .selectFrom(table as "videos")
        .select(["id", "video_url", "source_url", "hls_url", "storyboard_url", "preview_url"])
        .select(["thumbnail_url", "captions", "loudness", "cut_of"])
        .select(sql<0 | 1>`${sql.raw(HAS_UNCLEAN_VIDEO)}`.as("unclean_video"))
        .select(sql<0 | 1>`coalesce(${sql.raw(HAS_UNCLEAN_THUMBNAIL)}, 0)`.as("unclean_thumbnail"))
        .where("id", "in", videoIds.slice(from, from + BATCH_SIZE)),
    );
    insertJobs(rows.flatMap((row) => missingKinds(row).map((kind) => jobOf(row.id, kind))));
    // If another tool has given a video a different file since the job finished, the job is requeued.
    for (const { id, unclean_video, unclean_thumbnail } of rows) {
      if (unclean_video) requeueJob(id, "transcode", "done");
      if (unclean_thumbnail) requeueJob(id, "poster", "done");
    }
  }
}

/**
 * Restarts the delay before a video's cleanup job, because someone may be watching the file that was just replaced.
 * Call this function inside the transaction that replaces the file.
 */
export function delayCleanup(videoId: string): void {
  const { kind, priority, run_after } = jobOf(videoId, "cleanup");
  sqliteHandle()
    .prepare(
      `INSERT INTO jobs (video_id, kind, priority, run_after) VALUES (@videoId, @kind, @priority, @run_after)
       ON CONFLICT (video_id, kind) DO UPDATE
         SET state = 'waiting', attempts = 0, finished_at = NULL, run_after = @run_after
         WHERE state <> 'running'`,
    )
    .run({ videoId, kind, priority, run_after });
}

/** Enqueues jobs that create the files that the library's videos lack. Returns the number of affected videos. */
export async function enqueueMissingInLibrary(): Promise<number> {
  if (!ffmpegAvailable()) return 0;
  const rows = await database()
    .selectFrom("videos")
    .select("id")
    .where((e) => e.or([e("video_url", "!=", ""), e("source_url", "is not", null)]))
    .where((e) =>
      e.or([
        e("hls_url", "is", null),
        e("video_url", "=", ""),
        e("storyboard_url", "is", null),
        e("preview_url", "is", null),
        e("thumbnail_url", "is", null),
        e("captions", "is", null),
        e("loudness", "is", null),
        sql<boolean>`${sql.raw(HAS_UNCLEAN_VIDEO)}`,
        sql<boolean>`${sql.raw(HAS_UNCLEAN_THUMBNAIL)}`,
      ]),
    )
    .execute();
  const ids = rows.map(({ id }) => id);
  for (const part of partsOf(ids, BATCH_SIZE)) {
    await transaction(() => enqueueMissingJobs(part));
  }
  jobsChanged("work");
  return rows.length;
}

/**
 * Additional codecs come after all other jobs, even after the streams to re-encode. Each of those streams has a
 * different priority, starting at 1,000.
 */
const POPULAR_PRIORITY = 100_000_000;

/**
 * Enqueues additional codecs for the streams of public videos with enough views, the most viewed first.
 *
 * @returns the number of added jobs.
 */
export async function enqueuePopularCodecs(): Promise<number> {
  if (extraCodecs().length === 0) return 0;
  const { encoderCodecsViews } = settings();
  const ids = await queryThread<string[]>("studio", "popular-streams", encoderCodecsViews);
  if (ids.length === 0) return 0;
  const statement = prepared(/* sql */ `
    INSERT INTO jobs (video_id, kind, priority, run_after)
    SELECT id, 'codecs', @priority, @now FROM videos
    WHERE id IN (SELECT value FROM json_each(@ids)) AND hls_url IS NOT NULL AND video_url <> ''
    ON CONFLICT (video_id, kind) DO NOTHING`);
  const values = {
    priority: POPULAR_PRIORITY,
    now: new Date().toISOString(),
    ids: JSON.stringify(ids),
  };
  const added = await transaction(() => statement.run(values).changes);
  if (added > 0) jobsChanged("work");
  return added;
}

/**
 * Enqueues additional codecs for one video's stream, regardless of the number of views. A stream that is still being
 * encoded gets them once it is complete.
 *
 * @param record records the activity, in the same transaction.
 * @returns false if no additional codec is available, the video has no stream, or the job is already queued or running.
 */
export async function enqueueCodecs(videoId: string, record = () => {}): Promise<boolean> {
  if (extraCodecs().length === 0) return false;
  const statement = prepared(/* sql */ `
    INSERT INTO jobs (video_id, kind, priority, run_after)
    SELECT id, 'codecs', @priority, @now FROM videos WHERE id = @videoId AND hls_url IS NOT NULL
    ON CONFLICT (video_id, kind) DO UPDATE SET state = 'waiting', attempts = 0, progress = 0,
      priority = @priority, reason = NULL, finished_at = NULL, run_after = @now
    WHERE state IN ('done', 'failed')`);
  const values = { priority: PRIORITIES.codecs, now: new Date().toISOString(), videoId };
  const isAdded = await transaction(() => {
    const { changes } = statement.run(values);
    if (changes > 0) record();
    return changes > 0;
  });
  if (isAdded) jobsChanged("work");
  return isAdded;
}

/** Streams to re-encode come after all other jobs, each with its own priority. */
const REENCODE_PRIORITY = 1_000;
const REENCODE_BATCH_SIZE = 200;

/**
 * Queues streams for re-encoding if they weren't encoded with the current settings. The existing stream is served until
 * the new one is complete. Calling this function again updates the order.
 *
 * @returns the number of videos that are now queued for re-encoding.
 */
export async function reencodeOutdatedStreams(record = (_videos: number) => {}): Promise<number> {
  if (!ffmpegAvailable()) return 0;
  const values = { settings: ladderSettings(), least: REENCODE_PRIORITY };
  const ids = await queryThread<string[]>("studio", "outdated-streams", values.settings);
  // A stream that is already queued for another reason keeps its priority.
  const enqueue = prepared(/* sql */ `
    INSERT INTO jobs (video_id, kind, priority, run_after)
    SELECT id, 'ladder', @priority, @now FROM videos WHERE id = @id AND ${OUTDATED_SQL}
    ON CONFLICT (video_id, kind) DO UPDATE SET state = 'waiting', priority = @priority,
      attempts = 0, progress = 0, reason = NULL, finished_at = NULL, run_after = @now
    WHERE state IN ('done', 'failed') OR (state = 'waiting' AND priority >= @least)`);
  const yieldIfDue = createWriteYielder();
  let queued = 0;
  let priority = REENCODE_PRIORITY;
  for (const batch of partsOf(ids, REENCODE_BATCH_SIZE)) {
    await transaction(() => {
      const now = new Date().toISOString();
      for (const id of batch)
        queued += enqueue.run({ ...values, id, now, priority: priority++ }).changes;
      if (queued > 0) record(queued);
    });
    await yieldIfDue();
  }
  jobsChanged("work");
  return queued;
}

/**
 * Requeues the cleanup jobs of videos that still have a source, because KEEP_SOURCES may have changed while the site
 * was down. Skips videos whose files have been compared and differ (they have a `reason`), since decoding them at every
 * startup would yield the same result.
 */
export async function requeueCleanups(): Promise<void> {
  if (settings().keepSources === "always") return;
  const statement = prepared(/* sql */ `
    UPDATE jobs SET state = 'waiting', attempts = 0, run_after = @now, finished_at = NULL
    WHERE kind = 'cleanup' AND state = 'done' AND reason IS NULL AND video_id IN
      (SELECT id FROM videos WHERE source_url IS NOT NULL AND video_url <> '' AND hls_url IS NOT NULL)`);
  await transaction(() => statement.run({ now: new Date().toISOString() }));
}
