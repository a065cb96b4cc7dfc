/** What an admin can have done, with the words the activity list has for it. */
export const ACTIVITY_LABELS = {
  publish: "published",
  draft: "saved as draft",
  import: "imported",
  hide: "hid",
  show: "made visible",
  edit: "edited",
  delete: "deleted",
  restore: "restored",
  "bulk-edit": "changed several videos",
  "sign-in": "signed in",
  "sign-in-refused": "was locked for a quarter of an hour after many wrong passwords",
  "sign-out": "signed out everywhere",
  "password-change": "changed the password",
  "session-end": "ended a session",
  "second-factor-on": "turned on the second factor",
  "second-factor-off": "turned off the second factor",
  "recovery-code-use": "signed in with a recovery code",
  "recovery-codes-renew": "made new recovery codes",
  "account-create": "made the account",
  "password-reset": "reset the password",
} as const;

export type ActivityAction = keyof typeof ACTIVITY_LABELS;

/** The words for an action; its name when an older or newer version of the site wrote it. */
export function activityLabel(action: string): string {
  return (ACTIVITY_LABELS as Record<string, string>)[action] ?? action;
}
