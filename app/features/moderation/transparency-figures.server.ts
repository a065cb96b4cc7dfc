import type { Database } from "better-sqlite3";
import type { ReportKind } from "~db/schema/moderation";

/** What became of the reports of a quarter of a year. No names, no videos, no texts. */
export interface Period {
  /** Such as 2026-Q4, by when reports were received and decisions were made; UTC. */
  period: string;
  received: Partial<Record<ReportKind, number>>;
  /** Of those that were received then, still to be decided. */
  open: number;
  kept: number;
  removed: number;
  restored: number;
  withdrawn: number;
  /** Half of those that moderators decided took at most so long; null while none is. */
  medianHours: number | null;
  /** Of the log: videos hidden at once by the site, and by moderators, removed and reinstated. */
  videosHiddenAtOnce: number;
  videosHidden: number;
  videosRemoved: number;
  videosReinstated: number;
}

const QUARTER = (time: string) =>
  `substr(${time}, 1, 4) || '-Q' || ((CAST(substr(${time}, 6, 2) AS INTEGER) + 2) / 3)`;
const DECIDED = {
  keep: "kept",
  remove: "removed",
  restore: "restored",
  withdrawn: "withdrawn",
} as const;
const OF_LOG = {
  "hide-at-once": "videosHiddenAtOnce",
  hide: "videosHidden",
  remove: "videosRemoved",
  restore: "videosReinstated",
} as const;

/** Counts on a thread, since it reads every report. */
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
    else if (decision in DECIDED) sum[DECIDED[decision as keyof typeof DECIDED]] += count;
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
        action: keyof typeof OF_LOG;
        count: number;
      }
    >(
      `SELECT ${QUARTER("at")} AS period, action, count(*) AS count FROM moderation_log
       WHERE video_id IS NOT NULL AND action IN (SELECT value FROM json_each(?)) GROUP BY 1, 2`,
    )
    .all(JSON.stringify(Object.keys(OF_LOG)));
  for (const { period, action, count } of log) at(period)[OF_LOG[action]] += count;
  return [...periods.values()].sort((one, other) => (one.period < other.period ? 1 : -1));
}

function emptyPeriod(period: string): Period {
  return {
    ...{ period, received: {}, open: 0 },
    ...{ kept: 0, removed: 0, restored: 0, withdrawn: 0, medianHours: null },
    ...{ videosHiddenAtOnce: 0, videosHidden: 0, videosRemoved: 0, videosReinstated: 0 },
  };
}
