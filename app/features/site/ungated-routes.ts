/**
 * The routes whose pages are shown before a visitor has said their age. Every other page has the entry dialog
 * in its place, so a new route is gated until it is listed here. None of these shows a video or a thumbnail.
 */
export const UNGATED_ROUTES: ReadonlySet<string> = new Set([
  // Legal information, which anybody may read.
  "features/site/routes/privacy",
  "features/site/routes/dmca",
  "features/consent/routes/records",
  "features/moderation/routes/transparency",
  // Who reports a video may be shown in it, and under age.
  "features/moderation/routes/report",
  "features/moderation/routes/report-status",
  "features/site/routes/contact",
  // Forms of the people who run the site.
  "features/accounts/routes/auth",
  "features/accounts/routes/auth-code",
  "features/accounts/routes/invite",
  // The age check of a provider takes the place of the dialog.
  "features/age/routes/age-check",
  // Texts and switches about the site and this browser alone.
  "features/site/routes/preferences",
  "features/site/routes/offline",
  "features/api/routes/api-reference",
  "features/site/routes/not-found",
]);
