import type { ReportDecision, ReportKind, ReportState, VideoDecision } from "~db/schema/moderation";

/**
 * Every text that reporters read. Operators may change the sentences; the operating guide names this file.
 */

interface KindTexts {
  label: string;
  about: string;
  what: string;
  statements: readonly string[];
  /** The hint of the name field. Without it, the name is optional. */
  name?: string;
}

export const KIND_TEXTS: Record<ReportKind, KindTexts> = {
  copyright: {
    label: "Copyright",
    about: "The video uses a work that you own, or whose owner you represent.",
    what: "Identify the work, and give your postal address or phone number.",
    name: "Your full name serves as your signature.",
    statements: [
      "I believe in good faith that this use is not authorized by the copyright owner, its agent or the law.",
      "What I write is accurate and, under penalty of perjury, I am the copyright owner or authorized to act for the owner.",
    ],
  },
  consent: {
    label: "Shown without consent",
    about:
      "The video shows you, or somebody you represent, without consent. This includes fake and AI-generated images.",
    what: "Say who is shown, and where in the video.",
    statements: [
      "I am the person shown or am authorized to act for them, and I believe in good faith that they did not agree to this being published.",
    ],
  },
  "under-age": {
    label: "Under age",
    about: "Somebody shown was or may have been under 18.",
    what: "Say who you mean, where in the video, and why you think so.",
    statements: ["I believe in good faith that somebody shown was under 18."],
  },
  private: {
    label: "Private information",
    about: "The video or its text reveals a name, an address or other private information.",
    what: "Say what is private, and where it is shown or written. Do not repeat it in full.",
    statements: ["What I write is true as far as I know."],
  },
  other: {
    label: "Something else",
    about: "Anything else that should not be here.",
    what: "Say what is wrong, and where in the video.",
    statements: ["What I write is true as far as I know."],
  },
};

export const STATE_TEXTS: Record<Exclude<ReportState, "closed">, string> = {
  open: "Received. A moderator will review it.",
  asked: "A moderator has a question for you. Please answer it below.",
};

export const DECISION_TEXTS: Record<ReportDecision, string> = {
  keep: "Decided: the video stays.",
  remove: "Decided: the video was removed.",
  restore: "Decided: the video was restored.",
  "not-here": "Decided: none of the videos you named is on this site.",
  withdrawn: "You have withdrawn this report.",
};

/** The decision on one of several videos, shown next to its address. */
export const VIDEO_DECISION_TEXTS: Record<VideoDecision, string> = {
  keep: "stays",
  remove: "removed",
  restore: "restored",
};

export const WITHDRAWN_WHILE_HIDDEN =
  "You have withdrawn this report. Because it hid the video, a moderator will still review it.";

export const ERASED_TEXT =
  "This report was decided some time ago, and what was written in it has been deleted.";

export const NO_REPORT_TEXT =
  "No report was found for this link. Check that you copied the whole link.";

export const UNREADABLE_TEXT = "This text can’t be read at the moment. It is not lost.";

/** In the first email of a report: anybody may have entered the address. */
export const FIRST_MAIL_TEXT =
  "We send further emails about this report only after this link was opened. If you didn't send a report, ignore this email.";

/** On the page of a report until the link in an email was opened. */
export const LINK_NOT_OPENED_TEXT =
  "To get emails about this report, open the link in our first email to you. We send an address at most one such email a day.";

/** Subject and text of the emails to reporters. They never contain the text of a report. */
export const MAIL_TEXTS = {
  received: ["Your report was received", "We have received your report."],
  asked: ["A question about your report", "A moderator has a question about your report."],
  decided: ["Your report was decided", "A moderator has decided on your report."],
  message: ["Update on your report", "There is an update on your report."],
} as const;
