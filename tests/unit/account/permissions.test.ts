import { describe, expect, it } from "vitest";
import {
  allows,
  PERMISSIONS,
  type Permission,
  permittedOf,
  reachOf,
} from "~/features/permissions/permissions";
import { ROLES } from "~db/schema";

const OWNER = { role: "owner", mayPublish: true } as const;
const EDITOR = { role: "editor", mayPublish: true } as const;
const MODERATOR = { role: "moderator", mayPublish: false } as const;
const UPLOADER = { role: "uploader", mayPublish: false } as const;
const PUBLISHER = { role: "uploader", mayPublish: true } as const;

const guarded = Object.entries(PERMISSIONS).flatMap(([name, line]) =>
  line === "anyone" ? [] : [name as Permission],
);

describe("the permissions table", () => {
  it("defines each role's access in every entry", () => {
    for (const name of guarded) {
      expect(PERMISSIONS[name], name).toHaveLength(ROLES.length);
    }
  });

  it("gives owners access to everything, and editors access to everything except terms, users, backups, alerts and workers", () => {
    for (const name of guarded) expect(allows(OWNER, name), name).toBe(true);
    expect(guarded.filter((name) => !allows(EDITOR, name))).toEqual([
      "/admin/terms write",
      "/admin/users",
      "/admin/backups",
      "/admin/reports/:id end-preservation",
      "/admin/reports/:id/archive",
      "/admin/block-list remove",
      "/admin/block-list import",
      "/admin/block-list/:file",
      "/admin/alerts",
      "/admin/workers",
      "/admin/consent hide-lacking",
      "/admin/consent undo-hiding",
      "/admin/consent/:id add-document",
      "/admin/consent/:id remove-document",
      "/admin/consent/:id forget",
      "/admin/consent/:id/documents/:document",
    ]);
  });

  it("limits moderators to reports, reported videos, terms and their own account", () => {
    const allowed = guarded.filter((name) => allows(MODERATOR, name));
    expect(Object.fromEntries(allowed.map((name) => [name, reachOf(MODERATOR, name)]))).toEqual({
      "/admin/reports": "all",
      "/admin/reports/:id": "all",
      "/admin/review/:id": "reported",
      "/media/* hidden": "reported",
      "/admin/terms": "all",
      "/admin/account": "own",
      "/admin/account/passkey": "own",
      "/admin/tokens": "own",
      "/events jobs": "all",
    });
  });

  it("always lets owners and editors publish, but lets uploaders publish only if they have permission", () => {
    for (const role of ROLES) {
      const { mayPublish } = permittedOf({ role, may_publish: 0 });
      expect(mayPublish, role).toBe(role === "owner" || role === "editor");
    }
    expect(permittedOf({ role: "uploader", may_publish: 1 }).mayPublish).toBe(true);
  });

  it("doesn't give uploaders access to other users' videos", () => {
    const all = guarded.filter((name) => reachOf(PUBLISHER, name) === "all");
    // The terms and the queue's live updates don't reveal anything about other users' videos.
    expect(all).toEqual(["/admin/terms", "/events jobs"]);
  });

  it("lets uploaders publish, hide and schedule videos only if they have permission", () => {
    const later = guarded.filter((name) => allows(PUBLISHER, name) && !allows(UPLOADER, name));
    expect(later).toEqual([
      "/admin publish",
      "/admin toggle",
      "/admin schedule",
      "/admin bulk publish",
      "/admin bulk hide",
      "/admin bulk schedule",
      "/admin bulk unschedule",
    ]);
  });

  it("doesn't give uploaders access to the queue, tags, statistics or activity", () => {
    for (const name of ["/admin/queue", "/admin/tags", "/admin/statistics", "/admin/activity"]) {
      expect(allows(PUBLISHER, name as Permission), name).toBe(false);
    }
  });
});
