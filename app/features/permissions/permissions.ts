import type { Role, VideoRow } from "~db/schema";

/**
 * The permissions: one line for each route of the site, and one for each form (`intent`) and each part of a route that
 * needs a separate permission. A test tries every route with every role, and fails if the table has no line for a
 * route. The columns are for owners, editors, moderators and uploaders.
 *
 * `all`: no restriction. `own`: only videos that the user has uploaded and, until they may publish, only drafts.
 * `publisher`: like `own`, but only users who may publish. `reported`: only videos that have been reported, whether the
 * report is open or closed. `none`: no access. `anyone`: includes visitors.
 */
const TABLE = {
  "/admin": ["all", "all", "none", "own"],
  "/admin publish": ["all", "all", "none", "publisher"],
  "/admin draft": ["all", "all", "none", "own"],
  "/admin update": ["all", "all", "none", "own"],
  "/admin toggle": ["all", "all", "none", "publisher"],
  "/admin schedule": ["all", "all", "none", "publisher"],
  "/admin delete": ["all", "all", "none", "own"],
  "/admin restore": ["all", "all", "none", "own"],
  "/admin replace": ["all", "all", "none", "own"],
  "/admin use-file": ["all", "all", "none", "own"],
  "/admin restore-file": ["all", "all", "none", "own"],
  "/admin discard-file": ["all", "all", "none", "own"],
  "/admin trim": ["all", "all", "none", "own"],
  "/admin undo-trim": ["all", "all", "none", "own"],
  "/admin not-same": ["all", "all", "none", "own"],
  "/admin bulk": ["all", "all", "none", "own"],
  "/admin bulk publish": ["all", "all", "none", "publisher"],
  "/admin bulk hide": ["all", "all", "none", "publisher"],
  "/admin bulk category": ["all", "all", "none", "own"],
  "/admin bulk add-tags": ["all", "all", "none", "own"],
  "/admin bulk remove-tags": ["all", "all", "none", "own"],
  "/admin bulk add-series": ["all", "all", "none", "none"],
  "/admin bulk remove-series": ["all", "all", "none", "none"],
  "/admin bulk schedule": ["all", "all", "none", "publisher"],
  "/admin bulk unschedule": ["all", "all", "none", "publisher"],
  "/admin bulk convert-again": ["all", "all", "none", "none"],
  "/admin bulk convert-now": ["all", "all", "none", "none"],
  "/admin bulk convert-later": ["all", "all", "none", "none"],
  "/admin bulk delete": ["all", "all", "none", "own"],
  "/admin save-view": ["own", "own", "none", "own"],
  "/admin remove-view": ["own", "own", "none", "own"],
  "/admin/publish": ["all", "all", "none", "own"],
  "/admin/uploads/:id?": ["own", "own", "none", "own"],
  "/admin/trash": ["all", "all", "none", "own"],
  "/admin/templates": ["own", "own", "none", "own"],
  "/admin/terms": ["all", "all", "all", "all"],
  "/admin/terms write": ["all", "none", "none", "none"],
  "/admin/review/:id other-video": ["all", "all", "none", "none"],
  "/admin/review/:id compare-again": ["all", "all", "none", "none"],
  "/admin/review/:id release-uncompared": ["all", "all", "none", "none"],
  "/admin/review/:id release-scan": ["all", "all", "none", "none"],
  "/admin/review/:id release-blocked": ["all", "all", "none", "none"],
  "/admin/review/:id scan-again": ["all", "all", "none", "none"],
  "/admin/review/:id": ["all", "all", "reported", "own"],
  "/admin/review/:id note": ["all", "all", "none", "own"],
  "/admin/review/:id ready": ["all", "all", "none", "own"],
  "/admin/review/:id unready": ["all", "all", "none", "own"],
  "/admin/review/:id link": ["all", "all", "none", "own"],
  "/admin/review/:id revoke": ["all", "all", "none", "own"],
  "/admin/account": ["own", "own", "own", "own"],
  "/admin/account/passkey": ["own", "own", "own", "own"],
  "/admin/users": ["all", "none", "none", "none"],
  "/admin/backups": ["all", "none", "none", "none"],
  "/admin/reports": ["all", "all", "all", "none"],
  "/admin/reports/:id": ["all", "all", "all", "none"],
  "/admin/reports/:id end-preservation": ["all", "none", "none", "none"],
  "/admin/reports/:id/archive": ["all", "none", "none", "none"],
  "/admin/block-list": ["all", "all", "none", "none"],
  "/admin/block-list remove": ["all", "none", "none", "none"],
  "/admin/block-list import": ["all", "none", "none", "none"],
  "/admin/block-list/:entry/thumbnail": ["all", "all", "none", "none"],
  "/admin/block-list/:file": ["all", "none", "none", "none"],
  "/admin/alerts": ["all", "none", "none", "none"],
  "/admin/tokens": ["own", "own", "own", "own"],
  "/admin/tokens create": ["own", "own", "none", "own"],
  "/admin/queue": ["all", "all", "none", "none"],
  "/admin/workers": ["all", "none", "none", "none"],
  "/admin/tags": ["all", "all", "none", "none"],
  "/admin/series/:id?": ["all", "all", "none", "none"],
  "/admin/import": ["all", "all", "none", "none"],
  "/admin/import/:file": ["all", "all", "none", "none"],
  "/admin/statistics": ["all", "all", "none", "none"],
  "/admin/statistics/:file": ["all", "all", "none", "none"],
  "/admin/consent": ["all", "all", "none", "none"],
  "/admin/consent hide-lacking": ["all", "none", "none", "none"],
  "/admin/consent undo-hiding": ["all", "none", "none", "none"],
  "/admin/consent/:id": ["all", "all", "none", "none"],
  // Access to performers' documents, and the right to delete all data about performers.
  "/admin/consent/:id add-document": ["all", "none", "none", "none"],
  "/admin/consent/:id remove-document": ["all", "none", "none", "none"],
  "/admin/consent/:id forget": ["all", "none", "none", "none"],
  "/admin/consent/:id/documents/:document": ["all", "none", "none", "none"],
  "/admin/videos/:id/consent": ["all", "all", "none", "none"],
  "/admin/videos/:id/statistics": ["all", "all", "none", "own"],
  "/admin/videos/:id/statistics/:file": ["all", "all", "none", "own"],
  "/admin/activity": ["all", "all", "none", "none"],
  // Access to the files of unpublished videos, and to live updates from the job queue.
  "/media/* hidden": ["all", "all", "reported", "own"],
  "/events jobs": ["all", "all", "all", "all"],

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
  // API operations require a token, and then the permissions above.
  "/api/v1/*": "anyone",
  // The worker API requires a worker's token or a signature.
  "/api/worker/*": "anyone",
  "/healthz": "anyone",
  // Scraping requires a token unless the request comes from this machine.
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
} as const satisfies Record<string, "anyone" | readonly [Access, Access, Access, Access]>;

const COLUMNS = { owner: 0, editor: 1, moderator: 2, uploader: 3 } as const satisfies Record<
  Role,
  number
>;

type Access = "all" | "own" | "publisher" | "reported" | "none";

/** A line of the table that requires an account. */
export type Permission = {
  [Name in keyof typeof TABLE]: (typeof TABLE)[Name] extends "anyone" ? never : Name;
}[keyof typeof TABLE];

export const PERMISSIONS: Readonly<Record<string, "anyone" | readonly Access[]>> = TABLE;

/** The properties of an account that determine its permissions. */
export interface Permitted {
  role: Role;
  /** Depends on the account only for uploaders. Owners and editors may publish, and moderators may not. */
  mayPublish: boolean;
}

/** Returns the permission properties stored in an account's columns. */
export function permittedOf({ role, may_publish }: { role: Role; may_publish: number }): Permitted {
  return { role, mayPublish: role === "owner" || role === "editor" || may_publish === 1 };
}

/** The scope of a permission: everything, the user's own videos, reported videos, or nothing. */
type Reach = "all" | "own" | "reported" | "none";

/** Returns the scope of a user's permission. */
export function reachOf({ role, mayPublish }: Permitted, permission: Permission): Reach {
  const access: Access = TABLE[permission][COLUMNS[role]];
  if (access !== "publisher") return access;
  return mayPublish ? "own" : "none";
}

/** Returns whether a user has a permission, regardless of its scope. */
export function allows(who: Permitted, permission: Permission): boolean {
  return reachOf(who, permission) !== "none";
}

/** The videos to which an uploader's permissions apply. */
export interface OwnVideos {
  userId: string;
  /** Uploaders who may not publish can only change drafts, so that reviewed videos can't be changed. */
  draftsOnly: boolean;
}

/** Returns the videos to which a permission applies; undefined for all. */
export function ownVideosOf(
  user: Permitted & { id: string },
  permission: Permission,
): OwnVideos | undefined {
  if (reachOf(user, permission) === "all") return undefined;
  return { userId: user.id, draftsOnly: !allows(user, "/admin publish") };
}

/** Returns whether a video is still a draft, which means that it was never published, hidden or scheduled. */
export function isDraft({ status, publish_at }: Pick<VideoRow, "status" | "publish_at">): boolean {
  return status === "review" && publish_at === null;
}

/** An SQL condition on `deleted_videos` for an uploader's own videos, with the parameters of `ownDeletedValues`. */
export const OWN_DELETED = `uploaded_by = @uploader AND (@draftsOnly = 0 OR (
  json_extract("row", '$.status') = 'review' AND json_extract("row", '$.publish_at') IS NULL))`;

/** An SQL condition on `videos` for replaced files, with the same parameters. */
export const OWN_FILE = `videos.uploaded_by = @uploader AND (@draftsOnly = 0 OR (
  videos.status = 'review' AND videos.publish_at IS NULL))`;

export function ownDeletedValues({ userId, draftsOnly }: OwnVideos) {
  return { uploader: userId, draftsOnly: Number(draftsOnly) };
}
