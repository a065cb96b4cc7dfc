import { releaseHold } from "~/features/visibility/holds.server";
import { partsOf } from "~/shared/event-loop";
import { prepared, transaction } from "~db/client.server";
import { every } from "~db/runtime.server";
import type { JobKind, JobState, VideoStatus } from "~db/schema";
import { createWriteYielder } from "~db/threads/checkpoint.server";
import { parseReason } from "../queue/failure-reasons";
import { onJobsChanged } from "../queue/queue-state.server";

const EVERY_MS = 10_000;
/** The number of holds released per transaction. */
const BATCH_SIZE = 32;
/**
 * The number of rows per query. Kept small, so that other code can run between queries: tens of thousands of videos may
 * be waiting after an import.
 */
const HOLD_BATCH_SIZE = 1_000;

/**
 * Starts releasing videos that have been compared with the block list. This happens after each job, and at startup for
 * videos that were compared before the process was killed. When a video that resembles a blocked one is released, it
 * already has another hold, which was added in the transaction that ended the job.
 */
export function startReleasingCompared(): void {
  const releases = every(EVERY_MS, "release compared videos", releaseCompared, { firstMs: 0 });
  onJobsChanged((change) => {
    if (change === "work") releases.run();
  });
}

/**
 * Releases the comparison holds of videos that have been compared.
 *
 * @returns the number of released videos.
 */
export async function releaseCompared(): Promise<number> {
  const yieldIfDue = createWriteYielder();
  let released = 0;
  for (let after = ""; ; ) {
    // This condition is needed to match the partial index.
    const holds = prepared<{ videoId: string; isCompared: 0 | 1 }>(
      `SELECT video_id AS videoId, EXISTS (SELECT 1 FROM jobs
         WHERE jobs.video_id = video_holds.video_id AND kind = 'fingerprint' AND state = 'done') AS isCompared
       FROM video_holds INDEXED BY video_holds_comparing
       WHERE reason = 'comparing' AND video_id > ? ORDER BY video_id LIMIT ${HOLD_BATCH_SIZE}`,
    ).all(after);
    const compared = holds.filter(({ isCompared }) => isCompared);
    for (const batch of partsOf(compared, BATCH_SIZE)) {
      released += await transaction(
        () => batch.filter(({ videoId }) => releaseHold({ videoId, reason: "comparing" })).length,
      );
      await yieldIfDue();
    }
    if (holds.length < HOLD_BATCH_SIZE) return released;
    after = holds.at(-1)!.videoId;
    await yieldIfDue();
  }
}

/** The state of a video that is on hold until it has been compared with the block list. */
export interface Uncompared {
  /** Whether the video becomes public once all of its holds have been released. */
  isToBePublic: boolean;
  /** The reason why the video won't be compared automatically; undefined while a job is waiting or running. */
  failure?: ComparisonFailure;
}

/** The reason why a comparison has failed permanently, and what to do about it, in one sentence each. */
export interface ComparisonFailure {
  why: string;
  advice: string;
}

/** Returns undefined for a video that isn't on hold for a comparison. */
export function uncomparedOf(videoId: string): Uncompared | undefined {
  const status = prepared<VideoStatus>(
    `SELECT status FROM video_holds JOIN videos ON videos.id = video_id
     WHERE video_id = ? AND reason = 'comparing'`,
  )
    .pluck()
    .get(videoId);
  if (status === undefined) return undefined;
  const failure = comparisonFailures([videoId]).get(videoId);
  return { isToBePublic: status === "published", ...(failure && { failure }) };
}

/** The jobs on which a comparison depends. */
const JOBS_OF_COMPARISON = ["transcode", "storyboard", "fingerprint"] as const satisfies JobKind[];
const NO_JOB: ComparisonFailure = {
  why: "No duplicate check is queued for this video.",
  advice: "Run the comparison again.",
};

interface ComparisonJob {
  id: number;
  kind: (typeof JOBS_OF_COMPARISON)[number];
  state: JobState;
  reason: string | null;
}

/** Returns a video's jobs on which its comparison depends. */
export function jobsOfComparison(videoId: string): ComparisonJob[] {
  return prepared<ComparisonJob>(
    `SELECT id, kind, state, reason FROM jobs
     WHERE video_id = ? AND kind IN (SELECT value FROM json_each(?))`,
  ).all(videoId, JSON.stringify(JOBS_OF_COMPARISON));
}

/** Returns the reasons why the comparisons of videos have failed permanently, by video id. */
export function comparisonFailures(videoIds: readonly string[]): Map<string, ComparisonFailure> {
  const waiting = prepared<string>(
    `SELECT video_id FROM video_holds
     WHERE video_id IN (SELECT value FROM json_each(?)) AND reason = 'comparing'`,
  )
    .pluck()
    .all(JSON.stringify(videoIds));
  const failures = new Map<string, ComparisonFailure>();
  for (const videoId of waiting) {
    const failure = failureIn(jobsOfComparison(videoId));
    if (failure) failures.set(videoId, failure);
  }
  return failures;
}

function failureIn(jobs: readonly ComparisonJob[]): ComparisonFailure | undefined {
  const of = (kind: ComparisonJob["kind"]) => jobs.find((job) => job.kind === kind);
  // The storyboard job enqueues the comparison. If it fails before doing so, that counts as a failure of the
  // comparison.
  const last = of("fingerprint") ?? of("storyboard");
  const failed = [of("transcode"), last].find((job) => job?.state === "failed");
  if (failed) return parseReason(failed.reason ?? "The job failed for an unknown reason.");
  const isUnderWay = last?.state === "waiting" || last?.state === "running";
  return isUnderWay || of("fingerprint") ? undefined : NO_JOB;
}

/** The number of waiting videos to check when building a list. Checking them takes a few milliseconds. */
const MAX_QUEUED = 1_000;

/** Returns the videos that are on hold because their comparison has failed permanently. */
export function failedComparisons(most: number): { id: string; title: string; why: string }[] {
  const waiting = prepared<{ id: string; title: string }>(
    `SELECT videos.id, title FROM
       (SELECT video_id FROM video_holds INDEXED BY video_holds_comparing
        WHERE reason = 'comparing' LIMIT ${MAX_QUEUED})
     JOIN videos ON videos.id = video_id`,
  ).all();
  const failures = comparisonFailures(waiting.map(({ id }) => id));
  return waiting
    .flatMap((video) => {
      const failure = failures.get(video.id);
      return failure ? [{ ...video, why: failure.why }] : [];
    })
    .slice(0, most);
}
