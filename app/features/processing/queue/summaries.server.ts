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
import type { JobNow, JobSummary } from "./kinds";
import { pausedSince } from "./queue-state.server";

/** Behind everything else, perhaps for days; the row of a video is silent about it. */
const NOBODY_WAITS_FOR: readonly string[] = ["codecs", "fingerprint"];

/**
 * What is being made, waits or has failed for each of those videos; a video for which nothing is
 * left to make is missing. For the rows of the admin list.
 */
export function jobSummaries(videoIds: readonly string[]): Record<string, JobSummary> {
  const ids = "(SELECT value FROM json_each(@ids))";
  // A clean-up waits for hours by design, and makes nothing.
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
    else if (!NOBODY_WAITS_FOR.includes(row.kind)) {
      summary.waiting++;
      if (job.isBlocked) summary.isBlocked = true;
    }
  }
  return summaries;
}

/** Of each state. */
const MAX_LIST = 100;

/** The whole queue, as the API and the terminal show it. */
export async function queueView() {
  const request: QueueRequest = { view: { page: 1 }, atOnce: 1, few: MAX_LIST };
  const { lists, counts } = await queryThread<QueuePage>("studio", "queue", request);
  const of = (state: JobNow["state"]) => lists.find((list) => list.state === state)?.jobs ?? [];
  return {
    ...{ running: of("running"), waiting: of("waiting"), failed: of("failed") },
    waitingCount: counts.waiting ?? 0,
    /** Since when the queue is paused, ISO 8601 UTC; null while it works. */
    pausedSince: pausedSince(),
    /** The queue waits because the disk is nearly full. */
    diskFull: !(await hasFreeDiskSpace()),
  };
}
