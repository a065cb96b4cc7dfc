import type { Role } from "~db/schema";

/** What somebody can be made: the roles, and of uploaders two kinds. */
export const ROLE_CHOICES = ["owner", "editor", "moderator", "uploader", "publisher"] as const;
export type RoleChoice = (typeof ROLE_CHOICES)[number];

export const ROLE_LABELS: Record<RoleChoice, string> = {
  owner: "Owner",
  editor: "Editor",
  moderator: "Moderator",
  uploader: "Uploader, drafts only",
  publisher: "Uploader who may publish",
};

/** With an article, for sentences. */
export const ROLE_NOUNS: Record<RoleChoice, string> = {
  owner: "an owner",
  editor: "an editor",
  moderator: "a moderator",
  uploader: "an uploader of drafts",
  publisher: "an uploader who may publish",
};

export function columnsOf(choice: RoleChoice): { role: Role; may_publish: number } {
  if (choice === "publisher") return { role: "uploader", may_publish: 1 };
  return { role: choice, may_publish: 0 };
}

/** The choice that columns stand for. */
export function choiceOf({ role, may_publish }: { role: Role; may_publish: number }): RoleChoice {
  return role === "uploader" && may_publish === 1 ? "publisher" : role;
}
