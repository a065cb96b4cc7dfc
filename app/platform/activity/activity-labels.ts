/**
 * The messages for activities. Each completes a sentence that starts with the user. `%` stands for the activity's
 * detail, such as a title. A second form is used if there is no detail.
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
  "publish-scheduled": "published % as scheduled",
  // The detail is the decision, for example: Remove
  "report-decide": "decided on a report: %",
  "report-preserve": "preserved the evidence of a report",
  "report-preserve-end": "ended the preservation of a report",
  "report-export": "downloaded all data about a report",
  "report-videos": "changed the list of videos in a report",
  "publish-withheld": "couldn’t publish % as scheduled because it is on hold",
  "consent-withheld": "put % on hold until it has a valid consent record",
  "consent-hide-all": "hid % because of missing or invalid consent records",
  "consent-hide-undo": "made % public again despite missing or invalid consent records",
  "hide-scheduled": "hid % as scheduled",
  "file-send": "uploaded a new file for %",
  replace: "replaced the file of %",
  "file-discard": "discarded the new file of %",
  "file-restore": "restored an earlier file of %",
  "file-purge": "permanently deleted an earlier file of %",
  "cut-ask": "started trimming %",
  cut: "trimmed %",
  "cut-undo": "undid the trim of %",
  restore: "restored %",
  // The detail is the whole message, for example: renamed the tag “hd” to “HD” in 12 videos
  "tag-change": "%",
  "tag-undo": "undid: %",
  "tag-aliases": "set the aliases of the tag %",
  categories: "changed the categories: %",
  "series-create": "created the series %",
  "series-edit": "changed the series %",
  "series-order": "reordered the series %",
  // The detail is the whole message, for example: put 2 videos into the series “A”
  "series-videos": "%",
  "series-delete": "deleted the series %",
  "series-restore": "restored the series %",
  "convert-again": "started re-encoding %",
  backup: "backed up the site: %",
  "backup-timed": "backed up the site as scheduled: %",
  "backup-failed": "couldn’t back up the site: %",
  "backup-failed-timed": "couldn’t back up the site as scheduled: %",
  "alert-test": "sent a test alert",
  "removals-resume": "resumed removals",
  purge: "permanently deleted %",
  "trash-empty": "emptied the trash: %",
  "block-refused": "tried to upload a file for %, which is on the block list",
  "block-held": "uploaded %, which is on hold because it looks like a removed video",
  "block-other": "marked % as different from the removed videos",
  "block-looked": "released % without comparing it with the removed videos",
  "scan-held": "uploaded %, which the scan put on hold",
  "scan-refused": "uploaded %, which the scan rejected",
  "scan-release": "released % despite the scan",
  "scan-again": "started another scan of %",
  "block-remove": "removed % from the block list",
  "block-put-back": "put % back on the block list",
  "block-import": "imported a block list: %",
  "block-export": "exported the block list",
  "not-same": "marked % as different videos",
  "queue-pause": "paused the queue",
  "queue-resume": "resumed the queue",
  "queue-again": "retried %",
  "queue-now": "moved % to the front of the queue",
  "queue-codecs": "requested additional codecs for %",
  "queue-later": "moved % to the back of the queue",
  // The detail is the whole message, for example: hid 2 videos: “A”, “B”
  "bulk-edit": "%",
  "report-erase": "deleted the text of a report",
  "terms-write": "published the upload terms, %",
  "terms-on": "started requiring acceptance of the upload terms",
  "terms-off": "stopped requiring acceptance of the upload terms",
  strike: "gave % a strike",
  "strike-withdraw": "withdrew a strike against %",
  block: "blocked %",
  "block-release": "released %, whose former uploader is blocked",
  "sign-in": ["signed in with %", "signed in"],
  "sign-in-refused": "was locked out for 15 minutes after too many wrong passwords",
  "code-refused":
    "was locked out for 15 minutes after too many wrong codes; someone may know the password",
  "sign-out": "signed out everywhere",
  "password-change": "changed the password",
  // If there is a detail, all sessions except the current one were ended.
  "session-end": ["ended all other sessions", "ended a session"],
  "second-factor-on": "turned on two-factor authentication",
  "second-factor-off": "turned off two-factor authentication",
  "recovery-code-use": "signed in with a recovery code and %",
  "recovery-codes-renew": "created new recovery codes",
  "passkey-add": "added the passkey %",
  "passkey-rename": "renamed a passkey to %",
  "passkey-remove": "removed the passkey %",
  "passkey-sign-in": "signed in with a passkey and %",
  "passkey-refused": "tried to sign in with the passkey %, which may have been copied",
  "password-off": "turned off password sign-in",
  "token-create": "created the API token %",
  "token-revoke": "revoked the API token %",
  "worker-create": "created the worker %",
  "worker-revoke": "revoked the worker %",
  "account-create": "created the account %",
  "review-ready": "marked % as ready for review",
  "review-back": "sent % back for changes",
  "review-note": "added a note to %",
  "preview-link": "created a preview link for %",
  "preview-revoke": "revoked a preview link for %",
  "preview-open": "opened a preview link for %",
  invite: "invited %",
  "invitation-withdraw": "withdrew the invitation for %",
  "invitation-accept": "created an account for %, who was invited",
  "role-change": "made %",
  deactivate: "deactivated the account %",
  reactivate: "reactivated the account %",
  "user-sessions-end": "ended the sessions of %",
  "password-reset": "reset the password of %",
  // The detail is the number of videos and the new account, for example: 2 videos to owner@example.com
  "account-delete": "deleted an account and transferred %",
  // The detail is, for example: 2 videos of a@example.com to b@example.com
  "videos-transfer": "transferred %",
  "limits-change": "changed the upload limits of %",
} as const;

/** Shown instead of the email address of a deleted account. */
export const DELETED_ACCOUNT = "A deleted account";

/**
 * Returns the name of the actor for an activity without an account. Nothing is known about people who open a preview
 * link.
 */
export function unknownActor(action: string): string {
  return action === "preview-open" ? "Someone" : "The operator";
}

export type ActivityAction = keyof typeof MESSAGES;

/** The actions whose detail contains an account's email address, surrounded by spaces. */
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
 * Returns the rest of the sentence about an activity, split around its detail. `subject` is empty if the message has no
 * detail. If the action was recorded by another version of the site and is unknown, its name is returned.
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
