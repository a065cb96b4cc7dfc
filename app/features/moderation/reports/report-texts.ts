import type { ReportDecision, ReportKind, ReportState, VideoDecision } from "~db/schema/moderation";

/** All text shown to reporters. Operators may change the sentences; the operating guide refers to this file. */

interface KindTexts {
  label: string;
  about: string;
  what: string;
  statements: readonly string[];
  /** The hint for the name field. Without a hint, the name is optional. */
  name?: string;
}

export const KIND_TEXTS: Record<ReportKind, KindTexts> = {
  copyright: {
    label: "Copyright",
    about: "You own a work used in the video, or represent its owner.",
    what: "Identify the work, and give your postal address or phone number.",
    name: "Your full name serves as your signature.",
    statements: [
      "I believe in good faith that this use is not authorized by the copyright owner, its agent or the law.",
      "This information is accurate and, under penalty of perjury, I am the copyright owner or authorized to act for the owner.",
    ],
  },
  consent: {
    label: "Shown without consent",
    about:
      "The video shows you, or someone you represent, without consent. This includes edited and AI-generated images.",
    what: "Tell us who is shown and where they appear in the video.",
    statements: [
      "I am the person shown, or am authorized to act for them, and believe in good faith that they did not consent to this publication.",
    ],
  },
  "under-age": {
    label: "Possible minor",
    about: "Someone shown was, or may have been, under 18.",
    what: "Tell us who you mean, where they appear in the video, and why you think they were under 18.",
    statements: ["I believe in good faith that someone shown was under 18."],
  },
  private: {
    label: "Private information",
    about: "The video or its text reveals a name, an address or other private information.",
    what: "Tell us what is private and where it appears. Don’t repeat it in full.",
    statements: ["This information is true to the best of my knowledge."],
  },
  other: {
    label: "Something else",
    about: "Anything else that shouldn’t be on this site.",
    what: "Tell us what is wrong and where it appears in the video.",
    statements: ["This information is true to the best of my knowledge."],
  },
};

export const STATE_TEXTS: Record<Exclude<ReportState, "closed">, string> = {
  open: "Received. A moderator will review it.",
  asked: "A moderator has a question for you. Please reply below.",
};

export const DECISION_TEXTS: Record<ReportDecision, string> = {
  keep: "We reviewed your report: the video stays online.",
  remove: "We reviewed your report: the video was removed.",
  restore: "We reviewed your report: the video was restored.",
  "not-here": "We reviewed your report: none of the videos is on this site.",
  withdrawn: "You have withdrawn this report.",
};

/** The decision about one of several videos, shown next to the video's path. */
export const VIDEO_DECISION_TEXTS: Record<VideoDecision, string> = {
  keep: "stays online",
  remove: "removed",
  restore: "restored",
};

export const WITHDRAWN_WHILE_HIDDEN =
  "You have withdrawn this report. The video was hidden because of it, so a moderator will still review the report.";

export const ERASED_TEXT = "This report was closed some time ago, and its text has been deleted.";

export const NO_REPORT_TEXT =
  "No report was found for this link. Check that you copied the whole link.";

export const UNREADABLE_TEXT = "This text can’t be read at the moment. It is not lost.";

/** Included in the first email about a report, because the address may have been entered by someone else. */
export const FIRST_MAIL_TEXT =
  "We'll send more emails about this report only after you open this link. If you didn't send a report, ignore this email.";

/** Shown on the status page until the link in an email has been opened. */
export const LINK_NOT_OPENED_TEXT =
  "To get emails about this report, open the link in our first email to you. We send at most one first email a day to each address.";

/** The subjects and bodies of the emails to reporters. They never contain the text of a report. */
export const MAIL_TEXTS = {
  received: ["Your report was received", "We have received your report."],
  asked: ["A question about your report", "A moderator has a question about your report."],
  decided: ["We reviewed your report", "A moderator has made a decision on your report."],
  message: ["Update on your report", "There is an update on your report."],
} as const;
