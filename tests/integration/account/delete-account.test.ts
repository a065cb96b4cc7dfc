import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findInvitation, invite } from "~/features/accounts/invitations.server";
import { action, loader } from "~/features/accounts/routes/users";
import { changeRole, LAST_OWNER, setDeactivated } from "~/features/accounts/user-list.server";
import { blockUser } from "~/features/accounts/users/block.server";
import {
  ACCOUNT_COLUMNS,
  deleteAccount,
  transferVideos,
} from "~/features/accounts/users/delete-account.server";
import type { UsersFailure } from "~/features/accounts/users/users-action.server";
import { findObstacle } from "~/features/library/files/activate-replacement.server";
import { action as review } from "~/features/library/routes/review";
import { openSession } from "~/features/permissions/session.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { storeFinishedUpload } from "~/media/intake/tus.server";
import { listActivities } from "~/platform/activity/activity.server";
import { sqliteHandle } from "~db/client.server";
import { mp4Clip } from "../../clips";
import { formRequest, GOOD_PASSWORD, insertUser, ORIGIN } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, filesIn, uploadRequest } from "../../upload-requests";

const EMAIL = "Second+it%_@example.com";

let site: ReturnType<typeof useTemporarySite>;
let owner: string;
let user: string;
let receiver: string;
let cookie: string;
beforeEach(async () => {
  site = useTemporarySite();
  owner = insertUser("owner@example.com").id;
  user = insertUser(EMAIL).id;
  receiver = insertUser("third@example.com").id;
  cookie = (await openSession(owner)).split(";")[0]!;
});
afterEach(() => site.remove());

const sql = (statement: string, ...values: unknown[]) =>
  sqliteHandle()
    .prepare(statement)
    .run(...values);
const read = (statement: string, ...values: unknown[]) =>
  sqliteHandle()
    .prepare(statement)
    .pluck()
    .all(...values);
const addVideo = (id: string, uploader = user, status = "published") =>
  sql(
    `INSERT INTO videos (id, title, category, status, uploaded_by, video_url)
     VALUES (?, 'A walk at night', 'desi', ?, ?, ?)`,
    ...[id, status, uploader, `/media/videos/${uploader}/1700000000001.mp4`],
  );
const addDeleted = (id: string) =>
  sql(
    `INSERT INTO deleted_videos (id, title, row, deleted_by, deleted_at)
     VALUES (?, 'A walk', ?, ?, '2026-01-01T00:00:00.000Z')`,
    ...[id, JSON.stringify({ id, uploaded_by: user, views: 12, number: 5 }), user],
  );
const uploaderOf = (id: string) =>
  read(
    `SELECT uploaded_by FROM videos WHERE id = @id
     UNION ALL SELECT uploaded_by FROM deleted_videos WHERE id = @id`,
    { id },
  )[0];
const isPublic = (id: string) => read("SELECT public FROM videos WHERE id = ?", id)[0] === 1;
const exists = (id: string) => read("SELECT 1 FROM users WHERE id = ?", id).length === 1;

/** Returns all rows in all tables, grouped by table. */
function everything(): Record<string, unknown[]> {
  const names = read(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'video_search%'",
  ) as string[];
  return Object.fromEntries(
    names.map((name) => [name, sqliteHandle().prepare(`SELECT * FROM "${name}"`).all()]),
  );
}

interface Column {
  table: string;
  name: string;
  /** The foreign key's ON DELETE action, if the column has a foreign key. */
  onDelete?: string;
}

/** Returns the columns that reference an account. They are identified by their foreign key or their name. */
function accountColumns(): Column[] {
  const tables = read(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'video_search%'",
  ) as string[];
  return tables.flatMap((table) => {
    const keys = sqliteHandle().prepare(`PRAGMA foreign_key_list("${table}")`).all() as {
      table: string;
      from: string;
      on_delete: string;
    }[];
    const columns = read(`SELECT name FROM pragma_table_xinfo('${table}')`) as string[];
    return columns.flatMap((name) => {
      const key = keys.find((each) => each.table === "users" && each.from === name);
      const isNamed = /(^|_)(user|account|owner|uploader)(_id)?$|_by$/.test(name);
      if (key) return [{ table, name, onDelete: key.on_delete }];
      return isNamed ? [{ table, name }] : [];
    });
  });
}

describe("a column that references an account", () => {
  it("has a documented deletion rule", () => {
    const undecided = accountColumns().filter(
      ({ table, name }) => !ACCOUNT_COLUMNS[`${table}.${name}`],
    );
    expect(undecided).toEqual([]);
    for (const column of Object.keys(ACCOUNT_COLUMNS)) {
      const [table, name] = column.split(".");
      expect(read(`SELECT name FROM pragma_table_xinfo('${table}')`), column).toContain(name);
    }
  });

  it("has either no foreign key or one that deletes the row together with the account", () => {
    for (const { table, name, onDelete } of accountColumns()) {
      if (onDelete === undefined) continue;
      expect(ACCOUNT_COLUMNS[`${table}.${name}`], `${table}.${name}`).toBe("deleted");
      expect(onDelete, `${table}.${name}`).toBe("CASCADE");
    }
  });

  it("contains the receiver's id, NULL or the deleted account's id after a deletion, as its rule specifies", async () => {
    fillAll();
    for (const column of Object.keys(ACCOUNT_COLUMNS)) {
      expect(naming(column, user), column).toBe(true);
    }
    await deleteAccount(user, receiver, owner);
    for (const [column, decision] of Object.entries(ACCOUNT_COLUMNS)) {
      expect(naming(column, user), column).toBe(decision === "kept");
      if (decision === "transferred") expect(naming(column, receiver), column).toBe(true);
    }
    expect(read("PRAGMA foreign_key_check")).toEqual([]);
  });
});

/** Returns whether any row references the account in a column. */
function naming(column: string, id: string): boolean {
  const [table, name] = column.split(".");
  const value = column === "deleted_videos.row" ? "json_extract(row, '$.uploaded_by')" : name;
  return read(`SELECT 1 FROM ${table} WHERE ${value} = ?`, id).length > 0;
}

/** Inserts a row into each table that references an account. */
function fillAll(): void {
  addVideo("v");
  addDeleted("d");
  const [at, later] = ["2026-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"];
  sqliteHandle().exec(`
    INSERT INTO video_files (id, video_id, state, user_id, video_url)
      VALUES ('earlier', 'v', 'earlier', '${user}', '/media/videos/${user}/1700000000000.mp4');
    INSERT INTO sessions (id_hash, user_id, expires_at) VALUES ('s', '${user}', '${later}');
    INSERT INTO devices (id, user_id, used_at) VALUES ('b', '${user}', '${at}');
    INSERT INTO published_uploads VALUES ('up', '${user}', '{}', '${at}');
    INSERT INTO recovery_codes VALUES ('${user}', 'code');
    INSERT INTO passkeys (id, user_id, rp_id, name, public_key, counter, synced)
      VALUES ('p', '${user}', 'localhost', 'Phone', x'00', 0, 1);
    INSERT INTO api_tokens (id, token_hash, user_id, name, scopes, created_at, expires_at)
      VALUES (1, 't', '${user}', 'a script', '[]', '${at}', '${later}');
    INSERT INTO api_answers VALUES (1, 'key', 'r', 200, '{}', '{"by":"${EMAIL}"}', '${at}');
    INSERT INTO upload_templates (user_id, name) VALUES ('${user}', 'Template');
    INSERT INTO saved_views (user_id, name, parameters) VALUES ('${user}', 'View', '');
    INSERT INTO preview_links (token_hash, video_id, created_by, created_at) VALUES ('l', 'v', '${user}', '${at}');
    INSERT INTO downloads (user_id, address, texts, status) VALUES ('${user}', 'https://a.example/', '{}', 'review');
    INSERT INTO user_strikes (id, user_id, reason, given_by, given_at, ends_at)
      VALUES ('own', '${user}', 'A reason', '${owner}', '${at}', '${later}'),
        ('given', '${receiver}', 'A reason', '${user}', '${at}', '${later}');
    INSERT INTO reports (id, kind, received_at, due_at) VALUES ('r', 'other', '${at}', '${later}');
    INSERT INTO uploader_decisions (user_id, report_id, video_id, decision, decided_at, payload)
      VALUES ('${user}', 'r', 'v', 'keep', '${at}', 'payload');
    INSERT INTO invitations (token_hash, email, role, invited_by, created_at, expires_at, used_at)
      VALUES ('used', 'guest@example.com', 'editor', '${user}', '${at}', '${later}', '${at}'),
        ('own', '${EMAIL}', 'owner', '${owner}', '${at}', '${later}', '${at}');
    INSERT INTO activities (user_id, action, detail) VALUES ('${user}', 'sign-in', 'Firefox');
    INSERT INTO moderation_log (at, action, user_id, detail) VALUES ('${at}', 'strike', '${user}', '{}');
    INSERT INTO upload_terms VALUES (1, 'Terms', '${at}', '${user}');
    INSERT INTO accepted_terms (video_id, subject, version, user_id, accepted_at)
      VALUES ('v', 'video', 1, '${user}', '${at}');
    INSERT INTO performers (id, stage_names, sort_name, payload, checked_by, created_at, updated_at)
      VALUES ('who', 'A', 'a', 'payload', '${user}', '${at}', '${at}');
    INSERT INTO performer_documents (id, performer_id, kind, type, bytes, file_key, added_at, added_by)
      VALUES ('doc', 'who', 'other', 'image/png', 1, 'key', '${at}', '${user}');
    INSERT INTO video_consents (video_id, kind, people, recorded_on, updated_at, updated_by)
      VALUES ('v', 'own', 0, '2026-01-01', '${at}', '${user}');
    INSERT INTO review_notes (video_id, user_id, text, created_at) VALUES ('v', '${user}', 'A note', '${at}');
    INSERT INTO tag_changes (tags, names, user_id) VALUES ('[]', 'a', '${user}');
    INSERT INTO backups (user_id) VALUES ('${user}');
    INSERT INTO video_holds VALUES ('v', 'user-blocked', '${user}', '${at}');`);
}

describe("deleting an account", () => {
  it("removes the account's email address from the database, but keeps all other addresses", async () => {
    const others = ["[deleted] [deleted]", `x${EMAIL} as an editor`, "a@example.com an owner"];
    for (const detail of [`${EMAIL.toUpperCase()} ${EMAIL}`, ...others.slice(1)]) {
      sql("INSERT INTO activities (action, detail) VALUES ('role-change', ?)", detail);
    }
    fillAll();
    await changeRole(user, "editor", owner);
    await blockUser(user, owner, false);
    const before = JSON.stringify(everything());
    expect(before).toContain(EMAIL);
    await deleteAccount(user, receiver, owner);
    const after = JSON.stringify(everything())
      .toLowerCase()
      .replaceAll(`x${EMAIL}`.toLowerCase(), "");
    expect(after).not.toContain(EMAIL.toLowerCase());
    const details = read("SELECT detail FROM activities WHERE action = 'role-change'");
    expect(details).toEqual([...others, "[deleted] an editor"]);
  });

  it("attributes the account's past activities to a deleted account", async () => {
    sql("INSERT INTO activities (user_id, action) VALUES (?, 'sign-in')", user);
    await deleteAccount(user, undefined, owner);
    expect(await listActivities()).toMatchObject([
      { action: "account-delete", email: "owner@example.com", isDeletedAccount: false },
      { action: "sign-in", email: undefined, isDeletedAccount: true },
    ]);
  });

  it("removes the email address from all activities, even if there are too many for one transaction", async () => {
    sqliteHandle().exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 21000)
      INSERT INTO activities (action, detail) SELECT 'deactivate', '${EMAIL}' FROM n`);
    await deleteAccount(user, undefined, owner);
    expect(read("SELECT DISTINCT detail FROM activities WHERE action = 'deactivate'")).toEqual([
      "[deleted]",
    ]);
    expect(exists(user)).toBe(false);
  });

  it("transfers videos without changing their URLs, their status or anything else in their rows", async () => {
    for (const status of ["published", "hidden", "review"]) addVideo(status, user, status);
    addDeleted("d");
    const rows = () =>
      sqliteHandle()
        .prepare(
          "SELECT id, status, public, video_url, updated_at, publish_at FROM videos ORDER BY id",
        )
        .all();
    const before = rows();
    expect(await deleteAccount(user, receiver, owner)).toEqual({
      email: EMAIL,
      videos: 4,
      receiver: "third@example.com",
    });
    expect(rows()).toEqual(before);
    expect(["published", "hidden", "review", "d"].map(uploaderOf)).toEqual(Array(4).fill(receiver));
    const row = JSON.parse(read("SELECT row FROM deleted_videos")[0] as string) as object;
    expect(row).toEqual({ id: "d", uploaded_by: receiver, views: 12, number: 5 });
  });

  it("requires a receiver if the account has videos, even if they are all in the trash", async () => {
    addDeleted("d");
    await expect(deleteAccount(user, undefined, owner)).rejects.toThrow("Choose an account");
    expect([exists(user), uploaderOf("d")]).toEqual([true, user]);
    expect(read("SELECT deactivated_at FROM users WHERE id = ?", user)).toEqual([null]);
  });

  it.each([
    ["the account itself", () => user],
    ["an account that doesn't exist", () => "nobody"],
    ["a moderator", () => receiver],
    ["a deactivated account", () => receiver],
  ])("doesn't transfer videos to %s", async (name, id) => {
    addVideo("v");
    if (name === "a moderator") await changeRole(receiver, "moderator", owner);
    if (name === "a deactivated account") await setDeactivated(receiver, true, owner);
    for (const work of [deleteAccount, transferVideos]) {
      await expect(work(user, id(), owner)).rejects.toThrow("Choose an active account");
    }
    expect([exists(user), uploaderOf("v")]).toEqual([true, user]);
  });

  it("is rejected for the user's own account, the last owner, or a user who is no longer an owner", async () => {
    await expect(deleteAccount(owner, undefined, owner)).rejects.toThrow("your own account");
    await changeRole(receiver, "editor", owner);
    await changeRole(user, "editor", owner);
    await expect(deleteAccount(owner, undefined, null)).rejects.toThrow(LAST_OWNER);
    await expect(deleteAccount(receiver, undefined, user)).rejects.toThrow(
      "no longer have permission",
    );
    await expect(transferVideos(receiver, owner, user)).rejects.toThrow(
      "no longer have permission",
    );
    expect([owner, user, receiver].map(exists)).toEqual([true, true, true]);
  });

  it("can be resumed after an interruption, and the account can't be used in the meantime", async () => {
    for (let number = 0; number < 130; number++) addVideo(`v${String(number).padStart(3, "0")}`);
    sqliteHandle().exec(`CREATE TRIGGER killed BEFORE UPDATE ON videos WHEN OLD.id = 'v075'
      BEGIN SELECT RAISE(ABORT, 'killed'); END`);
    await expect(deleteAccount(user, receiver, owner)).rejects.toThrow("killed");
    const counts = () =>
      [user, receiver].map(
        (id) => read("SELECT count(*) FROM videos WHERE uploaded_by = ?", id)[0],
      );
    const [left, moved] = counts() as [number, number];
    expect(left + moved).toBe(130);
    expect(moved).toBeGreaterThan(0);
    expect(left).toBeGreaterThan(0);
    expect(read("SELECT deactivated_at IS NOT NULL FROM users WHERE id = ?", user)).toEqual([1]);
    sqliteHandle().exec("DROP TRIGGER killed");
    await deleteAccount(user, receiver, owner);
    expect([...counts(), exists(user)]).toEqual([0, 130, false]);
  });

  it("never publishes a video that is on hold because its uploader is blocked", async () => {
    await changeRole(user, "publisher", owner);
    addVideo("v");
    await blockUser(user, owner, true);
    expect(isPublic("v")).toBe(false);
    await deleteAccount(user, receiver, owner);
    expect([uploaderOf("v"), isPublic("v")]).toEqual([receiver, false]);
    const form = { intent: "release-blocked" };
    const send = () =>
      review({
        request: formRequest("/admin/review/v", form, { Cookie: cookie }),
        params: { id: "v" },
        context: {},
      });
    await expect(send()).rejects.toMatchObject({ status: 302 });
    expect(isPublic("v")).toBe(true);
    expect(read("SELECT action FROM moderation_log ORDER BY id DESC LIMIT 1")).toEqual([
      "unhide-blocked",
    ]);
    expect(await send()).toMatchObject({ init: { status: 409 } });
  });

  it("keeps a video on hold until an editor releases it, even if the new uploader is a publisher", async () => {
    await changeRole(user, "publisher", owner);
    await changeRole(receiver, "publisher", owner);
    addVideo("v");
    await blockUser(user, owner, true);
    await transferVideos(user, receiver, owner);
    const as = (await openSession(receiver)).split(";")[0]!;
    const request = formRequest("/admin/review/v", { intent: "release-blocked" }, { Cookie: as });
    await expect(review({ request, params: { id: "v" }, context: {} })).rejects.toMatchObject({
      status: 403,
    });
    expect(isPublic("v")).toBe(false);
  });

  it("keeps a pending replacement file for other users who have permission to edit the video", async () => {
    addVideo("v");
    sql(
      "INSERT INTO video_files (id, video_id, state, user_id) VALUES ('next', 'v', 'pending', ?)",
      user,
    );
    expect(findObstacle({ video_id: "v", user_id: user }, null)).toBeUndefined();
    await deleteAccount(user, receiver, owner);
    expect(read("SELECT user_id FROM video_files WHERE id = 'next'")).toEqual([user]);
    expect(findObstacle({ video_id: "v", user_id: user }, null)).toBe("not allowed");
    expect(findObstacle({ video_id: "v", user_id: user }, receiver)).toBeUndefined();
  });

  it("removes uploads that haven't been published, and rejects uploads in progress", async () => {
    const arrived = path.join(site.uploads, "tmp", "arrived");
    fs.copyFileSync(mp4Clip(2), arrived);
    const bytes = fs.statSync(arrived).size;
    const file = { path: arrived, name: "a.mp4", bytes, sha256: "a".repeat(64) };
    await storeFinishedUpload(user, file);
    await deleteAccount(user, undefined, owner);
    expect(filesIn(site.uploads)).toEqual([]);
    const outcome = await receiveUpload(uploadRequest(fileBlob(mp4Clip(2))), user);
    expect(outcome).toMatchObject({ ok: false, status: 403 });
    expect(read("SELECT count(*) FROM videos")).toEqual([0]);
    expect(filesIn(site.uploads)).toEqual([]);
  });

  it("invalidates the account's invitations", async () => {
    const { token } = await invite("guest@example.com", "owner", user);
    await deleteAccount(user, undefined, owner);
    expect((await findInvitation(token)).state).toBe("unknown");
  });

  it("never reuses the account's id for another account", () => {
    const column = read("SELECT dflt_value FROM pragma_table_info('users') WHERE name = 'id'");
    expect(column).toEqual(["lower(hex(randomblob(16)))"]);
  });
});

describe("transferring videos", () => {
  it("leaves the account unchanged, and is logged as one activity", async () => {
    for (let number = 0; number < 120; number++) addVideo(`v${number}`);
    const done = await transferVideos(user, receiver, owner);
    expect(done).toEqual({ email: EMAIL, receiver: "third@example.com", videos: 120 });
    expect(read("SELECT deactivated_at FROM users WHERE id = ?", user)).toEqual([null]);
    expect(await listActivities()).toMatchObject([
      { action: "videos-transfer", detail: `120 videos of ${EMAIL} to third@example.com` },
    ]);
  });
});

describe("the users page", () => {
  interface Plain {
    data: { error?: UsersFailure; dialog?: unknown };
    init?: { status: number; headers?: Record<string, string> };
  }
  const send = async (fields: Record<string, string>) => {
    const request = formRequest(`/admin/users?delete=${user}`, fields, { Cookie: cookie });
    return action({ request, params: {}, context: {} }).catch((thrown: unknown) => thrown);
  };
  const remove = (fields: Record<string, string>) =>
    send({ intent: "delete-account", id: user, receiver, ...fields });
  const open = async (parameters: string) => {
    const request = new Request(`${ORIGIN}/admin/users?${parameters}`, {
      headers: { Cookie: cookie },
    });
    return loader({ request, params: {}, context: {} }).catch((thrown: Response) => thrown);
  };

  it("requires the owner's password to delete an account", async () => {
    addVideo("v");
    for (const fields of [{}, { current: "a wrong one" }] as Record<string, string>[]) {
      const rejected = (await remove(fields)) as Plain;
      expect(rejected.init).toMatchObject({ status: 400 });
      expect(rejected.data.error).toMatchObject({ isIdentity: true, receiver });
    }
    expect(exists(user)).toBe(true);
    const done = (await remove({ current: GOOD_PASSWORD })) as Response;
    expect([done.status, done.headers.get("Location")]).toEqual([302, "/admin/users"]);
    expect([exists(user), uploaderOf("v")]).toEqual([false, receiver]);
  });

  it("keeps the selected receiver in the form if that receiver is rejected", async () => {
    addVideo("v");
    await changeRole(receiver, "moderator", owner);
    const rejected = (await remove({ current: GOOD_PASSWORD })) as Plain;
    expect(rejected.init).toMatchObject({ status: 409 });
    expect(rejected.data.error).toMatchObject({ receiver });
    expect(exists(user)).toBe(true);
  });

  it("limits password attempts", async () => {
    let last: Plain | undefined;
    for (let tries = 0; tries < 12; tries++) last = (await remove({ current: "wrong" })) as Plain;
    expect(last?.init).toMatchObject({ status: 429 });
    expect(Number(last?.init?.headers?.["Retry-After"])).toBeGreaterThan(0);
  });

  it("lists the accounts that can receive the videos", async () => {
    addVideo("v");
    addDeleted("d");
    await changeRole(receiver, "moderator", owner);
    const { id } = insertUser("uploader@example.com");
    await changeRole(id, "uploader", owner);
    expect(await open(`delete=${user}`)).toMatchObject({
      dialog: {
        kind: "delete",
        email: EMAIL,
        videos: 2,
        inTrash: 1,
        receiver: owner,
        receivers: [{ email: "owner@example.com" }, { email: "uploader@example.com" }],
      },
    });
  });

  it.each(["delete=nobody", "transfer=nobody"])("redirects requests for %s", async (parameters) => {
    expect(await open(parameters)).toMatchObject({ status: 302 });
    expect(await open(`delete=${owner}`)).toMatchObject({ status: 302 });
  });

  it("transfers videos", async () => {
    addVideo("v");
    const done = await send({ intent: "transfer-videos", id: user, receiver });
    expect(done).toMatchObject({ status: 302 });
    expect([exists(user), uploaderOf("v")]).toEqual([true, receiver]);
  });
});
