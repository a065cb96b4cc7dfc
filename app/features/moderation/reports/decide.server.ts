import {
  type GivenStrike,
  MAX_STRIKE_REASON_LENGTH,
  strikeMessage,
} from "~/features/accounts/users/strike-rules";
import { findStrikeable, giveStrikeInTransaction } from "~/features/accounts/users/strikes.server";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { mayNow } from "~/features/permissions/may-change.server";
import { holdCopies } from "~/features/processing/comparison/block-list-matches.server";
import { blockVideo, unblockVideo } from "~/features/processing/comparison/blocked-videos.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { hold, releaseHold } from "~/features/visibility/holds.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog, textDigest } from "~/platform/activity/moderation-log.server";
import { type Failure, failure } from "~/platform/failure";
import { announceStudioChange } from "~/platform/live/hub.server";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared, transaction } from "~db/client.server";
import type { VideoDecision } from "~db/schema/moderation";
import { retryWhileBusy } from "~db/write-lock";
import {
  DECISION_LABELS,
  decisionMessage,
  LOG_LABELS,
  MAX_REASON_LENGTH,
  type ModeratorDecision,
} from "./decisions";
import { releaseReportHold, updateReportState } from "./report-holds.server";
import {
  addMessage,
  closeReport,
  moveReport,
  type Report,
  readReport,
} from "./report-records.server";
import { choicesFor, isRemoved, refusalFor, reportVersion } from "./report-rules.server";
import { type NamedVideo, recordVideoDecision } from "./report-videos.server";
import { recordUploaderDecision } from "./uploader-decisions.server";

const FAILED = "No decision was made.";
/**
 * How long to keep trying to move or restore the videos after the decision has been saved. If this fails, they are
 * moved or restored at the next startup.
 */
const BUSY_WAIT_MS = 10_000;

/** The maximum number of titles listed in an activity log entry. */
const MAX_TITLES = 3;
const REMOVED_BY_OTHER = "It stays removed because of another report.";
const TRASH_PENDING =
  "Removed videos are hidden, but couldn’t be moved to the trash yet. They will be moved the next time the site starts.";
const GONE_FOR_GOOD = "Its files were deleted for good in the meantime, so it can’t be restored.";

export interface Decision {
  decision: ModeratorDecision;
  /** Shown to the reporter and the uploader. */
  reason: string;
  videos: readonly string[];
  /** The version of the report that the moderator saw, see `reportVersion`. */
  version: string;
  /** Whether the uploaders of removed videos also get strikes. */
  isStrike?: boolean;
}

export interface DecisionFailure extends Failure {
  reason?: string;
  isStrike?: boolean;
}

/**
 * Decides on a report. The videos, the report, the block list, strikes, the messages to both sides and the log are
 * changed in one transaction: if anything fails, nothing is decided. That transaction also hides removed videos. They
 * are in the trash when this function returns or, if the process ends before that, after the next startup
 * (`finishDecisions`).
 *
 * @returns the failure, if any: 404 if there is no such report, 409 if the report has changed since the form was shown,
 * or 422.
 */
export async function decideReport(
  reportId: string,
  decision: Decision,
  userId: string,
  now = Date.now(),
): Promise<DecisionFailure | ToastMessage> {
  const { reason, isStrike } = decision;
  const decided = await transaction(() => decideInTransaction(reportId, decision, userId, now));
  if ("status" in decided) return { ...decided, reason, isStrike };
  announceStudioChange();
  const { videos, of, strikes } = decided;
  const message = decisionMessage(decision.decision, { chosen: videos.length, of });
  const messages = [message, ...strikes.map(strikeMessage)];
  const answer = done(messages.join(" "));
  if (decision.decision === "remove" && !(await moveToTrash(videos, userId))) {
    return { ...answer, description: `${answer.description} ${TRASH_PENDING}` };
  }
  if (decision.decision !== "restore" || videos.length === 0) return answer;
  const restoring = () => restoreVideos(videos, userId, now);
  const restored = await retryWhileBusy(restoring, BUSY_WAIT_MS);
  if (!("status" in restored)) return { ...answer, description: restored.description };
  // The video may have been in the trash for too long. The decision is still valid.
  const isBack = existingVideos(videos).length > 0;
  const why = videos.some((id) => isRemoved(id)) ? REMOVED_BY_OTHER : GONE_FOR_GOOD;
  return isBack ? answer : { ...answer, description: `${answer.description} ${why}` };
}

/**
 * Returns whether all of these videos are now in the trash. If not, the decision is still valid, and the videos stay
 * hidden.
 */
async function moveToTrash(videoIds: readonly string[], userId: string): Promise<boolean> {
  const remove = () => removeVideos(existingVideos(videoIds), userId);
  const removed = await retryWhileBusy(remove, BUSY_WAIT_MS).catch((error: unknown) => {
    console.error("Could not move removed videos to the trash:", error);
  });
  return removed !== undefined && !removed.left;
}

interface PendingMove {
  id: string;
  userId: string | null;
}

/** Finishes decisions after a restart by moving removed videos to the trash and restoring restored videos. */
export async function finishDecisions(): Promise<void> {
  const left = prepared<PendingMove>(
    `SELECT DISTINCT videos.id, (SELECT user_id FROM moderation_log WHERE video_id = videos.id
       AND action = 'remove' ORDER BY moderation_log.id DESC LIMIT 1) AS userId
     FROM video_holds JOIN videos ON videos.id = video_id WHERE reason = 'removed'`,
  ).all();
  for (const { id, userId } of left) await removeVideos([id], userId ?? "");
  const restored = prepared<PendingMove>(
    `SELECT DISTINCT deleted_videos.id, deleted_by AS userId
     FROM report_videos JOIN deleted_videos ON deleted_videos.id = video_id
     WHERE decision = 'restore' AND decided_at > deleted_at
       AND NOT EXISTS (SELECT 1 FROM video_holds WHERE video_holds.video_id = deleted_videos.id
         AND reason = 'removed')`,
  ).all();
  for (const { id, userId } of restored) await restoreVideos([id], userId ?? "");
}

function decideInTransaction(
  reportId: string,
  { decision, reason, videos: chosen, version, isStrike }: Decision,
  userId: string,
  now: number,
): Failure | { videos: string[]; of: number; strikes: GivenStrike[] } {
  if (!mayNow(userId, "/admin/reports/:id")) return failure(403, FAILED, { detail: NOT_ALLOWED });
  const report = readReport(reportId);
  if (!report) return failure(404, FAILED, NO_REPORT);
  if (version !== reportVersion(report))
    return failure(409, FAILED, { detail: conflictMessage(report) });
  const text = reason.trim();
  if (!text)
    return failure(422, FAILED, {
      detail: "Enter a reason. It is shown to the reporter and the uploader.",
    });
  if (text.length > MAX_REASON_LENGTH) {
    return failure(422, FAILED, { detail: "This reason is too long." });
  }
  const isOfReport = decision === "ask" || decision === "not-here";
  const videos = isOfReport ? [] : report.videos.filter(({ id }) => chosen.includes(id));
  const ids = videos.map(({ id }) => id);
  // If videos were removed because of another report, the strikes were already given with that report's decision.
  const removed = ids.filter((id) => !isRemoved(id));
  const refusal =
    refusalOf(decision, report, videos) ?? (isStrike && strikeRefusal(decision, removed));
  if (refusal) return failure(422, FAILED, { detail: refusal });
  for (const id of ids) changeVideo(id, decision, report, now);
  changeReport(report, decision, now);
  addDecisionMessages(report, ids, decision, text, userId, now);
  for (const videoId of ids.length > 0 ? ids : [null]) {
    const entry = { action: decision, reportId, videoId, userId };
    appendToLog({ ...entry, detail: { kind: report.kind, reason: textDigest(text) } }, now);
  }
  recordActivity({ userId, action: "report-decide", detail: activityDetail(decision, ids) });
  const strikes = isStrike ? strikeUploaders(removed, text, userId, now) : [];
  return { videos: ids, of: report.videos.length, strikes };
}

/** Returns the reason why a decision isn't possible for these videos, or undefined if it is possible. */
function refusalOf(
  decision: ModeratorDecision,
  report: Report,
  chosen: readonly NamedVideo[],
): string | undefined {
  if (decision === "ask") {
    return report.erasedAt === null
      ? undefined
      : "The text of this report was deleted, so you can’t ask the reporter a question.";
  }
  const isAnyHere = report.videos.some((video) => choicesFor(report, video).length > 0);
  if (decision === "not-here") {
    return isAnyHere
      ? "A video in this report is still on this site. Make a decision about that video first."
      : undefined;
  }
  if (!isAnyHere) {
    return "None of the videos in this report is on this site. Add the right video, or close the report with “Not on this site”.";
  }
  if (chosen.length === 0) return "Choose at least one video.";
  const wrong = chosen.find((video) => !choicesFor(report, video).includes(decision));
  return wrong && refusalFor(decision, report.id, wrong);
}

function changeVideo(
  videoId: string,
  decision: ModeratorDecision,
  report: Report,
  now: number,
): void {
  const reportId = report.id;
  const held = { videoId, sourceId: reportId };
  const decided = (what: VideoDecision | null) =>
    recordVideoDecision({ reportId, videoId }, what, now);
  if (decision === "hide") {
    hold({ ...held, reason: "report" }, now);
    decided(null);
  } else if (decision === "remove") {
    hold({ ...held, reason: "removed" }, now);
    releaseHold({ ...held, reason: "report" });
    const blocked = blockVideo(videoId, report.kind, new Date(now));
    if (blocked) holdCopies(videoId, blocked.blockedVideoId);
    decided("remove");
  } else if (decision === "counter-notice") {
    decided(null);
  } else if (decision === "restore") {
    decided("restore");
    releaseReportHold(videoId, reportId, now);
    releaseHold({ ...held, reason: "removed" });
    if (!isRemoved(videoId)) unblockVideo(videoId);
  } else if (decision === "keep") {
    decided("keep");
    releaseReportHold(videoId, reportId, now);
  }
}

/**
 * Records that a report is waiting for a decision, or closes it if a decision has been made for each of its videos on
 * this site.
 */
function changeReport({ id }: Report, decision: ModeratorDecision, now: number): void {
  if (decision === "ask") {
    moveReport({ id, from: ["open", "asked", "closed"], to: "asked" }, now);
  } else if (decision === "not-here") {
    closeReport({ id, decision, again: true }, now);
  } else {
    updateReportState(id, now);
  }
}

/** Adds messages to the reporter's status page, the videos' notes and the uploaders' account pages. */
function addDecisionMessages(
  report: Report,
  ids: readonly string[],
  decision: ModeratorDecision,
  reason: string,
  userId: string,
  now: number,
): void {
  if (decision !== "ask") {
    const text = decisionMessage(decision, { chosen: ids.length, of: report.videos.length });
    addMessage({ reportId: report.id, author: "site", text }, now);
  }
  addMessage({ reportId: report.id, author: "moderator", text: reason }, now);
  const note = prepared(
    "INSERT INTO review_notes (video_id, user_id, text, created_at) VALUES (?, ?, ?, ?)",
  );
  const time = new Date(now).toISOString();
  if (decision === "ask" || decision === "not-here") return;
  const message = decisionMessage(decision);
  for (const id of ids) {
    // Notes are deleted together with their report's text, so no notes are added for an erased report.
    if (report.erasedAt === null) note.run(id, userId, `${message}\n\n${reason}`, time);
    recordUploaderDecision({ reportId: report.id, videoId: id, decision, reason }, now);
  }
}

/** Returns the error message that says what happened since the form was shown. */
function conflictMessage({ id }: Report): string {
  const last = prepared<{ action: string; email: string | null }>(
    `SELECT action, email FROM moderation_log LEFT JOIN users ON users.id = user_id
     WHERE report_id = ? ORDER BY moderation_log.id DESC LIMIT 1`,
  ).get(id);
  const label = last?.email && LOG_LABELS[last.action];
  if (!label) return "The report has changed. Reload the page and review it again.";
  return `${last.email} has ${toPastParticiple(label)} in the meantime, or the reporter has answered. Reload the page and review the report again.`;
}

/** Converts a log label such as `hid the video` to a form that can follow “has”. */
function toPastParticiple(label: string): string {
  return label.replace(/^hid /, "hidden ");
}

/** Returns the decision and the first titles for the activity log. */
function activityDetail(decision: ModeratorDecision, videoIds: readonly string[]): string {
  const titles = prepared<string>(
    `SELECT title FROM videos WHERE id IN (SELECT value FROM json_each(@list))
     UNION ALL SELECT title FROM deleted_videos WHERE id IN (SELECT value FROM json_each(@list))
     LIMIT ${MAX_TITLES}`,
  )
    .pluck()
    .all({ list: JSON.stringify(videoIds) });
  if (titles.length === 0) return DECISION_LABELS[decision];
  const others = videoIds.length - titles.length;
  const named = titles.join(", ") + (others > 0 ? ` and ${others} more` : "");
  return `${DECISION_LABELS[decision]}: ${named}`;
}

function existingVideos(ids: readonly string[]): string[] {
  return prepared<string>("SELECT id FROM videos WHERE id IN (SELECT value FROM json_each(?))")
    .pluck()
    .all(JSON.stringify(ids));
}

function strikeRefusal(decision: ModeratorDecision, ids: readonly string[]): string | undefined {
  if (decision !== "remove")
    return "A strike is only possible with a removal. Choose Remove, or clear the strike checkbox.";
  if (ids.length === 0) {
    return "These videos had already been removed. Only the first removal can include a strike.";
  }
  if (findStrikeable(ids).length > 0) return undefined;
  return "None of these videos has an uploader who can get a strike.";
}

/**
 * Gives each uploader one strike, regardless of how many of their videos are removed. Must be called inside a
 * transaction.
 */
function strikeUploaders(
  videoIds: readonly string[],
  reason: string,
  userId: string,
  now: number,
): GivenStrike[] {
  const short =
    reason.length > MAX_STRIKE_REASON_LENGTH
      ? `${reason.slice(0, MAX_STRIKE_REASON_LENGTH - 1)}…`
      : reason;
  return findStrikeable(videoIds, now).flatMap(
    ({ id }) => giveStrikeInTransaction(id, short, userId, now) ?? [],
  );
}

export const NO_REPORT = { detail: "This report doesn’t exist." };

export function done(description: string): ToastMessage {
  return success("Reports", description);
}
