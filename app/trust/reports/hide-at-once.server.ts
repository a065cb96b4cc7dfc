import { LRUCache } from "lru-cache";
import { atMostEntries } from "~/server/attempt-limit.server";
import { settings } from "~/server/settings.server";
import { hold, holdsOf } from "~/visibility/holds.server";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import type { ReportKind } from "~db/schema/reports";
import { appendToLog } from "../moderation-log.server";
import { URGENT_KINDS } from "./report-records.server";
import { checkedKinds, isHere, uncheckedReports } from "./report-videos.server";

/**
 * A report of somebody under age, or shown without consent, hides its videos before anybody has read it. As
 * anybody can send one, no more videos are hidden that way than REPORT_HIDE_LIMIT says: beyond it, a video is
 * hidden once a second report of it comes from another network, and otherwise waits for a moderator.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** On a small site, a percentage would be less than one video. */
const MIN_PER_DAY = 5;

interface UrgentReport {
  reportId: string;
  kind: ReportKind;
  /** What sent it, as `widerNetwork` says. */
  network: string;
}

/** As many as may wait to be decided at once. */
const MAX_REMEMBERED = 10_000;
/**
 * The networks of the last urgent reports by their ids, in memory only: no visitor's address is written
 * anywhere. Of a report from before the start it isn't known, and it counts as one from the same network.
 */
const networks = processState(
  "networks of reports",
  () => new LRUCache<string, string>(atMostEntries(MAX_REMEMBERED)),
);

/** Whether a report of a kind hides its videos before anybody has read it. */
export function hidesAtOnce(kind: ReportKind): boolean {
  return settings().reportHide && URGENT_KINDS.includes(kind);
}

/** Hides videos for a report that has just arrived. Synchronous, for the transaction that enters it. */
export function hideReported(
  report: UrgentReport,
  videoIds: readonly string[],
  now = Date.now(),
): void {
  const { reportId, kind, network } = report;
  networks().set(reportId, network);
  for (const videoId of videoIds) {
    if (!isHere(videoId) || checkedKinds(videoId).includes(kind)) continue;
    // The log counts what was hidden, not each report that keeps it hidden.
    if (holdsOf([videoId]).get(videoId)?.includes("report")) {
      hold({ videoId, reason: "report", sourceId: reportId }, now);
      continue;
    }
    const others = uncheckedReports(videoId)
      .map(({ id }) => id)
      .filter((id) => (networks().get(id) ?? network) !== network);
    if (others.length === 0 && !isWithinLimit(now)) {
      appendToLog({ action: "hide-limit", reportId, videoId, detail: { kind } }, now);
      continue;
    }
    for (const sourceId of [...others, reportId])
      hold({ videoId, reason: "report", sourceId }, now);
    appendToLog({ action: "hide-at-once", reportId, videoId, detail: { kind } }, now);
  }
}

/** Hides a video that a moderator has added to a report, if the report hides what it names. */
export function hideNamed(
  { id, kind }: { id: string; kind: ReportKind },
  videoId: string,
  now = Date.now(),
): void {
  if (!hidesAtOnce(kind) || checkedKinds(videoId).includes(kind)) return;
  hold({ videoId, reason: "report", sourceId: id }, now);
}

/**
 * Hides a video that has another film, for the open urgent reports that name it: what a moderator has looked at
 * was the earlier one. Synchronous, for the transaction that changes the film.
 */
export function hideChanged(videoId: string, now = Date.now()): void {
  const reports = settings().reportHide ? uncheckedReports(videoId) : [];
  const [first] = reports;
  if (!first) return;
  const isWithin = isWithinLimit(now);
  if (isWithin)
    for (const { id } of reports) hold({ videoId, reason: "report", sourceId: id }, now);
  const action = isWithin ? "hide-at-once" : "hide-limit";
  appendToLog({ action, reportId: first.id, videoId, detail: { kind: first.kind } }, now);
}

function isWithinLimit(now: number): boolean {
  const { perHour, shareOfDay } = settings().reportHideLimit;
  const hidden = prepared(
    "SELECT count(*) FROM moderation_log WHERE action = 'hide-at-once' AND at > ?",
  ).pluck();
  const since = (ms: number) => hidden.get(new Date(now - ms).toISOString()) as number;
  if (since(HOUR_MS) >= perHour) return false;
  const listed = prepared("SELECT coalesce(sum(videos), 0) FROM video_totals WHERE listed")
    .pluck()
    .get() as number;
  return since(DAY_MS) < Math.max(MIN_PER_DAY, Math.floor(listed * shareOfDay));
}
