import { settings } from "~/platform/settings.server";
import { eventLoopTurns } from "~/shared/event-loop";
import { prepared } from "~db/client.server";
import type { ReportDecision, ReportKind, ReportState } from "~db/schema/moderation";
import { openReport } from "./report-box.server";
import { countMessages, type Report } from "./report-records.server";

/** Opened without others having their turn in between: some 0.1 ms. */
const OPENED_AT_ONCE = 10;
const MOST_OTHERS = 50;

/** Another report that somebody sent; times are ISO 8601 UTC. */
export interface OwnReport {
  id: string;
  kind: ReportKind;
  state: ReportState;
  decision: ReportDecision | null;
  receivedAt: string;
}

/** All that is kept of who sent a report, beside what is decided about the video. */
export interface KeptOfReporter {
  /** When the texts are deleted automatically, ISO 8601 UTC; null while the report isn't closed. */
  until: string | null;
  /** Messages that the reporter wrote. */
  messages: number;
  /** Mails that wait to be sent. */
  mails: number;
  /** Whether other reports can be told to be theirs: by their e-mail address. */
  hasAddress: boolean;
  /** Other reports with that address, the newest first, 50 at most; undefined unless they were asked for. */
  others?: OwnReport[];
}

/** @param withOthers to open every report that is kept, which takes a second for a hundred thousand. */
export async function keptOfReporter(report: Report, withOthers: boolean): Promise<KeptOfReporter> {
  const { id, closedAt } = report;
  const address = addressIn(report.box);
  const kept = closedAt && Date.parse(closedAt) + settings().reportKeepMs;
  return {
    until: kept ? new Date(kept).toISOString() : null,
    messages: countMessages(id, "reporter"),
    mails: prepared("SELECT count(*) FROM outbox WHERE report_id = ?").pluck().get(id) as number,
    hasAddress: address !== "",
    ...(withOthers && address && { others: await othersOf(id, address) }),
  };
}

function addressIn(box: Report["box"]): string {
  return box && typeof box !== "string" ? box.email.trim().toLowerCase() : "";
}

/** The texts are encrypted one by one, so only opening them tells whose they are. */
async function othersOf(id: string, address: string): Promise<OwnReport[]> {
  const next = prepared(
    `SELECT rowid AS at, id, kind, state, decision, received_at AS receivedAt, box FROM reports
     WHERE rowid < ? AND erased_at IS NULL ORDER BY rowid DESC LIMIT ${OPENED_AT_ONCE}`,
  );
  const turn = eventLoopTurns();
  const others: OwnReport[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = next.all(before) as (OwnReport & { at: number; box: string })[];
    for (const { at, box, ...other } of rows) {
      before = at;
      if (other.id === id || addressIn(openReport(box)) !== address) continue;
      others.push(other);
    }
    if (rows.length === 0 || others.length >= MOST_OTHERS) return others.slice(0, MOST_OTHERS);
    await turn();
  }
}
