import type { SiteCookie } from "~/platform/site-cookies";

/**
 * Everything that the site stores in a browser. The privacy page displays this list, and a test fails if the code uses
 * a cookie or a storage key that isn't listed here.
 */
export type BrowserData = Described &
  (
    | { kind: "cookie"; keys: readonly SiteCookie[] }
    // The keys in the browser's storage. A period separates a key from a field. `storage` persists; `tab` lasts until
    // the tab is closed.
    | { kind: "storage" | "tab"; keys: readonly string[] }
  );

interface Described {
  what: string;
  howLong: string;
  /** Whether the data is stored for visitors, or only for people who manage the videos. */
  isForVisitors: boolean;
}

const UNTIL_REMOVED =
  "Until you delete this data, for example with Clear all data under Preferences.";

export const BROWSER_DATA: readonly BrowserData[] = [
  {
    kind: "cookie",
    keys: ["age"],
    what: "Your confirmation that you are 18 or over, or the result of your age check where the law requires one. The cookie has the same value for everyone.",
    howLong: "One year, or, after an age check, the period set by the site’s owners.",
    isForVisitors: true,
  },
  {
    kind: "cookie",
    keys: ["age-check"],
    what: "While your age is being checked: a random number, and the page to return to.",
    howLong: "At most 30 minutes.",
    isForVisitors: true,
  },
  {
    kind: "cookie",
    keys: ["report"],
    what: "When you open the report form: a random number, so that a report that is sent twice counts only once.",
    howLong: "One hour.",
    isForVisitors: true,
  },
  {
    kind: "storage",
    keys: ["visitor.resume", "visitor.watched"],
    what: "Where you stopped watching, and what you have watched.",
    howLong:
      "Until you delete this data, for example with Clear history or Clear all data under Preferences.",
    isForVisitors: true,
  },
  {
    kind: "storage",
    keys: ["visitor.saved"],
    what: "The videos you saved.",
    howLong: UNTIL_REMOVED,
    isForVisitors: true,
  },
  {
    kind: "storage",
    keys: [
      "visitor.volume",
      "visitor.speed",
      "visitor.captions",
      "visitor.audioTrack",
      "visitor.evenLoudness",
      "visitor.miniPlayer",
    ],
    what: "Volume, speed, captions and other player settings.",
    howLong: UNTIL_REMOVED,
    isForVisitors: true,
  },
  {
    kind: "storage",
    keys: ["visitor.discreetTitles", "visitor.exitByShift"],
    what: "Your settings under Privacy on this device.",
    howLong: UNTIL_REMOVED,
    isForVisitors: true,
  },
  {
    kind: "tab",
    keys: ["visitor.surprises", "visitor.upNext"],
    what: "The videos that Surprise me has shown, and your Up next list.",
    howLong: "Until the tab is closed.",
    isForVisitors: true,
  },
  {
    kind: "cookie",
    keys: ["session", "second-step", "passkey-challenge"],
    what: "Your sign-in session.",
    howLong:
      "Until 30 days after the last use, but at most 90 days after signing in; a few minutes during sign-in.",
    isForVisitors: false,
  },
  {
    kind: "cookie",
    keys: ["return-to"],
    what: "The page to return to after signing in.",
    howLong: "10 minutes, or until you sign in.",
    isForVisitors: false,
  },
  {
    kind: "cookie",
    keys: ["device"],
    what: "A record that someone has signed in with this browser before, so that other people’s failed attempts don’t lock them out.",
    howLong: "400 days.",
    isForVisitors: false,
  },
  {
    kind: "cookie",
    keys: ["toast"],
    what: "A message to show on the next page.",
    howLong: "Until it is shown.",
    isForVisitors: false,
  },
  {
    kind: "storage",
    keys: ["tus::"],
    what: "Uploads that can be resumed.",
    howLong: "Until they are finished.",
    isForVisitors: false,
  },
  {
    kind: "tab",
    keys: ["upload-texts", "upload-schedule"],
    what: "What you typed into the upload form.",
    howLong: "Until you submit the form or close the tab.",
    isForVisitors: false,
  },
];

/**
 * The actions that are rate-limited by IP address, for each module. The counts are kept in memory for at most an hour,
 * keyed by hashes of the addresses.
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
  "app/features/catalogue/search-suggestions.server.ts": "search suggestions",
  "app/features/api/answer.server.ts": "API calls",
  "app/features/processing/workers/worker-api.server.ts": "API calls",
};
