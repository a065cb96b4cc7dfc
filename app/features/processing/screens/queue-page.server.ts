import type { Database } from "better-sqlite3";
import type { JobKind, JobState, VideoRow } from "~db/schema";
import { jobLabel, type ListedJob, PRIORITY_BAND } from "../queue/kinds";
import { QUEUE_STATES, type QueueState, type QueueView } from "./queue-address";

const QUEUE_PAGE_SIZE = 50;
const OVERVIEW_SIZE = 20;

export interface QueuePage {
  /** The number of jobs by state. Completed jobs are only counted if they are listed. */
  counts: Partial<Record<QueueState, number>>;
  /** The estimated number of seconds left; null if there is no estimate because a kind of queued job has never run. */
  secondsLeft: number | null;
  lists: { state?: QueueState; jobs: ListedJob[] }[];
  page: number;
  pageCount: number;
  /** The video specified in the URL; null if it doesn't exist. */
  video?: { id: string; title: string; hasFile: boolean; hasStream: boolean } | null;
}

export interface JobWithTitle {
  id: number;
  kind: JobKind;
  state: JobState;
  priority: number;
  progress: number;
  speed: number | null;
  seconds_left: number | null;
  reason: string | null;
  attempts: number;
  finished_at: string | null;
  video_id: string;
  /** The original from which the job's file is trimmed, if the file is a trimmed version. */
  cut_of: string | null;
  title: string;
  /** The row of `video_files` that the job is for. */
  file: string | null;
  is_behind_failed: 0 | 1;
}

// Without these hints, SQLite would use the index on `state` and sort all queued jobs.
const LISTED: Record<QueueState, [from: string, order: string]> = {
  running: ["jobs WHERE state = 'running'", "jobs.priority, jobs.started_at, jobs.id"],
  // Cleanup jobs aren't listed, because they wait for hours by design and don't create anything.
  waiting: [
    `jobs INDEXED BY jobs_unfinished
      WHERE state IN ('waiting', 'running') AND +state = 'waiting' AND kind <> 'cleanup'`,
    "jobs.priority, jobs.created_at, jobs.id",
  ],
  failed: ["jobs WHERE state = 'failed'", "jobs.finished_at DESC, jobs.id DESC"],
  done: ["jobs WHERE state = 'done'", "jobs.finished_at DESC, jobs.id DESC"],
};

/** Returns a query for jobs with the titles of their videos. A job belongs to a video or to a video's pending file. */
export const columnsOf = (from: string, order: string) => `
  SELECT jobs.*, videos.id AS video_id, title, file.id AS file, file.cut_of,
    EXISTS (
    SELECT 1 FROM jobs AS first WHERE first.video_id = jobs.video_id
      AND first.kind = 'transcode' AND first.state = 'failed') AS is_behind_failed
  FROM (${from}) AS listed JOIN jobs ON jobs.id = listed.id
    LEFT JOIN video_files AS file ON file.id = jobs.video_id
    JOIN videos ON videos.id = coalesce(file.video_id, jobs.video_id)
  ORDER BY ${order}`;

export interface QueueRequest {
  view: QueueView;
  /** The number of jobs that run in parallel. */
  concurrency: number;
  /** The number of jobs per state in the overview. */
  overviewSize?: number;
}

/** Returns the data for a view. Runs in the studio thread, because counting the jobs of a long queue takes a while. */
export function readQueuePage(sqlite: Database) {
  const totals = queueTotals(sqlite);
  const select = (state: QueueState) => {
    const [from, order] = LISTED[state];
    const ids = `SELECT id FROM ${from} ORDER BY ${order} LIMIT @limit OFFSET @offset`;
    return sqlite.prepare<unknown[], JobWithTitle>(columnsOf(ids, order));
  };
  const lists = Object.fromEntries(QUEUE_STATES.map((state) => [state, select(state)]));
  const ofVideo = sqlite.prepare<unknown[], JobWithTitle>(
    columnsOf(
      `SELECT id FROM jobs WHERE video_id = @video
       OR video_id IN (SELECT id FROM video_files WHERE video_id = @video)`,
      "jobs.priority, jobs.id",
    ),
  );
  const find = sqlite.prepare<
    unknown[],
    Pick<VideoRow, "id" | "title" | "video_url" | "source_url" | "hls_url">
  >("SELECT id, title, video_url, source_url, hls_url FROM videos WHERE id = ?");
  const list = (state: QueueState, limit: number, offset = 0) => ({
    state,
    jobs: lists[state]!.all({ limit, offset }).map(toJob),
  });

  return ({ view, concurrency, overviewSize = OVERVIEW_SIZE }: QueueRequest): QueuePage => {
    const { counts, secondsLeft } = totals(concurrency, view.state === "done");
    if (view.video !== undefined) {
      const row = find.get(view.video);
      const video = row
        ? {
            id: row.id,
            title: row.title,
            hasFile: row.video_url !== "" || row.source_url !== null,
            hasStream: row.hls_url !== null,
          }
        : null;
      const jobs = ofVideo.all({ video: view.video }).map(toJob);
      return { counts, secondsLeft, lists: [{ jobs }], page: 1, pageCount: 1, video };
    }
    if (!view.state) {
      const all = (["running", "failed", "waiting"] as const).map((each) =>
        list(each, overviewSize),
      );
      return { counts, secondsLeft, lists: all, page: 1, pageCount: 1 };
    }
    const pageCount = Math.max(1, Math.ceil((counts[view.state] ?? 0) / QUEUE_PAGE_SIZE));
    const page = Math.min(view.page, pageCount);
    const one = list(view.state, QUEUE_PAGE_SIZE, (page - 1) * QUEUE_PAGE_SIZE);
    return { counts, secondsLeft, lists: [one], page, pageCount };
  };
}

const TRIM_NOTE =
  "Creates the trimmed version. Until it is ready, the current version stays online.";

export function toJob(row: JobWithTitle): ListedJob {
  const { reason, finished_at, speed, seconds_left } = row;
  const position = row.priority < 0 ? "first" : row.priority >= PRIORITY_BAND ? "last" : undefined;
  const isOpen = row.state === "waiting" || row.state === "running";
  return {
    id: row.id,
    videoId: row.video_id,
    title: row.title,
    label: jobLabel(row.kind, row),
    ...(isOpen && row.cut_of !== null && { note: TRIM_NOTE }),
    state: row.state,
    progress: row.progress,
    attempts: row.attempts,
    ...(speed !== null && { speed }),
    ...(seconds_left !== null && { secondsLeft: seconds_left }),
    ...(reason !== null && { reason }),
    ...(finished_at !== null && { finishedAt: finished_at }),
    ...(isOpen && position && { position }),
    ...(row.state === "waiting" && row.is_behind_failed === 1 && { isBlocked: true }),
  };
}

/** The total number of recent jobs, across all kinds, from which the speed of each kind is computed. */
const MEASURED_JOBS = 400;
/** The number of queued jobs whose videos are read in order to estimate the total length. */
const VIDEOS_READ = 5_000;

/**
 * Computes the queue's counts and estimates its remaining time, which takes 0.1 s for hundreds of thousands of jobs.
 */
function queueTotals(sqlite: Database) {
  const waiting = sqlite.prepare<unknown[], { kind: JobKind; jobs: number }>(
    `SELECT kind, count(*) AS jobs FROM jobs INDEXED BY jobs_waiting
     WHERE state = 'waiting' AND kind <> 'cleanup' GROUP BY kind`,
  );
  const blocked = sqlite.prepare<unknown[], { kind: JobKind; jobs: number }>(
    `SELECT jobs.kind, count(*) AS jobs FROM jobs AS failed
     JOIN jobs ON jobs.video_id = failed.video_id AND jobs.state = 'waiting' AND jobs.kind <> 'cleanup'
     WHERE failed.state = 'failed' AND failed.kind = 'transcode' GROUP BY jobs.kind`,
  );
  const videos = sqlite.prepare<unknown[], { kind: JobKind; seconds: number }>(
    `SELECT read.kind, avg(seconds) AS seconds FROM (
       SELECT kind, video_id FROM jobs INDEXED BY jobs_unfinished
       WHERE state IN ('waiting', 'running') AND +state = 'waiting' AND kind <> 'cleanup'
       LIMIT ${VIDEOS_READ}) AS read
     JOIN videos ON videos.id = read.video_id WHERE seconds > 0 GROUP BY read.kind`,
  );
  const running = sqlite.prepare<
    unknown[],
    { kind: JobKind; progress: number; seconds_left: number | null; seconds: number }
  >(
    `SELECT kind, progress, seconds_left, coalesce(seconds, 0) AS seconds
     FROM jobs LEFT JOIN videos ON videos.id = video_id
     WHERE state = 'running' AND kind <> 'cleanup'`,
  );
  const finished = sqlite.prepare<unknown[], { kind: JobKind; speed: number }>(
    `SELECT kind, (julianday(done.finished_at) - julianday(done.started_at)) * 86400 / seconds AS speed
     FROM (SELECT id FROM jobs WHERE state = 'done' ORDER BY finished_at DESC LIMIT ${MEASURED_JOBS})
       AS last
     JOIN jobs AS done ON done.id = last.id JOIN videos ON videos.id = done.video_id
     WHERE seconds > 0 AND done.started_at IS NOT NULL AND done.finished_at >= done.started_at`,
  );
  const count = sqlite
    .prepare<unknown[], number>("SELECT count(*) FROM jobs WHERE state = ?")
    .pluck();

  return (concurrency: number, withDone: boolean) => {
    const runs = running.all();
    const waits = waiting.all();
    const remaining = remainingOf(waits, blocked.all(), videos.all());
    let runningSeconds = 0;
    for (const { kind, progress, seconds_left, seconds } of runs) {
      if (seconds_left !== null) runningSeconds += seconds_left;
      else remaining.push({ kind, ...(seconds > 0 && { videoSeconds: seconds * (1 - progress) }) });
    }
    const durations = new Map<JobKind, number[]>();
    for (const { kind, speed } of finished.all())
      durations.set(kind, [...(durations.get(kind) ?? []), speed]);
    const counts: QueuePage["counts"] = {
      running: count.get("running")!,
      waiting: waits.reduce((sum, { jobs }) => sum + jobs, 0),
      failed: count.get("failed")!,
      ...(withDone && { done: count.get("done")! }),
    };
    const secondsLeft = estimateSecondsLeft(remaining, durations, runningSeconds, concurrency);
    return { counts, secondsLeft };
  };
}

/** Returns the queued work by kind, excluding jobs that depend on a failed one. */
function remainingOf(
  waiting: readonly { kind: JobKind; jobs: number }[],
  blocked: readonly { kind: JobKind; jobs: number }[],
  videos: readonly { kind: JobKind; seconds: number }[],
): RemainingWork[] {
  return waiting.flatMap(({ kind, jobs }) => {
    const open = jobs - (blocked.find((each) => each.kind === kind)?.jobs ?? 0);
    const seconds = videos.find((each) => each.kind === kind)?.seconds;
    return open > 0 ? [{ kind, ...(seconds && { videoSeconds: open * seconds }) }] : [];
  });
}

/** The remaining work for one kind of job. */
interface RemainingWork {
  kind: JobKind;
  /** The number of seconds of video to process; undefined if no length is known. */
  videoSeconds?: number;
}

/**
 * Estimates how many seconds the queued and running jobs will take, based on recent jobs of the same kinds; null if one
 * of the kinds has never run.
 *
 * @param durations seconds of work per second of video, by kind; one value for each recently finished job.
 * @param runningSeconds the remaining seconds reported by the running jobs.
 * @param concurrency the number of jobs that run in parallel.
 */
function estimateSecondsLeft(
  remaining: readonly RemainingWork[],
  durations: ReadonlyMap<JobKind, readonly number[]>,
  runningSeconds: number,
  concurrency: number,
): number | null {
  let seconds = runningSeconds;
  for (const { kind, videoSeconds } of remaining) {
    const speeds = durations.get(kind) ?? [];
    if (speeds.length === 0 || videoSeconds === undefined) return null;
    seconds += videoSeconds * median(speeds);
  }
  return seconds / Math.max(1, concurrency);
}

/** Used instead of the mean, because a job that was suspended for an urgent one may appear to have taken hours. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
