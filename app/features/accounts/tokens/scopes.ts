import type { Permission } from "~/features/permissions/permissions";

/** The scopes of API tokens. A token never allows more than its user is allowed to do. */
export const SCOPES = {
  read: "Read videos, the queue and statistics",
  upload: "Upload files and save them as drafts",
  edit: "Change titles, descriptions, categories and tags",
  publish: "Publish, hide and schedule videos",
  delete: "Delete videos",
} as const;

export type Scope = keyof typeof SCOPES;

/** The permission that each scope requires of the token's account. */
export const SCOPE_PERMISSIONS: Record<Scope, Permission> = {
  read: "/admin",
  upload: "/admin/publish",
  edit: "/admin update",
  publish: "/admin toggle",
  delete: "/admin delete",
};

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

export const LIFETIMES_DAYS = [7, 30, 90, 365] as const;

export const MAX_TOKEN_NAME_LENGTH = 100;
