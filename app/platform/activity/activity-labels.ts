/**
 * What an admin can have done, as the rest of a sentence that begins with who did it. `%` stands for
 * the detail of the activity, such as a title; the second form is the one without a detail.
 */
const SENTENCES = {
  publish: ["published %", "published a video"],
  draft: ["saved % as a draft", "saved a draft"],
  import: ["imported %", "imported a video"],
  hide: ["hid %", "hid a video"],
  show: ["made % visible", "made a video visible"],
  edit: ["edited %", "edited a video"],
  delete: ["deleted %", "deleted a video"],
  schedule: ["scheduled %", "scheduled a video"],
  unschedule: ["removed the schedule of %", "removed a schedule"],
  "publish-scheduled": ["had % published, as scheduled", "had a video published, as scheduled"],
  // The detail is what was decided, such as: Remove
  "report-decide": ["decided on a report: %", "decided on a report"],
  "report-preserve": ["preserved the evidence of a report", "preserved the evidence of a report"],
  "report-preserve-end": [
    "ended the preservation of a report",
    "ended the preservation of a report",
  ],
  "report-export": ["downloaded everything about a report", "downloaded everything about a report"],
  "report-videos": ["changed which videos a report names", "changed which videos a report names"],
  "publish-withheld": [
    "had % not published as scheduled because it is on hold",
    "had a video not published as scheduled because it is on hold",
  ],
  "consent-withheld": [
    "put % on hold until it has a valid consent record",
    "put a video on hold until it has a valid consent record",
  ],
  "consent-hide-all": [
    "hid % without a valid consent record",
    "hid videos without a valid consent record",
  ],
  "consent-hide-undo": [
    "made % without a valid consent record public again",
    "made videos without a valid consent record public again",
  ],
  "hide-scheduled": ["had % hidden, as scheduled", "had a video hidden, as scheduled"],
  "file-send": ["sent another file for %", "sent another file for a video"],
  replace: ["replaced the file of %", "replaced the file of a video"],
  "file-discard": ["discarded the new file of %", "discarded a new file"],
  "file-restore": ["restored an earlier file of %", "restored an earlier file"],
  "file-purge": ["deleted an earlier file of % for good", "deleted an earlier file for good"],
  "cut-ask": ["asked for a cut of %", "asked for a cut of a video"],
  cut: ["cut %", "cut a video"],
  "cut-undo": ["undid the cut of %", "undid the cut of a video"],
  restore: ["restored %", "restored a video"],
  // The detail is the sentence, such as: renamed the tag “hd” to “HD” in 12 videos
  "tag-change": ["%", "changed tags"],
  "tag-undo": ["undid that somebody %", "undid a change of tags"],
  "tag-aliases": ["set the other names of the tag %", "set the other names of a tag"],
  categories: ["named and ordered the categories: %", "named and ordered the categories"],
  "series-create": ["made the series %", "made a series"],
  "series-edit": ["changed the series %", "changed a series"],
  "series-order": ["ordered the series %", "ordered a series"],
  // The detail is the sentence, such as: put 2 videos into the series “A”
  "series-videos": ["%", "changed the videos of a series"],
  "series-delete": ["deleted the series %", "deleted a series"],
  "series-restore": ["restored the series %", "restored a series"],
  "convert-again": ["had the streams of % made again", "had streams made again"],
  backup: ["backed up the site: %", "backed up the site"],
  "backup-timed": ["had the site backed up, as scheduled: %", "had the site backed up"],
  "backup-failed": ["had a backup fail: %", "had a backup fail"],
  "backup-failed-timed": ["had a scheduled backup fail: %", "had a scheduled backup fail"],
  "alert-test": ["sent a test alert", "sent a test alert"],
  "removals-resume": ["resumed removals", "resumed removals"],
  purge: ["deleted % for good", "deleted a video for good"],
  "trash-empty": ["emptied the trash of %", "emptied the trash"],
  "block-refused": [
    "had a file for % refused, which is on the block list",
    "had a file refused, which is on the block list",
  ],
  "block-held": [
    "had % put on hold because it looks like a removed video",
    "had a video put on hold because it looks like a removed video",
  ],
  "block-other": [
    "marked % as different from the removed videos",
    "marked a video as different from the removed videos",
  ],
  "block-looked": [
    "released % without a comparison with the removed videos",
    "released a video without a comparison with the removed videos",
  ],
  "scan-held": ["had % put on hold by the scan", "had a video put on hold by the scan"],
  "scan-refused": ["had % refused by the scan", "had a video refused by the scan"],
  "scan-release": ["released % despite the scan", "released a video despite the scan"],
  "scan-again": ["had % scanned again", "had a video scanned again"],
  "block-remove": ["removed % from the block list", "removed an entry from the block list"],
  "block-put-back": ["put % back on the block list", "put an entry back on the block list"],
  "block-import": ["imported a block list: %", "imported a block list"],
  "block-export": ["exported the block list", "exported the block list"],
  "not-same": ["said that % are not the same", "said that two videos are not the same"],
  "queue-pause": ["paused the queue", "paused the queue"],
  "queue-resume": ["let the queue go on", "let the queue go on"],
  "queue-again": ["had % made again", "had something made again"],
  "queue-now": ["put % first in the queue", "put something first in the queue"],
  "queue-codecs": ["asked for further codecs of %", "asked for further codecs of a video"],
  "queue-later": ["put % last in the queue", "put something last in the queue"],
  // The detail is the sentence, such as: hid 2 videos: “A”, “B”
  "bulk-edit": ["%", "changed several videos"],
  "report-erase": ["deleted the text of a report", "deleted the text of a report"],
  "terms-write": ["wrote the uploaders' terms, %", "wrote the uploaders' terms"],
  "terms-on": [
    "has every upload accept the uploaders' terms",
    "has every upload accept the uploaders' terms",
  ],
  "terms-off": [
    "asks no upload to accept the uploaders' terms",
    "asks no upload to accept the uploaders' terms",
  ],
  strike: ["gave % a strike", "gave an uploader a strike"],
  "strike-withdraw": ["took back a strike of %", "took back a strike"],
  block: ["blocked %", "blocked an account"],
  "block-release": [
    "released %, whose former uploader is blocked",
    "released a video whose former uploader is blocked",
  ],
  "sign-in": ["signed in with %", "signed in"],
  "sign-in-refused": [
    "was locked out for a quarter of an hour after many wrong passwords",
    "was locked out for a quarter of an hour after many wrong passwords",
  ],
  "code-refused": [
    "was locked out for a quarter of an hour after wrong codes; somebody may know the password",
    "was locked out for a quarter of an hour after wrong codes; somebody may know the password",
  ],
  "sign-out": ["signed out everywhere", "signed out everywhere"],
  "password-change": ["changed the password", "changed the password"],
  // The one detail there is says that all sessions but the present one were ended.
  "session-end": ["ended all other sessions", "ended a session"],
  "second-factor-on": ["turned on the second factor", "turned on the second factor"],
  "second-factor-off": ["turned off the second factor", "turned off the second factor"],
  "recovery-code-use": ["signed in with a recovery code and %", "signed in with a recovery code"],
  "recovery-codes-renew": ["made new recovery codes", "made new recovery codes"],
  "passkey-add": ["added the passkey %", "added a passkey"],
  "passkey-rename": ["renamed a passkey to %", "renamed a passkey"],
  "passkey-remove": ["removed the passkey %", "removed a passkey"],
  "passkey-sign-in": ["signed in with a passkey and %", "signed in with a passkey"],
  "passkey-refused": [
    "had the passkey % refused, of which somebody may have a copy",
    "had a passkey refused, of which somebody may have a copy",
  ],
  "password-off": ["turned off the password", "turned off the password"],
  "token-create": ["made the API token %", "made an API token"],
  "token-revoke": ["revoked the API token %", "revoked an API token"],
  "worker-create": ["made the worker %", "made a worker"],
  "worker-revoke": ["revoked the worker %", "revoked a worker"],
  "account-create": ["made the account %", "made an account"],
  "review-ready": ["said that % is ready", "said that a video is ready"],
  "review-back": ["said that % is not ready yet", "said that a video is not ready yet"],
  "review-note": ["wrote a note about %", "wrote a note about a video"],
  "preview-link": ["made a preview link of %", "made a preview link"],
  "preview-revoke": ["revoked a preview link of %", "revoked a preview link"],
  "preview-open": ["opened the preview of %", "opened a preview"],
  invite: ["invited %", "invited somebody"],
  "invitation-withdraw": ["withdrew the invitation of %", "withdrew an invitation"],
  "invitation-accept": ["made an account for %, who was invited", "made an account by invitation"],
  "role-change": ["made %", "changed a role"],
  deactivate: ["deactivated the account %", "deactivated an account"],
  reactivate: ["let the account % sign in again", "let an account sign in again"],
  "user-sessions-end": ["ended the sessions of %", "ended the sessions of an account"],
  "password-reset": ["reset the password of %", "reset a password"],
  // The detail is how many videos went to which account, such as: 2 videos to owner@example.com
  "account-delete": ["deleted an account and transferred %", "deleted an account"],
  // The detail is, such as: 2 videos of a@example.com to b@example.com
  "videos-transfer": ["transferred %", "transferred videos"],
  "limits-change": ["changed the upload limits of %", "changed the upload limits of an account"],
} as const;

/** Shown instead of the email address of an account that was deleted. */
export const DELETED_ACCOUNT = "A deleted account";

/** Who did what has no account to its name. Nothing is known of who opened a link. */
export function unknownActor(action: string): string {
  return action === "preview-open" ? "Somebody with a link" : "The operator";
}

export type ActivityAction = keyof typeof SENTENCES;

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
export function activitySentence(
  action: string,
  detail: string,
): { before: string; subject: string; after: string } {
  const forms = (SENTENCES as Record<string, readonly [string, string]>)[action];
  const sentence = forms
    ? forms[detail ? 0 : 1]
    : [action, detail && "%"].filter(Boolean).join(" ");
  if (sentence === "%") return { before: detail, subject: "", after: "" };
  const [before = "", after] = sentence?.split("%") ?? [];
  return { before, subject: after === undefined ? "" : detail, after: after ?? "" };
}
