import type { SiteCookie } from "~/platform/site-cookies";

/**
 * Everything that a browser is given to remember. The privacy page lists it, and a test compares it with
 * what the code writes: a cookie or a key that is not named here fails the suite.
 */
export type BrowserData = Described &
  (
    | { kind: "cookie"; keys: readonly SiteCookie[] }
    // The keys in the browser's storage, with a field after a period: `storage` lasts until it is removed, `tab`
    // until the tab is closed.
    | { kind: "storage" | "tab"; keys: readonly string[] }
  );

interface Described {
  what: string;
  howLong: string;
  /** Whether visitors get it, or only who manages the videos. */
  isForVisitors: boolean;
}

const UNTIL_REMOVED = "Until you remove it, also by Clear all data under Preferences.";

export const BROWSER_DATA: readonly BrowserData[] = [
  {
    kind: "cookie",
    keys: ["age"],
    what: "That you said that you are 18 or over or, where the law asks for it, that somebody has checked it; the same text for everybody.",
    howLong: "A year; after a check as long as the owners of the site have set.",
    isForVisitors: true,
  },
  {
    kind: "cookie",
    keys: ["age-check"],
    what: "While your age is being checked: a random number, and the page to go back to.",
    howLong: "30 minutes at most.",
    isForVisitors: true,
  },
  {
    kind: "cookie",
    keys: ["report"],
    what: "When you open the form of a report: a random number, so that what is sent twice is one report.",
    howLong: "An hour.",
    isForVisitors: true,
  },
  {
    kind: "storage",
    keys: ["visitor.resume", "visitor.watched"],
    what: "Where you stopped watching, and what you have watched.",
    howLong: "Until you remove it, also by Forget all or by Clear all data under Preferences.",
    isForVisitors: true,
  },
  {
    kind: "storage",
    keys: ["visitor.saved"],
    what: "The videos that you save.",
    howLong: UNTIL_REMOVED,
    isForVisitors: true,
  },
  {
    kind: "storage",
    keys: [
      "visitor.sound",
      "visitor.speed",
      "visitor.captions",
      "visitor.audioTrack",
      "visitor.evenLoudness",
      "visitor.miniPlayer",
    ],
    what: "Volume, speed, captions and the other settings of the player.",
    howLong: UNTIL_REMOVED,
    isForVisitors: true,
  },
  {
    kind: "storage",
    keys: ["visitor.discreetTitles", "visitor.exitByShift"],
    what: "How discreet the site is.",
    howLong: UNTIL_REMOVED,
    isForVisitors: true,
  },
  {
    kind: "tab",
    keys: ["visitor.surprises", "visitor.upNext"],
    what: "What Surprise me has shown, and what is up next.",
    howLong: "Until the tab is closed.",
    isForVisitors: true,
  },
  {
    kind: "cookie",
    keys: ["session", "second-step", "passkey-challenge"],
    what: "Being signed in.",
    howLong: "30 days after the last use, 90 after the sign-in at most; while signing in, minutes.",
    isForVisitors: false,
  },
  {
    kind: "cookie",
    keys: ["return-to"],
    what: "The page that asked you to sign in.",
    howLong: "10 minutes, or until you have signed in.",
    isForVisitors: false,
  },
  {
    kind: "cookie",
    keys: ["device"],
    what: "That somebody has signed in with this browser, so that a flood of attempts does not lock them out.",
    howLong: "400 days.",
    isForVisitors: false,
  },
  {
    kind: "cookie",
    keys: ["toast"],
    what: "A message for the next page.",
    howLong: "Until it is shown.",
    isForVisitors: false,
  },
  {
    kind: "storage",
    keys: ["tus::"],
    what: "Uploads that can go on after an interruption.",
    howLong: "Until they are finished.",
    isForVisitors: false,
  },
  {
    kind: "tab",
    keys: ["upload-texts", "upload-schedule"],
    what: "What was typed into the upload form.",
    howLong: "Until it is sent, or the tab is closed.",
    isForVisitors: false,
  },
];

/**
 * What is counted by address so that nobody can use up the site, by the modules that do: in memory, as
 * digests, for an hour at most.
 */
export const MEMORY_LIMITS: Readonly<Record<string, string>> = {
  "app/features/accounts/sign-in-rate-limit.server.ts": "sign-ins",
  "app/features/accounts/sign-in.server.ts": "sign-ins",
  "app/features/accounts/confirm-identity.server.ts": "sign-ins",
  "app/features/accounts/routes/invite.tsx": "sign-ins",
  "app/platform/node/connection-limits.server.ts": "connections",
  "app/platform/node/rendering-budget.server.ts": "pages",
  "app/platform/node/media-requests.server.ts": "files",
  "app/platform/small-form.server.ts": "forms",
  "app/features/moderation/reports/submit-report.server.ts": "reports",
  "app/features/catalogue/views.server.ts": "views",
  "app/features/catalogue/search-suggestions.server.ts": "suggestions of the search",
  "app/features/api/answer.server.ts": "calls of programs",
  "app/features/processing/workers/worker-api.server.ts": "calls of programs",
};
