import type { Role } from "~db/schema";

/**
 * Who may do what: one line for each address of the site, and one for each form (`intent`) and each
 * part of an address that needs a permission of its own. A test walks all routes with all roles, so
 * an address without a line fails it.
 *
 * `all`: without limits. `own`: only with videos that they have uploaded, and until they may publish
 * only while these are drafts. `publisher`: as `own`, and only who may publish. `reported`: only videos that
 * a report names, open or closed. `none`: not at all. `anyone`: visitors too.
 */
const TABLE = {
  "/admin": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin publish": { owner: "all", editor: "all", moderator: "none", uploader: "publisher" },
  "/admin draft": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin update": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin toggle": { owner: "all", editor: "all", moderator: "none", uploader: "publisher" },
  "/admin schedule": { owner: "all", editor: "all", moderator: "none", uploader: "publisher" },
  "/admin delete": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin restore": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin replace": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin use-file": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin restore-file": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin discard-file": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin trim": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin undo-trim": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin not-same": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin bulk": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin bulk publish": { owner: "all", editor: "all", moderator: "none", uploader: "publisher" },
  "/admin bulk hide": { owner: "all", editor: "all", moderator: "none", uploader: "publisher" },
  "/admin bulk category": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin bulk add-tags": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin bulk remove-tags": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin bulk add-series": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin bulk remove-series": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin bulk schedule": { owner: "all", editor: "all", moderator: "none", uploader: "publisher" },
  "/admin bulk unschedule": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "publisher",
  },
  "/admin bulk convert-again": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin bulk convert-now": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin bulk convert-later": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin bulk delete": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin save-view": { owner: "own", editor: "own", moderator: "none", uploader: "own" },
  "/admin remove-view": { owner: "own", editor: "own", moderator: "none", uploader: "own" },
  "/admin/publish": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin/uploads/:id?": { owner: "own", editor: "own", moderator: "none", uploader: "own" },
  "/admin/trash": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin/templates": { owner: "own", editor: "own", moderator: "none", uploader: "own" },
  "/admin/terms": { owner: "all", editor: "all", moderator: "all", uploader: "all" },
  "/admin/terms write": { owner: "all", editor: "none", moderator: "none", uploader: "none" },
  "/admin/review/:id other-film": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "none",
  },
  "/admin/review/:id compare-again": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "none",
  },
  "/admin/review/:id release-uncompared": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "none",
  },
  "/admin/review/:id release-scan": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "none",
  },
  "/admin/review/:id release-blocked": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "none",
  },
  "/admin/review/:id scan-again": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "none",
  },
  "/admin/review/:id": { owner: "all", editor: "all", moderator: "reported", uploader: "own" },
  "/admin/review/:id note": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin/review/:id ready": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin/review/:id unready": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin/review/:id link": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin/review/:id revoke": { owner: "all", editor: "all", moderator: "none", uploader: "own" },
  "/admin/account": { owner: "own", editor: "own", moderator: "own", uploader: "own" },
  "/admin/account/passkey": { owner: "own", editor: "own", moderator: "own", uploader: "own" },
  "/admin/users": { owner: "all", editor: "none", moderator: "none", uploader: "none" },
  "/admin/backups": { owner: "all", editor: "none", moderator: "none", uploader: "none" },
  "/admin/reports": { owner: "all", editor: "all", moderator: "all", uploader: "none" },
  "/admin/reports/:id": { owner: "all", editor: "all", moderator: "all", uploader: "none" },
  "/admin/reports/:id end-preservation": {
    owner: "all",
    editor: "none",
    moderator: "none",
    uploader: "none",
  },
  "/admin/reports/:id/archive": {
    owner: "all",
    editor: "none",
    moderator: "none",
    uploader: "none",
  },
  "/admin/block-list": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/block-list remove": { owner: "all", editor: "none", moderator: "none", uploader: "none" },
  "/admin/block-list import": { owner: "all", editor: "none", moderator: "none", uploader: "none" },
  "/admin/block-list/:entry/thumbnail": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "none",
  },
  "/admin/block-list/:file": { owner: "all", editor: "none", moderator: "none", uploader: "none" },
  "/admin/alerts": { owner: "all", editor: "none", moderator: "none", uploader: "none" },
  "/admin/tokens": { owner: "own", editor: "own", moderator: "own", uploader: "own" },
  "/admin/tokens create": { owner: "own", editor: "own", moderator: "none", uploader: "own" },
  "/admin/queue": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/workers": { owner: "all", editor: "none", moderator: "none", uploader: "none" },
  "/admin/tags": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/series/:id?": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/import": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/import/:file": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/statistics": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/statistics/:file": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/consent": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/consent hide-lacking": {
    owner: "all",
    editor: "none",
    moderator: "none",
    uploader: "none",
  },
  "/admin/consent undo-hiding": {
    owner: "all",
    editor: "none",
    moderator: "none",
    uploader: "none",
  },
  "/admin/consent/:id": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  // Who somebody is: their documents, and everything that is kept about them.
  "/admin/consent/:id add-document": {
    owner: "all",
    editor: "none",
    moderator: "none",
    uploader: "none",
  },
  "/admin/consent/:id remove-document": {
    owner: "all",
    editor: "none",
    moderator: "none",
    uploader: "none",
  },
  "/admin/consent/:id forget": {
    owner: "all",
    editor: "none",
    moderator: "none",
    uploader: "none",
  },
  "/admin/consent/:id/documents/:document": {
    owner: "all",
    editor: "none",
    moderator: "none",
    uploader: "none",
  },
  "/admin/videos/:id/consent": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  "/admin/videos/:id/statistics": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "own",
  },
  "/admin/videos/:id/statistics/:file": {
    owner: "all",
    editor: "all",
    moderator: "none",
    uploader: "own",
  },
  "/admin/activity": { owner: "all", editor: "all", moderator: "none", uploader: "none" },
  // Files of videos that are not published, and the notice that conversions go on.
  "/media/* hidden": { owner: "all", editor: "all", moderator: "reported", uploader: "own" },
  "/events jobs": { owner: "all", editor: "all", moderator: "all", uploader: "all" },

  "/": "anyone",
  "/categories/:category?": "anyone",
  "/trending": "anyone",
  "/tags/:tag": "anyone",
  "/series/:slug": "anyone",
  "/video/:id": "anyone",
  "/saved": "anyone",
  "/auth": "anyone",
  "/auth/code": "anyone",
  "/auth/passkey": "anyone",
  "/invite/:token": "anyone",
  "/preview/:token": "anyone",
  "/preview/:token/media/*": "anyone",
  "/privacy": "anyone",
  "/records": "anyone",
  "/dmca": "anyone",
  "/report": "anyone",
  "/report/:token": "anyone",
  "/contact": "anyone",
  "/transparency": "anyone",
  "/transparency.json": "anyone",
  "/preferences": "anyone",
  "/offline": "anyone",
  "/*": "anyone",
  "/age": "anyone",
  "/age-check": "anyone",
  "/age-check/start": "anyone",
  "/age-check/answer": "anyone",
  "/surprise": "anyone",
  "/video/:id/view": "anyone",
  "/video/:id/watched": "anyone",
  "/search/suggestions": "anyone",
  "/video/:id/stream": "anyone",
  "/saved/videos": "anyone",
  "/sign-out": "anyone",
  "/media/*": "anyone",
  "/events": "anyone",
  "/api": "anyone",
  // Its calls ask for a token, and then for the lines above.
  "/api/v1/*": "anyone",
  // Its calls ask for the token of a worker, or are signed.
  "/api/worker/*": "anyone",
  "/healthz": "anyone",
  // It asks for a token, or for this machine.
  "/metrics": "anyone",
  "/sitemap.xml": "anyone",
  "/sitemap/:part": "anyone",
  "/robots.txt": "anyone",
  "/feed.xml": "anyone",
  "/tags/:tag/feed.xml": "anyone",
  "/series/:slug/feed.xml": "anyone",
  "/manifest.webmanifest": "anyone",
  "/sw.js": "anyone",
  "/favicon.ico": "anyone",
  "/apple-touch-icon.png": "anyone",
  "/icon-192.png": "anyone",
  "/icon-512.png": "anyone",
  "/share.png": "anyone",
} as const satisfies Record<string, "anyone" | Record<Role, Access>>;

type Access = "all" | "own" | "publisher" | "reported" | "none";

/** A line of the table that needs an account. */
export type Permission = {
  [Name in keyof typeof TABLE]: (typeof TABLE)[Name] extends "anyone" ? never : Name;
}[keyof typeof TABLE];

export const PERMISSIONS: Readonly<Record<string, "anyone" | Record<Role, Access>>> = TABLE;

/** As far as permissions go, who somebody is. */
export interface Permitted {
  role: Role;
  /** Of an uploader: whether they may publish; owners and editors may, moderators may not. */
  mayPublish: boolean;
}

/** Returns what the columns of an account say about its permissions. */
export function permittedOf({ role, may_publish }: { role: Role; may_publish: number }): Permitted {
  return { role, mayPublish: role === "owner" || role === "editor" || may_publish === 1 };
}

/** How far a permission reaches: over everything, over one's own or reported videos, or not at all. */
export type Reach = "all" | "own" | "reported" | "none";

/** How far somebody's permission reaches. */
export function reachOf({ role, mayPublish }: Permitted, permission: Permission): Reach {
  const access: Access = TABLE[permission][role];
  if (access !== "publisher") return access;
  return mayPublish ? "own" : "none";
}

/** Whether somebody may do it at all. */
export function allows(who: Permitted, permission: Permission): boolean {
  return reachOf(who, permission) !== "none";
}
