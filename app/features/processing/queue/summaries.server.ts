import { hasFreeDiskSpace } from "~/media/files/disk.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { database } from "~db/client.server";
import type { JobKind } from "~db/schema";
import { type JobNow, type JobSummary, jobLabel, type QueueView } from "./kinds";
import { pausedSince } from "./queue-state.server";

/** Behind everything else, perhaps for days; the row of a video is silent about it. */
const NOBODY_WAITS_FOR: ReadonlySet<string> = new Set<JobKind>(["codecs", "fingerprint"]);

/** Rows of a list on the queue page. */
const LIST_MOST = 100;

const COLUMNS = [
  "jobs.id",
  "jobs.kind",
  "jobs.state",
  "jobs.progress",
  "jobs.speed",
  "jobs.seconds_left",
  "jobs.reason",
  "jobs.attempts",
] as const;

const unfinished = () =>
  database()
    .selectFrom("jobs")
    // Of a file that is to become a video's, or of the video itself.
    .leftJoin("video_files", "video_files.id", "jobs.video_id")
    .innerJoin("videos", (join) =>
      join.on((e) => e("videos.id", "=", e.fn.coalesce("video_files.video_id", "jobs.video_id"))),
    )
    .select([
      ...COLUMNS,
      "videos.title",
      "videos.id as owner",
      "video_files.id as file",
      "video_files.cut_of",
    ])
    .select((e) =>
      e
        .exists(
          e
            .selectFrom("jobs as first")
            .select("first.id")
            .whereRef("first.video_id", "=", "jobs.video_id")
            .where("first.kind", "=", "transcode")
            .where("first.state", "=", "failed"),
        )
        .$castTo<number>()
        .as("is_behind_failed"),
    )
    .where("jobs.state", "!=", "done")
    // It waits for hours by design, and makes nothing.
    .where((e) => e.or([e("jobs.kind", "!=", "cleanup"), e("jobs.state", "=", "failed")]));

type Row = Awaited<ReturnType<ReturnType<typeof unfinished>["execute"]>>[number];

function toJob(row: Row): JobNow {
  return {
    id: row.id,
    videoId: row.owner,
    title: row.title,
    label: jobLabel(row.kind, row),
    state: row.state as JobNow["state"],
    progress: row.progress,
    ...(row.speed !== null && { speed: row.speed }),
    ...(row.seconds_left !== null && { secondsLeft: row.seconds_left }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(isBlocked(row) && { isBlocked: true }),
    attempts: row.attempts,
  };
}

/** Of a video without a playable file nothing else is made, see `claim`. */
function isBlocked({ state, is_behind_failed }: Row): boolean {
  return state === "waiting" && is_behind_failed === 1;
}

/**
 * What is being made, waits or has failed for each of those videos; a video for which nothing is
 * left to make is missing. For the rows of the admin list.
 */
export async function jobSummaries(
  videoIds: readonly string[],
): Promise<Record<string, JobSummary>> {
  if (videoIds.length === 0) return {};
  const rows = await unfinished()
    .where((e) =>
      e.or([
        e("jobs.video_id", "in", [...videoIds]),
        e(
          "jobs.video_id",
          "in",
          e
            .selectFrom("video_files as other")
            .select("other.id")
            .where("other.video_id", "in", [...videoIds]),
        ),
      ]),
    )
    .orderBy("jobs.priority")
    .execute();
  const summaries: Record<string, JobSummary> = {};
  for (const row of rows) {
    summaries[row.owner] ??= { waiting: 0, failed: [] };
    const summary = summaries[row.owner]!;
    if (row.state === "running") summary.running ??= toJob(row);
    else if (row.state === "failed") summary.failed.push(toJob(row));
    else if (!NOBODY_WAITS_FOR.has(row.kind)) {
      summary.waiting++;
      if (isBlocked(row)) summary.isBlocked = true;
    }
  }
  return summaries;
}

/** The whole queue, as its page and the terminal show it. */
export async function queueView(): Promise<QueueView> {
  const list = (state: JobNow["state"]) =>
    unfinished()
      .where("jobs.state", "=", state)
      .orderBy("jobs.priority")
      .orderBy("jobs.created_at")
      .orderBy("jobs.id")
      .limit(LIST_MOST)
      .execute();
  const [running, waiting, failed] = await Promise.all([
    list("running"),
    list("waiting"),
    list("failed"),
  ]);
  const { count } = await unfinished()
    .where("jobs.state", "=", "waiting")
    .clearSelect()
    .select((e) => e.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return {
    running: running.map(toJob),
    waiting: waiting.map(toJob),
    waitingCount: count,
    failed: failed.map(toJob),
    pausedSince: pausedSince(),
    diskFull: !(await hasFreeDiskSpace()),
    ffmpeg: ffmpegAvailable(),
  };
}
