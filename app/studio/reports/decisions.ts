import type { ReportDecision, ReportKind, ReportState } from "~db/schema/reports";

/** What a moderator can do with a report. */
export const DECISIONS = [
  "hide",
  "keep",
  "remove",
  "restore",
  "counter-notice",
  "not-here",
  "ask",
] as const;
export type DeskDecision = (typeof DECISIONS)[number];

export const MOST_REASON_LETTERS = 2_000;

export const KIND_LABELS: Record<ReportKind, string> = {
  copyright: "Copyright",
  consent: "Shown without consent",
  "under-age": "Under age",
  private: "Private information",
  other: "Other",
};

export const STATE_LABELS: Record<ReportState, string> = {
  open: "To decide",
  asked: "Waits for the reporter",
  closed: "Decided",
};

/** What became of a report. */
export const CLOSED_LABELS: Record<ReportDecision, string> = {
  keep: "Kept",
  remove: "Removed",
  restore: "Restored",
  "not-here": "Not here",
  withdrawn: "Withdrawn",
};

/** On the buttons of the desk. */
export const DECISION_LABELS: Record<DeskDecision, string> = {
  hide: "Hide now",
  keep: "Keep",
  remove: "Remove",
  ask: "Ask back",
  "counter-notice": "Counter-notice received",
  restore: "Restore",
  "not-here": "Not here",
};

/** What each does, beside its choice. */
export const DECISION_HINTS: Record<DeskDecision, string> = {
  hide: "The video is hidden at once. The report stays to be decided.",
  keep: "Somebody has looked: nothing is removed, and this report no longer hides it.",
  remove: "The video goes to the trash for good, nobody else restores it, and its film is blocked.",
  ask: "The reporter is asked. The uploader is not told.",
  "counter-notice": "The uploader objects: the report is to be decided again.",
  restore: "The video comes back, and its film is no longer blocked.",
  "not-here": "No video that is meant is on this site, or no longer. The report is decided.",
};

/**
 * What both sides read above the moderator's reason, about "the video" or "2 of 3 videos". An operator may
 * change these sentences; the operating guide names this file.
 */
const DECISION_SENTENCES: Record<DeskDecision, (videos: string) => string> = {
  hide: (videos) => `A moderator has hidden ${videos} until the report is decided.`,
  keep: (videos) => `A moderator has looked at the report and keeps ${videos}.`,
  remove: (videos) => `A moderator has removed ${videos}.`,
  ask: () => "A moderator asks the reporter something.",
  "counter-notice": (videos) =>
    `The uploader objects to the removal of ${videos}. The report is decided again.`,
  restore: (videos) => `A moderator has restored ${videos}.`,
  "not-here": () => "A moderator has found no video on this site that the report is about.",
};

/** The sentence about a decision, for those who are told of one video, or of some of a report's. */
export function decisionSentence(
  decision: DeskDecision,
  { chosen, of }: { chosen: number; of: number } = { chosen: 1, of: 1 },
): string {
  const part = chosen === of ? `all ${of} videos` : `${chosen} of ${of} videos`;
  return DECISION_SENTENCES[decision](of === 1 ? "the video" : part);
}

/** What the log calls what was done, as the rest of a sentence that begins with who did it. */
export const LOG_LABELS: Readonly<Record<string, string>> = {
  received: "received the report",
  "hide-at-once": "hid the video before anybody had looked",
  "hide-limit": "left the video public, since REPORT_HIDE_LIMIT was reached",
  answered: "noted that the reporter has answered",
  withdrawn: "noted that the reporter has withdrawn it",
  hide: "hid the video",
  keep: "kept the video",
  remove: "removed the video",
  ask: "asked the reporter",
  "counter-notice": "noted a counter-notice",
  restore: "restored the video",
  "not-here": "found no video that is meant",
  "add-video": "added a video",
  "take-out-video": "took a video out",
  erase: "deleted what was typed",
  preserve: "preserved the evidence for a year",
  "preserve-end": "ended the preservation",
  export: "downloaded everything about the report",
};

const HOUR_MS = 3_600_000;

/** How long until a deadline, in words; `isOver` when it has passed. */
export function timeLeft(dueAt: string, now: number): { text: string; isOver: boolean } {
  const ms = Date.parse(dueAt) - now;
  const text = inWords(Math.abs(ms));
  return ms < 0
    ? { text: `Overdue by ${text}`, isOver: true }
    : { text: `${text} left`, isOver: false };
}

function inWords(ms: number): string {
  if (ms < HOUR_MS) return counted(Math.floor(ms / 60_000), "minute");
  const hours = Math.floor(ms / HOUR_MS);
  return hours < 72 ? counted(hours, "hour") : counted(Math.floor(hours / 24), "day");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
