/**
 * What an admin can have done, as the rest of a sentence that begins with who did it. `%` stands for
 * the detail of the activity, such as a title; a second form is the one without a detail.
 */
const MESSAGES = {
  publish: "published %",
  draft: "saved % as a draft",
  import: "imported %",
  hide: "hid %",
  show: "made % visible",
  edit: "edited %",
  delete: "deleted %",
  schedule: "scheduled %",
  unschedule: "removed the schedule of %",
  "publish-scheduled": "had % published, as scheduled",
  // The detail is what was decided, such as: Remove
  "report-decide": "decided on a report: %",
  "report-preserve": "preserved the evidence of a report",
  "report-preserve-end": "ended the preservation of a report",
  "report-export": "downloaded everything about a report",
  "report-videos": "changed which videos a report names",
  "publish-withheld": "had % not published as scheduled because it is on hold",
  "consent-withheld": "put % on hold until it has a valid consent record",
  "consent-hide-all": "hid % without a valid consent record",
  "consent-hide-undo": "made % without a valid consent record public again",
  "hide-scheduled": "had % hidden, as scheduled",
  "file-send": "sent another file for %",
  replace: "replaced the file of %",
  "file-discard": "discarded the new file of %",
  "file-restore": "restored an earlier file of %",
  "file-purge": "deleted an earlier file of % for good",
  "cut-ask": "asked for a cut of %",
  cut: "cut %",
  "cut-undo": "undid the cut of %",
  restore: "restored %",
  // The detail is the sentence, such as: renamed the tag “hd” to “HD” in 12 videos
  "tag-change": "%",
  "tag-undo": "undid that somebody %",
  "tag-aliases": "set the other names of the tag %",
  categories: "named and ordered the categories: %",
  "series-create": "made the series %",
  "series-edit": "changed the series %",
  "series-order": "ordered the series %",
  // The detail is the sentence, such as: put 2 videos into the series “A”
  "series-videos": "%",
  "series-delete": "deleted the series %",
  "series-restore": "restored the series %",
  "convert-again": "had the streams of % made again",
  backup: "backed up the site: %",
  "backup-timed": "had the site backed up, as scheduled: %",
  "backup-failed": "had a backup fail: %",
  "backup-failed-timed": "had a scheduled backup fail: %",
  "alert-test": "sent a test alert",
  "removals-resume": "resumed removals",
  purge: "deleted % for good",
  "trash-empty": "emptied the trash of %",
  "block-refused": "had a file for % refused, which is on the block list",
  "block-held": "had % put on hold because it looks like a removed video",
  "block-other": "marked % as different from the removed videos",
  "block-looked": "released % without a comparison with the removed videos",
  "scan-held": "had % put on hold by the scan",
  "scan-refused": "had % refused by the scan",
  "scan-release": "released % despite the scan",
  "scan-again": "had % scanned again",
  "block-remove": "removed % from the block list",
  "block-put-back": "put % back on the block list",
  "block-import": "imported a block list: %",
  "block-export": "exported the block list",
  "not-same": "said that % are not the same",
  "queue-pause": "paused the queue",
  "queue-resume": "let the queue go on",
  "queue-again": "had % made again",
  "queue-now": "put % first in the queue",
  "queue-codecs": "asked for further codecs of %",
  "queue-later": "put % last in the queue",
  // The detail is the sentence, such as: hid 2 videos: “A”, “B”
  "bulk-edit": "%",
  "report-erase": "deleted the text of a report",
  "terms-write": "wrote the uploaders' terms, %",
  "terms-on": "has every upload accept the uploaders' terms",
  "terms-off": "asks no upload to accept the uploaders' terms",
  strike: "gave % a strike",
  "strike-withdraw": "took back a strike of %",
  block: "blocked %",
  "block-release": "released %, whose former uploader is blocked",
  "sign-in": ["signed in with %", "signed in"],
  "sign-in-refused": "was locked out for a quarter of an hour after many wrong passwords",
  "code-refused":
    "was locked out for a quarter of an hour after wrong codes; somebody may know the password",
  "sign-out": "signed out everywhere",
  "password-change": "changed the password",
  // The one detail there is says that all sessions but the present one were ended.
  "session-end": ["ended all other sessions", "ended a session"],
  "second-factor-on": "turned on the second factor",
  "second-factor-off": "turned off the second factor",
  "recovery-code-use": "signed in with a recovery code and %",
  "recovery-codes-renew": "made new recovery codes",
  "passkey-add": "added the passkey %",
  "passkey-rename": "renamed a passkey to %",
  "passkey-remove": "removed the passkey %",
  "passkey-sign-in": "signed in with a passkey and %",
  "passkey-refused": "had the passkey % refused, of which somebody may have a copy",
  "password-off": "turned off the password",
  "token-create": "made the API token %",
  "token-revoke": "revoked the API token %",
  "worker-create": "made the worker %",
  "worker-revoke": "revoked the worker %",
  "account-create": "made the account %",
  "review-ready": "said that % is ready",
  "review-back": "said that % is not ready yet",
  "review-note": "wrote a note about %",
  "preview-link": "made a preview link of %",
  "preview-revoke": "revoked a preview link of %",
  "preview-open": "opened the preview of %",
  invite: "invited %",
  "invitation-withdraw": "withdrew the invitation of %",
  "invitation-accept": "made an account for %, who was invited",
  "role-change": "made %",
  deactivate: "deactivated the account %",
  reactivate: "let the account % sign in again",
  "user-sessions-end": "ended the sessions of %",
  "password-reset": "reset the password of %",
  // The detail is how many videos went to which account, such as: 2 videos to owner@example.com
  "account-delete": "deleted an account and transferred %",
  // The detail is, such as: 2 videos of a@example.com to b@example.com
  "videos-transfer": "transferred %",
  "limits-change": "changed the upload limits of %",
} as const;

/** Shown instead of the email address of an account that was deleted. */
export const DELETED_ACCOUNT = "A deleted account";

/** Who did what has no account to its name. Nothing is known of who opened a link. */
export function unknownActor(action: string): string {
  return action === "preview-open" ? "Somebody with a link" : "The operator";
}

export type ActivityAction = keyof typeof MESSAGES;

/** The actions whose detail contains the email address of an account, between spaces. */
export const ABOUT_ACCOUNTS = [
  "account-create",
  "account-delete",
  "block",
  "deactivate",
  "invitation-accept",
  "invitation-withdraw",
  "invite",
  "limits-change",
  "password-reset",
  "reactivate",
  "role-change",
  "strike",
  "strike-withdraw",
  "user-sessions-end",
  "videos-transfer",
] as const satisfies ActivityAction[];

/**
 * The rest of the sentence about an activity, around its detail: `subject` is empty where the
 * sentence does without. An action that another version of the site wrote is told by its name.
 */
export function activityMessage(
  action: string,
  detail: string,
): { before: string; subject: string; after: string } {
  const forms =
    (MESSAGES as Record<string, string | readonly [string, string]>)[action] ?? `${action} %`;
  const message = typeof forms === "string" ? forms : forms[detail ? 0 : 1];
  if (message === "%") return { before: detail, subject: "", after: "" };
  const [before = "", after] = message.split("%");
  const subject = after === undefined ? "" : detail || "something";
  return { before, subject, after: after ?? "" };
}
