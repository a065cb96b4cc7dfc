import type { Database } from "better-sqlite3";
import type { ReportKind } from "~db/schema/moderation";

/** The report figures for one quarter. They contain no names, videos or text. */
export interface Period {
  /** The quarter, such as `2026-Q4` (UTC), in which the reports were received and the log entries were written. */
  period: string;
  received: Partial<Record<ReportKind, number>>;
  /** The number of received reports for which no decision has been made yet. */
  open: number;
  kept: number;
  removed: number;
  restored: number;
  withdrawn: number;
  /** The median time to a moderator's decision; null if there are no decisions. */
  medianHours: number | null;
  /**
   * The counts from the moderation log. `videosHiddenAtOnce` counts videos that the site hid before a moderator's
   * review.
   */
  videosHiddenAtOnce: number;
  videosHidden: number;
  videosRemoved: number;
  videosReinstated: number;
}

const QUARTER = (time: string) =>
  `substr(${time}, 1, 4) || '-Q' || ((CAST(substr(${time}, 6, 2) AS INTEGER) + 2) / 3)`;
const DECISION_FIGURES = {
  keep: "kept",
  remove: "removed",
  restore: "restored",
  withdrawn: "withdrawn",
} as const;
const LOG_FIGURES = {
  "hide-at-once": "videosHiddenAtOnce",
  hide: "videosHidden",
  remove: "videosRemoved",
  restore: "videosReinstated",
} as const;

/**
 * Returns the task for the query thread. The task reads every report, so it must not run in the thread that serves
 * requests.
 */
export function countTransparency(sqlite: Database): () => Period[] {
  return () => countPeriods(sqlite);
}

function countPeriods(sqlite: Database): Period[] {
  const periods = new Map<string, Period>();
  const at = (period: string) => {
    const found = periods.get(period) ?? emptyPeriod(period);
    periods.set(period, found);
    return found;
  };
  const reports = sqlite
    .prepare<
      unknown[],
      {
        period: string;
        kind: ReportKind;
        state: string;
        decision: string;
        count: number;
      }
    >(
      `SELECT ${QUARTER("received_at")} AS period, kind, state, decision, count(*) AS count
       FROM reports GROUP BY 1, 2, 3, 4`,
    )
    .all();
  for (const { period, kind, state, decision, count } of reports) {
    const sum = at(period);
    sum.received[kind] = (sum.received[kind] ?? 0) + count;
    if (state !== "closed") sum.open += count;
    else if (decision in DECISION_FIGURES)
      sum[DECISION_FIGURES[decision as keyof typeof DECISION_FIGURES]] += count;
  }
  const medians = sqlite
    .prepare<unknown[], { period: string; hours: number }>(
      `SELECT period, hours FROM (
         SELECT *, row_number() OVER (PARTITION BY period ORDER BY hours) AS place,
           count(*) OVER (PARTITION BY period) AS reports
         FROM (SELECT ${QUARTER("received_at")} AS period,
             (julianday(closed_at) - julianday(received_at)) * 24 AS hours
           FROM reports WHERE state = 'closed' AND decision <> 'withdrawn'))
       WHERE place = (reports + 1) / 2`,
    )
    .all();
  for (const { period, hours } of medians) at(period).medianHours = Math.round(hours * 10) / 10;
  const log = sqlite
    .prepare<
      unknown[],
      {
        period: string;
        action: keyof typeof LOG_FIGURES;
        count: number;
      }
    >(
      `SELECT ${QUARTER("at")} AS period, action, count(*) AS count FROM moderation_log
       WHERE video_id IS NOT NULL AND action IN (SELECT value FROM json_each(?)) GROUP BY 1, 2`,
    )
    .all(JSON.stringify(Object.keys(LOG_FIGURES)));
  for (const { period, action, count } of log) at(period)[LOG_FIGURES[action]] += count;
  return [...periods.values()].sort((one, other) => (one.period < other.period ? 1 : -1));
}

function emptyPeriod(period: string): Period {
  return {
    ...{ period, received: {}, open: 0 },
    ...{ kept: 0, removed: 0, restored: 0, withdrawn: 0, medianHours: null },
    ...{ videosHiddenAtOnce: 0, videosHidden: 0, videosRemoved: 0, videosReinstated: 0 },
  };
}
