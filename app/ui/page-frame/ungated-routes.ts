/**
 * The routes whose pages are shown before a visitor has said their age. Every other page has the entry dialog
 * in its place, so a new route is gated until it is listed here. None of these shows a video or a thumbnail.
 */
export const UNGATED_ROUTES: ReadonlySet<string> = new Set([
  // Legal information, which anybody may read.
  "routes/privacy",
  "routes/dmca",
  "routes/records",
  "routes/transparency",
  // Who reports a video may be shown in it, and under age.
  "routes/report",
  "routes/report-status",
  "routes/contact",
  // Forms of the people who run the site.
  "routes/auth",
  "routes/auth-code",
  "routes/invite",
  // The age check of a provider takes the place of the dialog.
  "routes/age-check",
  // Texts and switches about the site and this browser alone.
  "routes/preferences",
  "routes/offline",
  "routes/api-reference",
  "routes/not-found",
]);
