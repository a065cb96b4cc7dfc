import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { BlockListPage } from "~/features/moderation/block-list/block-list-page.server";
import { action, loader } from "~/features/moderation/routes/block-list";
import { loader as download } from "~/features/moderation/routes/block-list-file";
import { loader as loadThumbnail } from "~/features/moderation/routes/block-list-thumbnail";
import { openSession } from "~/features/permissions/session.server";
import {
  compareSite,
  findBlockedVideos,
} from "~/features/processing/comparison/block-list-matches.server";
import {
  blockVideo,
  deleteExpiredEntries,
  hasBlockedFrames,
  isBlockedFile,
} from "~/features/processing/comparison/blocked-videos.server";
import { importBlockList } from "~/features/processing/comparison/list-file.server";
import { removeVideos } from "~/features/trash/remove.server";
import { purge } from "~/features/trash/trash.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { listActivities } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { sqliteHandle, transaction } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  expectSuccessOf,
  useAdminSite,
  video,
  writeUpload,
} from "../../admin-requests";

const site = useAdminSite();
const HEADER = '{"format":"afterdark-block-list","version":1}';
const digest = (n: number) => n.toString(16).padStart(64, "0");
/** Returns hashes, any two of which differ in about half of their bits. */
function hashes(seed: number, count: number, perFrame: number): Buffer {
  let state = seed * 2_654_435_761 + 1;
  const frames = Array.from({ length: count }, () => {
    const hash = Buffer.from(
      Array.from({ length: 8 }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state >>> 24;
      }),
    );
    return Buffer.concat(Array.from({ length: perFrame }, () => hash));
  });
  return Buffer.concat(frames);
}
const line = (n: number, more: object = {}) =>
  JSON.stringify({
    ...{ reason: "consent", blocked: "2026-11-01T10:00:00.000Z", sha256: [digest(n)] },
    ...{ first: 0.5, step: 1, frames: hashes(n, 30, 3).toString("hex"), ...more },
  });
const written = (...lines: string[]) => {
  const file = path.join(site.folder, "list.jsonl");
  fs.writeFileSync(file, lines.join("\n"));
  return file;
};
const page = async (url = "", cookie = adminCookie()) =>
  (await loader({
    request: new Request(`http://localhost/admin/block-list${url}`, {
      headers: { Cookie: cookie },
    }),
    params: {},
    context: {},
  })) as BlockListPage;
function send(fields: Record<string, string>, cookie = adminCookie()) {
  return post(new URLSearchParams(fields), cookie);
}
function post(body: FormData | URLSearchParams, cookie = adminCookie()) {
  const headers = { Cookie: cookie, Origin: "http://localhost", Host: "localhost" };
  const url = "http://localhost/admin/block-list";
  return action({
    request: new Request(url, { method: "POST", body, headers }),
    params: {},
    context: {},
  });
}
function sendList(...lines: string[]) {
  const body = new FormData();
  body.set("intent", "import");
  body.set("list", new File([lines.join("\n")], "list.jsonl"));
  return post(body);
}
const DAY_MS = 24 * 3_600_000;
function thumbnail(entry: string): Promise<Response> {
  const request = new Request("http://localhost/", { headers: { Cookie: adminCookie() } });
  return loadThumbnail({ request, params: { entry }, context: {} });
}
async function exported(): Promise<string> {
  const request = new Request("http://localhost/", { headers: { Cookie: adminCookie() } });
  const response = await download({ request, params: { file: "block-list.jsonl" }, context: {} });
  return response.text();
}

describe("the block list page", () => {
  it("is initially empty, and lists blocked videos in pages of fifty", async () => {
    const none = { entries: [], total: 0, removed: [], matches: [], uncompared: [], scanned: [] };
    expect(await page()).toEqual(none);
    await importBlockList(written(HEADER, ...Array.from({ length: 60 }, (_, n) => line(n))));
    const first = await page();
    expect([first.entries.length, first.total, first.entries[0]]).toMatchObject([
      50,
      60,
      { id: 60, reason: "consent", state: "ready", isImported: true, title: null, reportId: null },
    ]);
    const second = await page(`?before=${first.next}`);
    expect(second.entries.map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, n) => 10 - n),
    );
    expect(second.next).toBeUndefined();
    expect((await page("?before=x")).entries).toHaveLength(50);
  });

  it("exports only hashes, which another site can import without duplicates", async () => {
    await sendList(HEADER, line(1), line(2, { frames: "" })).catch(() => {});
    const file = await exported();
    expect(file.split("\n").map((each) => each && Object.keys(JSON.parse(each)))).toEqual([
      ["format", "version"],
      ["reason", "blocked", "first", "step", "frames", "sha256"],
      ["reason", "blocked", "first", "step", "frames", "sha256"],
      "",
    ]);
    sqliteHandle().exec("DELETE FROM blocked_videos");
    const { toast } = await expectSuccessOf(() => sendList(...file.split("\n")));
    expect(toast.description).toContain("2 videos added, 0 already on the list");
    const again = await expectSuccessOf(() => sendList(...file.split("\n"), line(3)));
    expect(again.toast.description).toContain("1 video added, 2 already on the list");
    expect(await exported()).toContain(file.split("\n")[1]);
    const entries = sqliteHandle().prepare("SELECT action FROM moderation_log").pluck().all();
    expect(entries).toHaveLength(3);
    // When this comparison finishes, the comparisons that the imports started have finished too.
    await compareSite(1, false);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("lists videos that match an imported list, but doesn't hide them", async () => {
    addVideo({ id: "same", title: "Same", status: "published" });
    addVideo({ id: "like", title: "Like", status: "published" });
    addVideo({ id: "other", title: "Other", status: "published" });
    sqliteHandle().prepare("INSERT INTO video_digests VALUES ('same', ?)").run(digest(1));
    const add = sqliteHandle().prepare("INSERT INTO video_frames VALUES (?, 0.5, 1, ?)");
    add.run("like", hashes(1, 30, 2));
    add.run("other", hashes(9, 30, 2));
    await importBlockList(written(HEADER, line(1)));
    expect(await compareSite(1, false)).toBe(1);
    expect((await page()).matches).toEqual([
      { id: "like", title: "Like", isSame: false },
      { id: "same", title: "Same", isSame: true },
    ]);
    expect(video("like")?.status).toBe("published");
    expect(await compareSite(1, true)).toBe(1);
    expect(isPublic("like")).toBe(false);
  });

  it("shows a blocked video's title, thumbnail and report for as long as they are kept", async () => {
    addVideo({ id: "v", title: "A street", thumbnail_url: "/media/thumbnails/u/1.webp" });
    writeUpload(site.uploads, "thumbnails/u/1.webp");
    await transaction(() => {
      blockVideo("v", "private", new Date("2026-11-01T10:00:00Z"));
      appendToLog({ action: "remove", reportId: "r", videoId: "v", userId: null });
    });
    const entry = async () => (await page()).entries[0];
    const shown = { title: "A street", reportId: "r", hasThumbnail: true, isImported: false };
    expect(await entry()).toMatchObject({ ...shown, place: "catalogue" });
    await removeVideos(["v"], "u");
    expect(await entry()).toMatchObject({ ...shown, place: "trash" });
    expect(await (await thumbnail("1")).text()).toBe("bytes");

    await purge(["v"]);
    expect(await entry()).toMatchObject({ ...shown, place: null, hasThumbnail: false });
    expect((await thumbnail("1")).status).toBe(404);
    await deleteExpiredEntries(Date.parse("2027-10-01T10:00:00Z"));
    expect(await entry()).toMatchObject({ title: null, reportId: "r" });
  });

  it("doesn't show images of a video that was blocked because it may show a minor", async () => {
    addVideo({ id: "v", title: "A street", thumbnail_url: "/media/thumbnails/u/1.webp" });
    writeUpload(site.uploads, "thumbnails/u/1.webp");
    await transaction(() => blockVideo("v", "under-age"));
    expect((await page()).entries[0]).toMatchObject({ title: "A street", hasThumbnail: false });
    expect((await thumbnail("1")).status).toBe(404);
  });

  it("removes an entry after a confirmation, and puts it back with Undo", async () => {
    addVideo({ id: "like", title: "Like", status: "published" });
    const like = hashes(1, 30, 2);
    sqliteHandle().prepare("INSERT INTO video_frames VALUES ('like', 0.5, 1, ?)").run(like);
    addVideo({ id: "same", title: "Same", status: "published" });
    sqliteHandle().prepare("INSERT INTO video_digests VALUES ('same', ?)").run(digest(1));
    await importBlockList(written(HEADER, line(1)));
    await compareSite(1, false);
    expect((await page("?remove=1")).confirmation).toMatchObject({ id: 1 });
    expect(await page("?remove=2")).not.toHaveProperty("confirmation");
    const frames = { first: 0.5, step: 1, hashes: like };
    expect(await findBlockedVideos(frames)).toEqual([1]);

    const { toast } = await expectSuccessOf(() => send({ intent: "remove", entry: "1" }));
    expect(toast.description).toBe("Entry 1 can be uploaded again.");
    expect(await page()).toMatchObject({
      total: 0,
      entries: [],
      matches: [],
      removed: [{ id: 1 }],
    });
    expect([isBlockedFile(digest(1)), hasBlockedFrames()]).toEqual([false, false]);
    expect(await findBlockedVideos(frames)).toEqual([]);
    expect(await compareSite(1, true)).toBe(0);
    expect(isPublic("like")).toBe(true);
    expect(await exported()).toBe(`${HEADER}\n`);
    expect(await send({ intent: "remove", entry: "1" })).toMatchObject({ init: { status: 404 } });
    expect(await send({ intent: "remove", entry: "x" })).toMatchObject({ init: { status: 404 } });
    expect(await page("?remove=1")).not.toHaveProperty("confirmation");

    expect(toast.action).toMatchObject({ label: "Undo", to: "/admin/block-list" });
    await expectSuccessOf(() => send(toast.action.fields));
    expect([isBlockedFile(digest(1)), hasBlockedFrames()]).toEqual([true, true]);
    expect(await findBlockedVideos(frames)).toEqual([1]);
    await vi.waitFor(async () => expect((await page()).matches).toHaveLength(2));
    expect(await page()).toMatchObject({ total: 1, removed: [] });
    // The entry was imported, so it doesn't hide any videos.
    expect(isPublic("like")).toBe(true);
    expect(await send(toast.action.fields)).toMatchObject({ init: { status: 404 } });
    expect((await listActivities()).map(({ action, detail }) => [action, detail])).toEqual([
      ["block-put-back", "Entry 1"],
      ["block-export", ""],
      ["block-remove", "Entry 1"],
    ]);
    expect(sqliteHandle().prepare("SELECT count(*) FROM moderation_log").pluck().get()).toBe(2);
  });

  it("puts videos on hold if they were uploaded between the removal and Undo", async () => {
    addVideo({ id: "v", title: "A street" });
    sqliteHandle()
      .prepare("INSERT INTO video_frames VALUES ('v', 0.5, 1, ?)")
      .run(hashes(1, 30, 2));
    await transaction(() => blockVideo("v", "private"));
    await expectSuccessOf(() => send({ intent: "remove", entry: "1" }));
    addVideo({ id: "copy", title: "Copy", status: "published" });
    sqliteHandle()
      .prepare("INSERT INTO video_frames VALUES ('copy', 0.5, 1, ?)")
      .run(hashes(1, 30, 2));
    await expectSuccessOf(() => send({ intent: "put-back", entry: "1" }));
    await vi.waitFor(() => expect(isPublic("copy")).toBe(false));
  });

  it("deletes a removed entry after 30 days", async () => {
    await importBlockList(written(HEADER, line(1), line(2)));
    await expectSuccessOf(() => send({ intent: "remove", entry: "1" }));
    const count = sqliteHandle().prepare("SELECT count(*) FROM blocked_videos").pluck();
    await deleteExpiredEntries(Date.now() + 29 * DAY_MS);
    expect(count.get()).toBe(2);
    await deleteExpiredEntries(Date.now() + 30 * DAY_MS);
    expect([count.get(), (await page()).removed]).toEqual([1, []]);
    expect(await send({ intent: "put-back", entry: "1" })).toMatchObject({ init: { status: 404 } });
  });

  it("is visible to editors, but can only be changed by owners", async () => {
    sqliteHandle().exec(
      `INSERT INTO users (id, email, password_hash, role)
       VALUES ('ed', 'e@b.c', 'x', 'editor'), ('up', 'u@b.c', 'x', 'uploader')`,
    );
    await importBlockList(written(HEADER, line(1)));
    const editor = (await openSession("ed")).split(";")[0]!;
    const uploader = (await openSession("up")).split(";")[0]!;
    expect((await page("", editor)).total).toBe(1);
    const status = (thrown: unknown) => (thrown as Response).status;
    expect(await page("", uploader).catch(status)).toBe(403);
    expect(await send({ intent: "remove", entry: "1" }, editor).catch(status)).toBe(403);
    expect(await send({ intent: "other" }).catch(status)).toBe(400);
    expect(await send({ intent: "put-back", entry: "1" }, editor).catch(status)).toBe(403);
    const request = new Request("http://localhost/", { headers: { Cookie: editor } });
    const file = download({ request, params: { file: "block-list.jsonl" }, context: {} });
    expect(await file.catch(status)).toBe(403);
  });
});

describe("importing a block list", () => {
  const frames = hashes(1, 1, 3).toString("hex");
  it.each([
    ["it is empty", [""], "no MD5 or SHA-256 digests"],
    ["it is a web page", ["<!doctype html>"], "Line 1 has no MD5 or SHA-256 digest"],
    ["it is from a later version", [HEADER.replace("1}", "2}"), line(1)], "isn’t a block list"],
    ["it has an invalid digest", [HEADER, line(1, { sha256: ["x"] })], "Line 2 "],
    ["it has a line without a digest", [HEADER, line(1, { sha256: [] })], "Line 2 "],
    ["it has half a frame", [HEADER, line(1, { frames: frames.slice(2) })], "Line 2 "],
    ["it has letters instead of digits", [HEADER, line(1, { frames: "zz".repeat(24) })], "Line 2 "],
    ["all frames have the same time", [HEADER, line(1, { step: 0 })], "Line 2 "],
    ["it has an unknown reason", [HEADER, line(1, { reason: "<b>" })], "Line 2 "],
    ["it has an invalid time", [HEADER, line(1, { blocked: "yesterday" })], "Line 2 "],
    ["its third line is broken", [HEADER, line(1), '{"reason":'], "Line 3 "],
    ["it has a very long line", [HEADER, `"${"a".repeat(70_000)}"`], "too long"],
    ["it has a line that is null", [HEADER, "null"], "Line 2 "],
  ])("rejects the whole file if %s", async (_, lines, message) => {
    const response = (await sendList(...lines)) as unknown as {
      data: { error: { status: number; detail: string } };
    };
    expect(response.data.error.status).toBe(422);
    expect(response.data.error.detail).toContain(message);
    expect(sqliteHandle().prepare("SELECT count(*) FROM blocked_videos").pluck().get()).toBe(0);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("requires a file", async () => {
    const body = new FormData();
    body.set("intent", "import");
    expect(await post(body)).toMatchObject({ init: { status: 422 } });
  });
});
