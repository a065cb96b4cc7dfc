import { settings } from "~/server/settings.server";
import { formatQuantity } from "~/shared/format";
import { countUnhidden } from "~/trust/reports/report-videos.server";
import { database, prepared } from "~db/client.server";
import type { AlertKind } from "~db/schema/alerts";
import { openAlerts, raiseAlert, resolveAlert } from "./alert-records.server";

const HOUR_MS = 3_600_000;
/** A quarter of the 48 hours that the urgent kinds have. */
const DUE_SOON_HOURS = 12;
const COUNTED = 1_000;
/** A flood of reports is told together, so often at most. */
const EVERY_MS = 15 * 60_000;

/** Reports that wait for a moderator, by their deadlines, ISO 8601 UTC. */
interface Waiting {
  kind: AlertKind;
  /** A condition of SQL besides the deadline. */
  where: string;
  /** Deadlines up to this; all, where there is none. */
  upTo?: string;
  /** Deadlines after this alone. */
  after?: string;
  sentence(reports: string, isOne: boolean, first: string): string;
}

/**
 * Tells of reports that can't wait: of an urgent kind, due within 12 hours, overdue. An alert is about
 * those with a later deadline than those of the alert before it, and over once none of them waits. It
 * says nothing of who reported what.
 */
export async function checkReports(now: number): Promise<void> {
  const at = new Date(now).toISOString();
  const soon = new Date(now + DUE_SOON_HOURS * HOUR_MS).toISOString();
  await follow(now, {
    kind: "reports-urgent",
    where: "kind IN ('consent', 'under-age')",
    sentence: (reports, isOne, first) =>
      `${reports} of what is shown without consent or under age ${isOne ? "waits" : "wait"} to be decided, by ${first} at the latest.`,
  });
  await follow(now, {
    kind: "reports-due",
    where: "true",
    after: at,
    upTo: soon,
    sentence: (reports, isOne, first) =>
      `${reports} ${isOne ? "has" : "have"} to be decided within ${DUE_SOON_HOURS} hours, the first by ${first}.`,
  });
  await follow(now, {
    kind: "reports-overdue",
    where: "true",
    upTo: at,
    sentence: (reports, isOne, first) =>
      `${reports} ${isOne ? "is" : "are"} overdue, the first since ${first}.`,
  });
  await checkUnhidden(now);
}

/** Tells of public videos that an urgent report would have hidden but for REPORT_HIDE_LIMIT. */
async function checkUnhidden(now: number): Promise<void> {
  const kind = "reports-limit";
  const videos = settings().reportHide ? countUnhidden(COUNTED) : 0;
  const open = await openAlerts(kind);
  if (videos === 0) for (const alert of open) await resolveAlert(alert, now);
  if (videos === 0 || open.length > 0) return;
  const quantity = videos < COUNTED ? formatQuantity(videos, "video") : "1,000 videos or more";
  const sentence = `${quantity} reported as under age or without consent ${videos === 1 ? "is" : "are"} still public, since REPORT_HIDE_LIMIT was reached.`;
  await raiseAlert({ kind, sentence }, now);
}

async function follow(now: number, waiting: Waiting): Promise<void> {
  const { kind, sentence } = waiting;
  for (const alert of await openAlerts(kind)) {
    const left = count(waiting, waiting.after ?? "", alert.until ?? "");
    if (left.reports === 0) await resolveAlert(alert, now);
  }
  const last = await database()
    .selectFrom("alerts")
    .select(["until", "raised_at"])
    .where("kind", "=", kind)
    .orderBy("until", "desc")
    .executeTakeFirst();
  if (last && now - Date.parse(last.raised_at) < EVERY_MS) return;
  const after = [waiting.after ?? "", last?.until ?? ""].sort().at(-1)!;
  const { reports, first, until } = count(waiting, after);
  if (reports === 0 || first === null || until === null) return;
  const quantity = reports < COUNTED ? formatQuantity(reports, "report") : "1,000 reports or more";
  const time = `${first.slice(0, 16).replace("T", " ")} UTC`;
  await raiseAlert({ kind, sentence: sentence(quantity, reports === 1, time), until }, now);
}

/** Of 1,000 at most: a flood must not hold the thread that serves everybody. */
function count({ where, upTo }: Waiting, after: string, until = upTo ?? "9999") {
  return prepared(
    `SELECT count(*) AS reports, min(due_at) AS first, max(due_at) AS until FROM
       (SELECT due_at FROM reports
        WHERE state = 'open' AND due_at > @after AND due_at <= @until AND ${where}
        ORDER BY due_at LIMIT ${COUNTED})`,
  ).get({ after, until }) as { reports: number; first: string | null; until: string | null };
}
