import type { Database } from "better-sqlite3";
import type { JobKind } from "~db/schema";
import type { QueueState } from "./queue-address";
import { type LeftOfKind, type TimeLeft, timeLeft } from "./time-left";

/** Jobs that the speed of each kind is read from, all kinds together. */
const MEASURED_JOBS = 400;
/** Of more waiting jobs than this, the length of their films is estimated from so many. */
const FILMS_READ = 5_000;
/** Counting hundreds of thousands takes 0.1 s; what took so long is counted again after 50 times that. */
const SLOW_MS = 20;
const REST = 50;

interface Totals {
  counts: Partial<Record<QueueState, number>>;
  timeLeft: TimeLeft;
}

/** Makes what counts the queue, and says how long it takes; `atOnce` jobs are made beside each other. */
export function queueTotals(sqlite: Database) {
  const waiting = sqlite.prepare<unknown[], { kind: JobKind; jobs: number }>(
    `SELECT kind, count(*) AS jobs FROM jobs INDEXED BY jobs_waiting
     WHERE state = 'waiting' AND kind <> 'cleanup' GROUP BY kind`,
  );
  const blocked = sqlite.prepare<unknown[], { kind: JobKind; jobs: number }>(
    `SELECT jobs.kind, count(*) AS jobs FROM jobs AS failed
     JOIN jobs ON jobs.video_id = failed.video_id AND jobs.state = 'waiting' AND jobs.kind <> 'cleanup'
     WHERE failed.state = 'failed' AND failed.kind = 'transcode' GROUP BY jobs.kind`,
  );
  const films = sqlite.prepare<unknown[], { kind: JobKind; seconds: number }>(
    `SELECT read.kind, avg(seconds) AS seconds FROM (
       SELECT kind, video_id FROM jobs INDEXED BY jobs_unfinished
       WHERE state IN ('waiting', 'running') AND +state = 'waiting' AND kind <> 'cleanup'
       LIMIT ${FILMS_READ}) AS read
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
  const count = sqlite.prepare("SELECT count(*) FROM jobs WHERE state = ?").pluck();

  function read(atOnce: number): Totals {
    const runs = running.all();
    const waits = waiting.all();
    const left = leftOf(waits, blocked.all(), films.all());
    let runningSeconds = 0;
    for (const { kind, progress, seconds_left, seconds } of runs) {
      if (seconds_left !== null) runningSeconds += seconds_left;
      else left.push({ kind, ...(seconds > 0 && { filmSeconds: seconds * (1 - progress) }) });
    }
    const took = new Map<JobKind, number[]>();
    for (const { kind, speed } of finished.all())
      took.set(kind, [...(took.get(kind) ?? []), speed]);
    const counts = {
      running: count.get("running") as number,
      waiting: waits.reduce((sum, { jobs }) => sum + jobs, 0),
      failed: count.get("failed") as number,
    };
    return { counts, timeLeft: timeLeft(left, took, runningSeconds, atOnce) };
  }

  const seldom = whenRested(read);
  const countDone = whenRested(() => count.get("done") as number);
  return (atOnce: number, withDone: boolean): Totals => {
    const totals = seldom(atOnce);
    if (!withDone) return totals;
    return { ...totals, counts: { ...totals.counts, done: countDone(0) } };
  };
}

/** What a failed job keeps from being made is not waited for. */
function leftOf(
  waiting: readonly { kind: JobKind; jobs: number }[],
  blocked: readonly { kind: JobKind; jobs: number }[],
  films: readonly { kind: JobKind; seconds: number }[],
): LeftOfKind[] {
  return waiting.flatMap(({ kind, jobs }) => {
    const open = jobs - (blocked.find((each) => each.kind === kind)?.jobs ?? 0);
    const seconds = films.find((each) => each.kind === kind)?.seconds;
    return open > 0 ? [{ kind, ...(seconds && { filmSeconds: open * seconds }) }] : [];
  });
}

/** A slow answer is given again for a while; of a short queue each is read anew. */
function whenRested<Answer>(read: (atOnce: number) => Answer): (atOnce: number) => Answer {
  let answer: Answer;
  let goodUntil = Number.NEGATIVE_INFINITY;
  return (atOnce) => {
    const began = performance.now();
    if (began < goodUntil) return answer;
    answer = read(atOnce);
    const ended = performance.now();
    goodUntil = ended - began > SLOW_MS ? ended + (ended - began) * REST : Number.NEGATIVE_INFINITY;
    return answer;
  };
}
