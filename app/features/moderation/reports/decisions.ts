import { formatQuantity } from "~/shared/format";
import type { ReportDecision, ReportKind, ReportState } from "~db/schema/moderation";

export const DECISIONS = [
  "hide",
  "keep",
  "remove",
  "restore",
  "counter-notice",
  "not-here",
  "ask",
] as const;
export type ModeratorDecision = (typeof DECISIONS)[number];

export const MAX_REASON_LENGTH = 2_000;

export const KIND_LABELS: Record<ReportKind, string> = {
  copyright: "Copyright",
  consent: "Shown without consent",
  "under-age": "Possible minor",
  private: "Private information",
  other: "Other",
};

export const STATE_LABELS: Record<ReportState, string> = {
  open: "Open",
  asked: "Waiting for reporter",
  closed: "Closed",
};

/** The outcome of a closed report, or of one of its videos. */
export const CLOSED_LABELS: Record<ReportDecision, string> = {
  keep: "Kept",
  remove: "Removed",
  restore: "Restored",
  "not-here": "Not on this site",
  withdrawn: "Withdrawn",
};

export const DECISION_LABELS: Record<ModeratorDecision, string> = {
  hide: "Hide now",
  keep: "Keep",
  remove: "Remove",
  ask: "Ask the reporter",
  "counter-notice": "Counter-notice received",
  restore: "Restore",
  "not-here": "Not on this site",
};

export const DECISION_HINTS: Record<ModeratorDecision, string> = {
  hide: "Hides the video immediately. The report stays open.",
  keep: "Leaves the video online, and releases this report’s hold on it.",
  remove:
    "Moves the video to the trash and adds it to the block list. It can only be restored from here.",
  ask: "Sends your question to the reporter. The uploader isn’t notified.",
  "counter-notice": "Records that the uploader objects to the removal, and reopens the report.",
  restore: "Puts the video back on the site and takes it off the block list.",
  "not-here": "Closes the report because none of its videos is on this site.",
};

/**
 * The messages that the reporter and the uploader see above the moderator's reason. Their subject is "the video" or "2
 * of 3 videos". Operators may change these sentences; the operating guide refers to this file.
 */
const DECISION_MESSAGES: Record<ModeratorDecision, (videos: string) => string> = {
  hide: (videos) => `A moderator has hidden ${videos} until a decision is made on the report.`,
  keep: (videos) => `A moderator has reviewed the report and kept ${videos}.`,
  remove: (videos) => `A moderator has removed ${videos}.`,
  ask: () => "A moderator has asked the reporter a question.",
  "counter-notice": (videos) =>
    `The uploader objects to the removal of ${videos}. A moderator will decide again.`,
  restore: (videos) => `A moderator has restored ${videos}.`,
  "not-here": () => "A moderator has closed the report because none of its videos is on this site.",
};

export function decisionMessage(
  decision: ModeratorDecision,
  { chosen, of }: { chosen: number; of: number } = { chosen: 1, of: 1 },
): string {
  const part = chosen === of ? `all ${of} videos` : `${chosen} of ${of} videos`;
  return DECISION_MESSAGES[decision](of === 1 ? "the video" : part);
}

/** The labels of the log's actions, worded to follow the name of the person who performed them. */
export const LOG_LABELS: Readonly<Record<string, string>> = {
  received: "received the report",
  "hide-at-once": "hid the video automatically",
  "hide-limit": "left the video public because REPORT_HIDE_LIMIT was reached",
  answered: "received an answer from the reporter",
  withdrawn: "received a withdrawal from the reporter",
  hide: "hid the video",
  keep: "kept the video",
  remove: "removed the video",
  ask: "asked the reporter a question",
  "counter-notice": "recorded a counter-notice",
  restore: "restored the video",
  "not-here": "closed the report because none of its videos is on this site",
  "add-video": "added a video to the report",
  "take-out-video": "removed a video from the report",
  erase: "deleted the text of the report",
  preserve: "preserved the evidence for a year",
  "preserve-end": "stopped preserving the evidence",
  export: "downloaded the report’s archive",
};

const HOUR_MS = 3_600_000;

/** Returns the time until a deadline in words. `isOver` is true if the deadline has passed. */
export function timeLeft(dueAt: string, now: number): { text: string; isOver: boolean } {
  const ms = Date.parse(dueAt) - now;
  const text = inWords(Math.abs(ms));
  return ms < 0
    ? { text: `Overdue by ${text}`, isOver: true }
    : { text: `${text} left`, isOver: false };
}

function inWords(ms: number): string {
  if (ms < HOUR_MS) return formatQuantity(Math.floor(ms / 60_000), "minute");
  const hours = Math.floor(ms / HOUR_MS);
  return hours < 72 ? formatQuantity(hours, "hour") : formatQuantity(Math.floor(hours / 24), "day");
}
