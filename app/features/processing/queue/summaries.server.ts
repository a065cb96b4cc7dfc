import { hasFreeDiskSpace } from "~/media/files/disk.server";
import { prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import {
  columnsOf,
  type JobWithTitle,
  type QueuePage,
  type QueueRequest,
  toJob,
} from "../screens/queue-page.server";
import type { JobSummary, ListedJob } from "./kinds";
import { pausedSince } from "./queue-state.server";

/** The kinds of jobs that aren't mentioned in a video's row, because they may be queued for days. */
const BACKGROUND_KINDS: readonly string[] = ["codecs", "fingerprint"];

/**
 * Returns the unfinished and failed jobs of some videos, for the rows of the admin list. Omits videos that have none.
 */
export function jobSummaries(videoIds: readonly string[]): Record<string, JobSummary> {
  const ids = "(SELECT value FROM json_each(@ids))";
  // Cleanup jobs are omitted, because they wait for hours by design and don't create anything.
  const unfinished = `SELECT id FROM jobs
    WHERE state <> 'done' AND (kind <> 'cleanup' OR state = 'failed')
      AND (video_id IN ${ids} OR video_id IN (SELECT id FROM video_files WHERE video_id IN ${ids}))`;
  const rows = prepared<JobWithTitle>(columnsOf(unfinished, "jobs.priority")).all({
    ids: JSON.stringify(videoIds),
  });
  const summaries: Record<string, JobSummary> = {};
  for (const row of rows) {
    summaries[row.video_id] ??= { waiting: 0, failed: [] };
    const summary = summaries[row.video_id]!;
    const job = toJob(row);
    if (row.state === "running") summary.running ??= job;
    else if (row.state === "failed") summary.failed.push(job);
    else if (!BACKGROUND_KINDS.includes(row.kind)) {
      summary.waiting++;
      if (job.isBlocked) summary.isBlocked = true;
    }
  }
  return summaries;
}

/** The maximum number of jobs listed per state. */
const MAX_LIST = 100;

/** Returns the whole queue, for the API and `npm run jobs`. */
export async function queueView() {
  const request: QueueRequest = { view: { page: 1 }, concurrency: 1, overviewSize: MAX_LIST };
  const { lists, counts } = await queryThread<QueuePage>("studio", "queue", request);
  const of = (state: ListedJob["state"]) => lists.find((list) => list.state === state)?.jobs ?? [];
  return {
    ...{ running: of("running"), waiting: of("waiting"), failed: of("failed") },
    waitingCount: counts.waiting ?? 0,
    /** The time at which the queue was paused (ISO 8601, UTC); null if it isn't paused. */
    pausedSince: pausedSince(),
    /** Whether the queue is on hold because the disk is almost full. */
    diskFull: !(await hasFreeDiskSpace()),
  };
}
