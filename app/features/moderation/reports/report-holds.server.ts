import { LRUCache } from "lru-cache";
import { hold, holdsOf, releaseHold, sourcesOf } from "~/features/visibility/holds.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { maxEntries } from "~/platform/attempt-limit.server";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { processState } from "~db/runtime.server";
import type { ReportKind } from "~db/schema/moderation";
import { closeReport, moveReport, URGENT_KINDS } from "./report-records.server";
import { isWaiting } from "./report-rules.server";
import {
  mostSevereDecision,
  reviewedKinds,
  unreviewedReports,
  videoExists,
  videosOf,
} from "./report-videos.server";

/**
 * Reports about minors or missing consent hide their videos before a moderator has read them. Because anyone can send
 * such reports, REPORT_HIDE_LIMIT limits how many videos they can hide. Beyond the limit, a video stays public until a
 * moderator decides, or until a second report about it arrives from another network.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * The minimum number of videos that can be hidden per day, for small sites on which the percentage would be less than
 * one video.
 */
const MIN_PER_DAY = 5;

/**
 * The maximum number of reports whose networks are remembered. It is unlikely that more reports are open at the same
 * time.
 */
const MAX_REMEMBERED = 10_000;
/**
 * The networks from which the latest urgent reports were sent, by report id. They are kept only in memory, because
 * visitors' IP addresses are never stored. Reports that were received before a restart count as if they came from the
 * same network as any new report.
 */
const networks = processState(
  "networks of reports",
  () => new LRUCache<string, string>(maxEntries(MAX_REMEMBERED)),
);

/** Returns whether reports of this kind hide their videos before a moderator has read them. */
export function hidesImmediately(kind: ReportKind): boolean {
  return settings().reportHide && URGENT_KINDS.includes(kind);
}

/**
 * Hides a new report's videos. Synchronous, because it is called in the transaction that inserts the report.
 *
 * @param report.network the sender's network, see `widerNetwork`.
 */
export function hideReported(
  report: { reportId: string; kind: ReportKind; network: string },
  videoIds: readonly string[],
  now = Date.now(),
): void {
  const { reportId, kind, network } = report;
  networks().set(reportId, network);
  for (const videoId of videoIds) {
    if (!videoExists(videoId) || reviewedKinds(videoId).includes(kind)) continue;
    // The log has one entry for each hidden video rather than for each report that hides it.
    if (holdsOf([videoId]).get(videoId)?.includes("report")) {
      hold({ videoId, reason: "report", sourceId: reportId }, now);
      continue;
    }
    const others = unreviewedReports(videoId)
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

/** Hides a video that a moderator has added to a report, if reports of this kind hide their videos. */
export function hideAddedVideo(
  { id, kind }: { id: string; kind: ReportKind },
  videoId: string,
  now = Date.now(),
): void {
  if (!hidesImmediately(kind) || reviewedKinds(videoId).includes(kind)) return;
  hold({ videoId, reason: "report", sourceId: id }, now);
}

/**
 * Hides a video after its file has changed, on behalf of the open urgent reports about the video, because moderators
 * have only reviewed the previous file. Synchronous, because it is called in the transaction that changes the file.
 */
export function hideChangedVideo(videoId: string, now = Date.now()): void {
  const reports = settings().reportHide ? unreviewedReports(videoId) : [];
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
  const hidden = prepared<number>(
    "SELECT count(*) FROM moderation_log WHERE action = 'hide-at-once' AND at > ?",
  ).pluck();
  const since = (ms: number) => hidden.get(new Date(now - ms).toISOString())!;
  if (since(HOUR_MS) >= perHour) return false;
  const listed = prepared<number>("SELECT coalesce(sum(videos), 0) FROM video_totals WHERE listed")
    .pluck()
    .get()!;
  return since(DAY_MS) < Math.max(MIN_PER_DAY, Math.floor(listed * shareOfDay));
}

/**
 * Releases a report's hold on a video. Holds for other reports stay in place. Each open urgent report that no moderator
 * has reviewed gets a hold on the video, because that report may have relied on the released hold.
 */
export function releaseReportHold(videoId: string, reportId: string, now: number): void {
  if (!sourcesOf(videoId, "report").includes(reportId)) return;
  holdForOthers(videoId, reportId, now);
  releaseHold({ videoId, reason: "report", sourceId: reportId });
}

/** Puts a video on hold for the open urgent reports that no moderator has reviewed, except the given one. */
export function holdForOthers(videoId: string, reportId: string, now: number): void {
  for (const { id } of unreviewedReports(videoId)) {
    if (id !== reportId) hold({ videoId, reason: "report", sourceId: id }, now);
  }
}

/**
 * Closes a report once a decision has been made for each of its videos on this site, and reopens it otherwise. A report
 * without any videos on this site stays open until a moderator closes it.
 */
export function updateReportState(id: string, now: number): void {
  const videos = videosOf(id);
  const decision = mostSevereDecision(videos);
  if (decision === undefined || videos.some((video) => isWaiting(id, video))) {
    moveReport({ id, from: ["closed"], to: "open" }, now);
  } else {
    closeReport({ id, decision, again: true }, now);
  }
}
