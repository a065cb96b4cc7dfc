import type { Database } from "better-sqlite3";
import type { JobKind } from "~db/schema";
import type { AlertKind } from "~db/schema/operations";

/** The metrics that are read from the database. */
export interface LibraryMetrics {
  /** Completed jobs aren't included: they are the vast majority of all jobs but of no interest. */
  jobs: { kind: JobKind; state: "waiting" | "running" | "failed"; jobs: number }[];
  isPaused: boolean;
  alerts: { kind: AlertKind; alerts: number }[];
  /** The number of open reports, and the number of overdue reports among them. */
  reports: { open: number; overdue: number };
  /** The time at which the last verified backup started (ISO 8601, UTC); null if there is none. */
  lastVerifiedAt: string | null;
}

/** Returns the metrics. Runs in a worker thread, because there may be hundreds of thousands of jobs. */
export function readLibraryMetrics(sqlite: Database) {
  const waiting = sqlite.prepare(
    `SELECT kind, 'waiting' AS state, count(*) AS jobs FROM jobs INDEXED BY jobs_waiting
     WHERE state = 'waiting' GROUP BY kind`,
  );
  const others = sqlite.prepare(
    `SELECT kind, state, count(*) AS jobs FROM jobs INDEXED BY jobs_by_state
     WHERE state IN ('running', 'failed') GROUP BY kind, state`,
  );
  const paused = sqlite.prepare("SELECT paused_at IS NOT NULL FROM queue_state").pluck();
  const alerts = sqlite.prepare<unknown[], LibraryMetrics["alerts"][number]>(
    "SELECT kind, count(*) AS alerts FROM alerts WHERE resolved_at IS NULL GROUP BY kind",
  );
  const reports = sqlite.prepare<unknown[], LibraryMetrics["reports"]>(
    `SELECT count(*) AS open, coalesce(sum(due_at <= @now), 0) AS overdue
     FROM reports INDEXED BY reports_by_state WHERE state = 'open'`,
  );
  const lastVerified = sqlite
    .prepare<unknown[], string | null>("SELECT max(started_at) FROM backups WHERE state = 'done'")
    .pluck();
  return (): LibraryMetrics => ({
    jobs: [...waiting.all(), ...others.all()] as LibraryMetrics["jobs"],
    isPaused: paused.get() === 1,
    alerts: alerts.all(),
    reports: reports.get({ now: new Date().toISOString() })!,
    lastVerifiedAt: lastVerified.get()!,
  });
}
