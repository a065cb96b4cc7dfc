import type { Database } from "better-sqlite3";
import type { JobKind, JobState, VideoRow } from "~db/schema";
import { CUTTING, JOB_LABELS, type JobNow, TURN } from "../queue/kinds";
import { QUEUE_STATES, type QueueState, type QueueView } from "./queue-address";
import { queueTotals } from "./queue-totals.server";
import type { TimeLeft } from "./time-left";

const QUEUE_PAGE_SIZE = 50;
/** Of each state, where all of them are shown together. */
const FIRST_FEW = 20;

export interface QueuePage {
  /** How many there are; of those that are done only where they are listed. */
  counts: Partial<Record<QueueState, number>>;
  timeLeft: TimeLeft;
  lists: { state?: QueueState; jobs: JobNow[] }[];
  page: number;
  pageCount: number;
  /** Of the address; null when it is not there. */
  video?: { id: string; title: string; hasFile: boolean; hasStream: boolean } | null;
}

interface Row {
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
  /** Of another file that is a cut. */
  cut_of: string | null;
  title: string;
  is_other_file: 0 | 1;
  is_behind_failed: 0 | 1;
}

// By themselves SQLite would choose the state's index for each, and sort all that waits.
const LISTED: Record<QueueState, string> = {
  running: "jobs WHERE state = 'running' ORDER BY priority, started_at, id",
  // A clean-up waits for hours by design, and makes nothing.
  waiting: `jobs INDEXED BY jobs_unfinished
    WHERE state IN ('waiting', 'running') AND +state = 'waiting' AND kind <> 'cleanup'
    ORDER BY priority, created_at, id`,
  failed: "jobs WHERE state = 'failed' ORDER BY finished_at DESC, id DESC",
  done: "jobs WHERE state = 'done' ORDER BY finished_at DESC, id DESC",
};

// A job names a video, or another file of one.
const columnsOf = (from: string, order: string) => `
  SELECT jobs.*, videos.id AS video_id, title, file.id IS NOT NULL AS is_other_file, file.cut_of,
    EXISTS (
    SELECT 1 FROM jobs AS first WHERE first.video_id = jobs.video_id
      AND first.kind = 'transcode' AND first.state = 'failed') AS is_behind_failed
  FROM (${from}) AS listed JOIN jobs ON jobs.id = listed.id
    LEFT JOIN video_files AS file ON file.id = jobs.video_id
    JOIN videos ON videos.id = coalesce(file.video_id, jobs.video_id)
  ORDER BY ${order}`;

const ORDERS: Record<QueueState, string> = {
  running: "jobs.priority, jobs.started_at, jobs.id",
  waiting: "jobs.priority, jobs.created_at, jobs.id",
  failed: "jobs.finished_at DESC, jobs.id DESC",
  done: "jobs.finished_at DESC, jobs.id DESC",
};

/** The page of a view. Runs on the thread of the studio, since a long queue takes a while to count. */
export function readQueuePage(sqlite: Database) {
  const totals = queueTotals(sqlite);
  const select = (state: QueueState) =>
    sqlite.prepare<unknown[], Row>(
      columnsOf(`SELECT id FROM ${LISTED[state]} LIMIT @limit OFFSET @offset`, ORDERS[state]),
    );
  const lists = Object.fromEntries(QUEUE_STATES.map((state) => [state, select(state)]));
  const ofVideo = sqlite.prepare<unknown[], Row>(
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

  return ({ view, atOnce }: { view: QueueView; atOnce: number }): QueuePage => {
    const { counts, timeLeft } = totals(atOnce, view.state === "done");
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
      return { counts, timeLeft, lists: [{ jobs }], page: 1, pageCount: 1, video };
    }
    if (!view.state) {
      const all = (["running", "failed", "waiting"] as const).map((each) => list(each, FIRST_FEW));
      return { counts, timeLeft, lists: all, page: 1, pageCount: 1 };
    }
    const pageCount = Math.max(1, Math.ceil((counts[view.state] ?? 0) / QUEUE_PAGE_SIZE));
    const page = Math.min(view.page, pageCount);
    const one = list(view.state, QUEUE_PAGE_SIZE, (page - 1) * QUEUE_PAGE_SIZE);
    return { counts, timeLeft, lists: [one], page, pageCount };
  };
}

const NEW_CUT =
  "A part of the film is made a file of its own; the video plays as it is until then.";

function labelOf({ kind, is_other_file, cut_of }: Row): string {
  if (!is_other_file) return JOB_LABELS[kind];
  if (cut_of === null) return `${JOB_LABELS[kind]} of the new file`;
  return kind === "transcode" ? CUTTING : `${JOB_LABELS[kind]} of the new cut`;
}

function toJob(row: Row): JobNow {
  const { reason, finished_at, speed, seconds_left } = row;
  const turn = row.priority < 0 ? "first" : row.priority >= TURN ? "last" : undefined;
  const isOpen = row.state === "waiting" || row.state === "running";
  return {
    id: row.id,
    videoId: row.video_id,
    title: row.title,
    label: labelOf(row),
    ...(isOpen && row.cut_of !== null && { note: NEW_CUT }),
    state: row.state,
    progress: row.progress,
    attempts: row.attempts,
    ...(speed !== null && { speed }),
    ...(seconds_left !== null && { secondsLeft: seconds_left }),
    ...(reason !== null && { reason }),
    ...(finished_at !== null && { finishedAt: finished_at }),
    ...(isOpen && turn && { turn }),
    ...(row.state === "waiting" && row.is_behind_failed === 1 && { isBlocked: true }),
  };
}
