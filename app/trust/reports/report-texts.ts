import type { ReportDecision, ReportKind, ReportState, VideoDecision } from "~db/schema/reports";

/**
 * Every text that a reporter reads about a report. An operator may change the sentences; the operating
 * guide names this file.
 */

interface KindTexts {
  label: string;
  /** Beside the choice. */
  about: string;
  /** What to write. */
  what: string;
  /** What has to be ticked, as the rules for this kind of report ask. */
  statements: readonly string[];
  /** What the field of the name asks for; without it the name may be left out. */
  name?: string;
}

export const KIND_TEXTS: Record<ReportKind, KindTexts> = {
  copyright: {
    label: "Copyright",
    about: "The video shows a work that is yours, or you act for its owner.",
    what: "Name the work and how it is known, and give a postal address or telephone number of yours.",
    name: "Your full name stands for your signature.",
    statements: [
      "I believe in good faith that this use is not authorised by the owner of the rights, its agent or the law.",
      "What I write is accurate and, under penalty of perjury, I am the owner of the rights or may act for the owner.",
    ],
  },
  consent: {
    label: "Shown without consent",
    about:
      "The video shows you, or somebody you speak for, and was not agreed to. Made-up pictures count too.",
    what: "Say who is shown, and where in the video.",
    statements: [
      "I am the person shown or may act for them, and I believe in good faith that they did not agree to this being published.",
    ],
  },
  "under-age": {
    label: "Under age",
    about: "Somebody shown was, or may have been, under 18.",
    what: "Say who you mean, where in the video, and why you think so.",
    statements: ["I believe in good faith that somebody shown was under 18."],
  },
  private: {
    label: "Private information",
    about: "The video or its text gives away a name, an address or something else that is private.",
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
  open: "Received. A moderator will look at it.",
  asked: "A moderator has a question for you. Please answer it below.",
};

export const DECISION_TEXTS: Record<ReportDecision, string> = {
  keep: "Decided: the video stays.",
  remove: "Decided: the video was removed.",
  restore: "Decided: the video was restored.",
  "not-here": "Decided: no video that you named is on this site.",
  withdrawn: "You have withdrawn this report.",
};

/** What was decided about one of several videos, beside its address. */
export const VIDEO_DECISION_TEXTS: Record<VideoDecision, string> = {
  keep: "stays",
  remove: "removed",
  restore: "restored",
};

export const WITHDRAWN_WHILE_HIDDEN =
  "You have withdrawn this report. The video was hidden because of it, so a moderator still looks at it.";

export const ERASED_TEXT =
  "This report was decided some time ago, and what was written in it has been deleted.";

export const NO_REPORT_TEXT =
  "There is no report with this link. Please check that the whole link was copied.";

export const UNREADABLE_TEXT = "This text can't be read at the moment. It is not lost.";

/** Mails to reporters. What was written in a report never stands in a mail. */
export const MAIL_TEXTS = {
  received: ["Your report was received", "We have received your report."],
  asked: ["A question about your report", "A moderator has a question about your report."],
  decided: ["Your report was decided", "A moderator has decided on your report."],
  message: ["News about your report", "There is news about your report."],
} as const;
