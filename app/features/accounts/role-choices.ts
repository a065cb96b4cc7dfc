import type { Role } from "~db/schema";

/** The roles that owners can assign. There are two kinds of uploaders. */
export const ROLE_CHOICES = ["owner", "editor", "moderator", "uploader", "publisher"] as const;
export type RoleChoice = (typeof ROLE_CHOICES)[number];

export const ROLE_LABELS: Record<RoleChoice, string> = {
  owner: "Owner",
  editor: "Editor",
  moderator: "Moderator",
  uploader: "Uploader (drafts only)",
  publisher: "Uploader (can publish)",
};

/** The roles with an indefinite article, for use in sentences. */
export const ROLE_NOUNS: Record<RoleChoice, string> = {
  owner: "an owner",
  editor: "an editor",
  moderator: "a moderator",
  uploader: "an uploader (drafts only)",
  publisher: "an uploader who can publish",
};

/** Returns the account columns for a role choice. */
export function columnsOf(choice: RoleChoice): { role: Role; may_publish: number } {
  if (choice === "publisher") return { role: "uploader", may_publish: 1 };
  return { role: choice, may_publish: 0 };
}

/** Returns the role choice that an account's columns represent. */
export function choiceOf({ role, may_publish }: { role: Role; may_publish: number }): RoleChoice {
  return role === "uploader" && may_publish === 1 ? "publisher" : role;
}
