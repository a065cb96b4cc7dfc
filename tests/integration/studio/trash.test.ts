import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { MAX_BULK_VIDEOS } from "~/features/library/bulk/bulk";
import { action, loader } from "~/features/library/routes/trash";
import { listDeletions, RECENT_MS } from "~/features/library/trash/recent-deletions.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreVideos } from "~/features/trash/restore.server";
import { emptyTrash, purge, TRASH_MS } from "~/features/trash/trash.server";
import { respondWithMedia } from "~/features/visibility/media-access.server";
import { readWatchedParts } from "~/features/watch/watched-parts.server";
import { removeFiles } from "~/media/files/removals.server";
import { listActivities } from "~/platform/activity/activity.server";
import type { Failure } from "~/platform/failure";
import { ensureProjected } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  adminCookie,
  catchResponse,
  expectSuccessOf,
  useAdminSite,
  video,
  writeUpload,
} from "../../admin-requests";

const site = useAdminSite();
const ORIGIN = "http://localhost";
const inTrash = () =>
  sqliteHandle().prepare("SELECT id FROM deleted_videos ORDER BY id").pluck().all();

async function page(url = "/admin/trash") {
  const request = new Request(ORIGIN + url, { headers: { Cookie: adminCookie() } });
  return loader({ request, params: {}, context: {} });
}

function send(fields: [string, string][], url = "/admin/trash", headers = {}) {
  const request = new Request(ORIGIN + url, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Cookie: adminCookie(), Origin: ORIGIN, Host: "localhost", ...headers },
  });
  return action({ request, params: {}, context: {} });
}

/** Submits a form that should succeed. Returns the redirect and the toast. */
async function expectSuccess(fields: [string, string][], url?: string) {
  const { location, toast } = await expectSuccessOf(() => send(fields, url));
  return { location, description: toast.description as string };
}

async function rejected(fields: [string, string][]): Promise<Failure> {
  const response = (await send(fields)) as unknown as {
    data: { error: Failure };
    init: { status: number };
  };
  expect(response.init.status).toBe(response.data.error.status);
  return response.data.error;
}

/** Adds a video with files of 5 bytes each, views on two days, watched parts and a digest. */
function addVideoWithFiles(id: string, columns: Record<string, string | number | null> = {}) {
  const base = `u/17000000000${id.charCodeAt(0)}`;
  addVideo({
    id,
    title: `Video ${id}`,
    video_url: `/media/videos/${base}.mp4`,
    hls_url: `/media/videos/${base}/hls/master.m3u8`,
    captions: '[{"url":"/media/videos/x.vtt","language":"en","label":"English","added":true}]',
    tags: '["one"]',
    views: 7,
    ...columns,
  });
  const sqlite = sqliteHandle();
  sqlite
    .prepare("INSERT INTO view_days VALUES (?, '2026-01-01', 3), (?, '2026-01-02', 4)")
    .run(id, id);
  sqlite
    .prepare("INSERT INTO watched_parts VALUES (?, 7, ?)")
    .run(id, JSON.stringify(Array(20).fill(7)));
  sqlite.prepare("INSERT INTO video_digests VALUES (?, ?)").run(id, id.repeat(64).slice(0, 64));
  return [
    writeUpload(site.uploads, `videos/${base}.mp4`),
    writeUpload(site.uploads, `videos/${base}/hls/master.m3u8`),
  ];
}
/** Returns the response's status when an admin requests the file of a video that `addVideoWithFiles` added. */
async function statusFor(id: string): Promise<number> {
  const name = `u/17000000000${id.charCodeAt(0)}.mp4`;
  const request = new Request(`${ORIGIN}/media/videos/${name}`);
  const response = await respondWithMedia(
    request,
    { bucket: "videos", path: name },
    async () => true,
  );
  await response.body?.cancel();
  return response.status;
}
const exist = (files: string[]) => files.map((file) => fs.existsSync(file));
const days = (id: string) =>
  sqliteHandle().prepare("SELECT sum(views) FROM view_days WHERE video_id = ?").pluck().get(id);
const digests = (id: string) =>
  sqliteHandle().prepare("SELECT count(*) FROM video_digests WHERE video_id = ?").pluck().get(id);
const watched = (id: string) => readWatchedParts(id).views;

describe("the Trash page", () => {
  it("lists deleted videos, newest first, with their size and the user who deleted them", async () => {
    expect((await page()).trash.total).toEqual({ videos: 0, bytes: 0 });
    addVideoWithFiles("a", { bytes: 1_000 });
    addVideoWithFiles("b", { bytes: 500 });
    await removeVideos(["a"], "u");
    await new Promise((next) => setTimeout(next, 2));
    await removeVideos(["b"], "a deleted user");
    const { trash } = await page();
    expect(trash).toMatchObject({ page: 1, pageCount: 1, found: 2 });
    expect(trash.total).toEqual({ videos: 2, bytes: 1_500 });
    expect(trash.videos).toMatchObject([
      { id: "b", title: "Video b", bytes: 500, deletedBy: null },
      { id: "a", title: "Video a", bytes: 1_000, deletedBy: "a@b.c" },
    ]);
  });

  it("finds titles regardless of case, and clamps the page number", async () => {
    for (let n = 0; n < 60; n += 1) addVideo({ id: `n${n}`, title: `ÉTÉ ${n}` });
    addVideo({ id: "w", title: "Winter" });
    await removeVideos(["w", ...Array.from({ length: 60 }, (_, n) => `n${n}`)], "u");
    const { trash, view } = await page(
      `/admin/trash?search=${encodeURIComponent(" été ")}&page=99`,
    );
    expect(trash).toMatchObject({ found: 60, page: 2, pageCount: 2, total: { videos: 61 } });
    expect(trash.videos).toHaveLength(10);
    expect(view).toEqual({ search: "été", page: 2 });
    expect((await page("/admin/trash?search=spring")).trash).toMatchObject({
      found: 0,
      videos: [],
    });
  });

  it("ignores case in ASCII text and treats wildcards literally", async () => {
    addVideo({ id: "w", title: "Winter" });
    addVideo({ id: "p", title: "100 % \\ a_b" });
    await removeVideos(["w", "p"], "u");
    const ids = async (search: string) =>
      (await page(`/admin/trash?search=${encodeURIComponent(search)}`)).trash.videos.map(
        ({ id }) => id,
      );
    expect(await ids("WINTER")).toEqual(["w"]);
    for (const sign of ["%", "_", "\\", "0 % \\ A_"]) expect(await ids(sign)).toEqual(["p"]);
  });

  it("requires a session", async () => {
    const request = new Request(`${ORIGIN}/admin/trash`);
    const response = await catchResponse(() => loader({ request, params: {}, context: {} }));
    expect(response.headers.get("Location")).toBe("/auth");
    const sent = await catchResponse(() =>
      send([["intent", "empty"]], "/admin/trash", { Cookie: "" }),
    );
    expect([sent.status, sent.statusText]).toEqual([400, "Session missing"]);
    addVideo();
    await removeVideos(["v"], "u");
    const foreign = { Origin: "https://evil.example" };
    const until = new Date().toISOString();
    const form: [string, string][] = [
      ["intent", "empty"],
      ["until", until],
    ];
    expect((await catchResponse(() => send(form, "/admin/trash", foreign))).status).toBe(403);
    expect(inTrash()).toEqual(["v"]);
  });
});

describe("restoring from the trash", () => {
  it("restores text, views, files, streams, captions and digest even after weeks", async () => {
    const files = addVideoWithFiles("a");
    const before = video("a");
    expect(await statusFor("a")).toBe(200);
    await removeVideos(["a"], "u");
    expect(await statusFor("a")).toBe(404);
    await emptyTrash(Date.now() + TRASH_MS - 60_000);
    await removeFiles();
    const { location, description } = await expectSuccess(
      [
        ["intent", "restore"],
        ["selected", "a"],
      ],
      "/admin/trash?search=video&page=2",
    );
    expect(location).toBe("/admin/trash?search=video&page=2");
    expect(description).toBe("“Video a” restored.");
    await ensureProjected();
    expect(video("a")).toEqual({
      ...before,
      number: expect.any(Number),
      sort_key: expect.any(Number),
    });
    expect(exist(files)).toEqual([true, true]);
    expect(await statusFor("a")).toBe(200);
    expect([days("a"), watched("a"), digests("a")]).toEqual([7, 7, 1]);
    expect(inTrash()).toEqual([]);
    expect((await listActivities())[0]).toMatchObject({ action: "restore", detail: "Video a" });
  });

  it("reports videos that are already restored, and restores the rest", async () => {
    addVideoWithFiles("a");
    addVideoWithFiles("b");
    await removeVideos(["a", "b"], "u");
    await expectSuccess([
      ["intent", "restore"],
      ["selected", "a"],
    ]);
    expect(
      await rejected([
        ["intent", "restore"],
        ["selected", "a"],
      ]),
    ).toMatchObject({
      status: 404,
      detail: "1 video was no longer in the trash.",
    });
    const both: [string, string][] = [
      ["intent", "restore"],
      ["selected", "a"],
      ["selected", "b"],
    ];
    expect((await expectSuccess(both)).description).toBe(
      "“Video b” restored. 1 video was no longer in the trash.",
    );
  });

  it("doesn't overwrite a video with the same ID, and keeps the deleted one in the trash", async () => {
    const files = addVideoWithFiles("a");
    await removeVideos(["a"], "u");
    addVideo({ id: "a", title: "Another" });
    expect(
      await rejected([
        ["intent", "restore"],
        ["selected", "a"],
      ]),
    ).toMatchObject({
      status: 409,
      detail: "1 video was not restored because another video has the same id: “Video a”.",
    });
    expect(video("a")?.title).toBe("Another");
    expect(inTrash()).toEqual(["a"]);
    expect(exist(files)).toEqual([true, true]);
    expect(await statusFor("a")).toBe(404);
  });

  it("doesn't publish a video whose publication time passed while it was in the trash", async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const later = new Date(Date.now() + 9_000_000).toISOString();
    addVideo({ id: "a", status: "review", publish_at: soon, unpublish_at: later });
    addVideo({ id: "b", status: "review", publish_at: later });
    await removeVideos(["a", "b"], "u");
    await restoreVideos(["a", "b"], "u", Date.now() + 120_000);
    expect(video("a")).toMatchObject({ publish_at: null, unpublish_at: later, status: "review" });
    expect(video("b")).toMatchObject({ publish_at: later });
  });

  it("never shows a video whose scheduled time to hide passed while it was in the trash", async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    addVideo({ id: "a", status: "published", unpublish_at: soon });
    await removeVideos(["a"], "u");
    await restoreVideos(["a"], "u", Date.now() + 120_000);
    expect(video("a")).toMatchObject({ status: "hidden", unpublish_at: null, public: 0 });
  });

  it("omits a column that no longer exists", async () => {
    addVideo();
    await removeVideos(["v"], "u");
    sqliteHandle().exec(`UPDATE deleted_videos SET row = json_set(row, '$.of_another_version', 1)`);
    await expectSuccess([
      ["intent", "restore"],
      ["selected", "v"],
    ]);
    expect(video()?.title).toBe("A video");
  });
});

describe("purging", () => {
  it("requires confirmation, then deletes files, views and digest", async () => {
    const files = addVideoWithFiles("a", { bytes: 1_000 });
    const others = addVideoWithFiles("b");
    await removeVideos(["a", "b"], "u");
    const preview = (await send([
      ["intent", "purge"],
      ["selected", "a"],
      ["selected", "gone"],
    ])) as unknown as {
      data: object;
    };
    expect(preview.data).toEqual({
      confirmation: { ids: ["a"], titles: ["Video a"], bytes: 1_000 },
    });
    expect(inTrash()).toEqual(["a", "b"]);
    const { description } = await expectSuccess([
      ["intent", "purge"],
      ["confirmed", "1"],
      ["selected", "a"],
    ]);
    expect(description).toBe("1 video was permanently deleted.");
    expect(inTrash()).toEqual(["b"]);
    expect([days("a"), digests("a"), days("b"), digests("b")]).toEqual([null, 0, 7, 1]);
    expect([watched("a"), watched("b")]).toEqual([0, 7]);
    await removeFiles();
    expect([exist(files), exist(others)]).toEqual([
      [false, false],
      [true, true],
    ]);
    expect((await listActivities())[0]).toMatchObject({ action: "purge", detail: "Video a" });
    expect(
      await rejected([
        ["intent", "purge"],
        ["confirmed", "1"],
        ["selected", "a"],
      ]),
    ).toMatchObject({
      status: 404,
    });
  });

  it("deletes only the purged video's notes and preview links", async () => {
    for (const id of ["a", "b"]) {
      addVideoWithFiles(id);
      sqliteHandle()
        .prepare("INSERT INTO review_notes (video_id, text, created_at) VALUES (?, 'Ann', '2030')")
        .run(id);
      sqliteHandle()
        .prepare(
          "INSERT INTO preview_links (token_hash, video_id, created_at) VALUES (?, ?, '2030')",
        )
        .run(`hash of ${id}`, id);
    }
    await removeVideos(["a"], "u");
    const left = (table: string) =>
      sqliteHandle().prepare(`SELECT video_id FROM ${table} ORDER BY video_id`).pluck().all();
    expect(left("review_notes")).toEqual(["a", "b"]);
    await purge(["a"]);
    expect(left("review_notes")).toEqual(["b"]);
    expect(left("preview_links")).toEqual(["b"]);
  });

  it("purges only the videos that were in the trash when the dialog was shown", async () => {
    addVideoWithFiles("a");
    addVideoWithFiles("b");
    await removeVideos(["a"], "u");
    const { isEmptying, now } = await page("/admin/trash?empty=1");
    expect(isEmptying).toBe(true);
    await new Promise((next) => setTimeout(next, 2));
    await removeVideos(["b"], "u");
    const form: [string, string][] = [
      ["intent", "empty"],
      ["until", new Date(now).toISOString()],
    ];
    expect((await expectSuccess(form)).description).toBe("1 video was permanently deleted.");
    expect(inTrash()).toEqual(["b"]);
    expect((await listActivities())[0]).toMatchObject({ action: "trash-empty", detail: "1 video" });
    expect(await rejected(form)).toMatchObject({ status: 404 });
    expect((await page("/admin/trash?empty=1")).isEmptying).toBe(true);
    await purge(["b"]);
    expect((await page("/admin/trash?empty=1")).isEmptying).toBe(false);
  });

  it("keeps the views of a new video with the same ID", async () => {
    addVideoWithFiles("a");
    await removeVideos(["a"], "u");
    addVideo({ id: "a" });
    await purge(["a"]);
    expect([days("a"), watched("a"), digests("a")]).toEqual([7, 7, 1]);
  });

  it.each([
    ["nothing selected", [["intent", "restore"]], 422],
    ["nothing selected to purge", [["intent", "purge"]], 422],
    [
      "an invalid time",
      [
        ["intent", "empty"],
        ["until", "soon"],
      ],
      400,
    ],
    ["no intent", [["selected", "a"]], 400],
    [
      "too many videos",
      [
        ["intent", "purge"],
        ...Array.from({ length: MAX_BULK_VIDEOS + 1 }, (_, n) => ["selected", `${n}`]),
      ],
      422,
    ],
  ] as [string, [string, string][], number][])("is rejected with %s", async (_, form, status) => {
    addVideo();
    await removeVideos(["v"], "u");
    expect((await rejected(form)).status).toBe(status);
    expect(inTrash()).toEqual(["v"]);
  });
});

describe("the automatic trash cleanup", () => {
  it("purges after 30 days, and not before", async () => {
    const files = addVideoWithFiles("a");
    await removeVideos(["a"], "u");
    await emptyTrash(Date.now() + TRASH_MS - 60_000);
    await removeFiles();
    expect([inTrash(), exist(files)]).toEqual([["a"], [true, true]]);
    await emptyTrash(Date.now() + TRASH_MS);
    await removeFiles();
    expect([inTrash(), exist(files), days("a")]).toEqual([[], [false, false], null]);
  });

  it("keeps the files of a video that is newer than the database", async () => {
    const files = addVideoWithFiles("a");
    await removeVideos(["a"], "u");
    // Simulates a database that is older than the video.
    sqliteHandle().exec("DELETE FROM deleted_videos");
    await emptyTrash(Date.now() + 2 * TRASH_MS);
    await removeFiles();
    expect(exist(files)).toEqual([true, true]);
  });

  it("keeps files that another tool's row now references, and the files derived from them", async () => {
    const files = addVideoWithFiles("a");
    await removeVideos(["a"], "u");
    await purge(["a"]);
    addVideo({ id: "b", video_url: "/media/videos/u/1700000000097.mp4" });
    await removeFiles();
    expect(exist(files)).toEqual([true, true]);
  });

  it("keeps a live video's files when an earlier deletion with the same ID expires", async () => {
    const files = addVideoWithFiles("a");
    await removeVideos(["a"], "u");
    addVideo({ id: "a", video_url: "/media/videos/u/1700000000097.mp4" });
    await emptyTrash(Date.now() + TRASH_MS);
    await removeFiles();
    expect(inTrash()).toEqual([]);
    expect(exist(files)).toEqual([true, true]);
  });

  it("either restores or purges a video when both are requested concurrently", async () => {
    const files = addVideoWithFiles("a");
    await removeVideos(["a"], "u");
    const [response, purged] = await Promise.all([restoreVideos(["a"], "u"), purge(["a"])]);
    await removeFiles();
    const isBack = !("status" in response);
    expect(purged).toHaveLength(isBack ? 0 : 1);
    expect(video("a") !== undefined).toBe(isBack);
    expect(exist(files)).toEqual([isBack, isBack]);
  });

  it("keeps recent deletions available for undo in the list of videos", async () => {
    addVideo();
    await removeVideos(["v"], "u");
    expect(await listDeletions()).toMatchObject([{ titles: ["A video"], videos: 1 }]);
    expect(await listDeletions(Date.now() + RECENT_MS)).toEqual([]);
    expect(inTrash()).toEqual(["v"]);
  });

  it("yields to the event loop while it restores and purges a thousand videos", async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `n${n}`);
    sqliteHandle().transaction(() => {
      for (const id of ids) addVideo({ id, description: "x".repeat(500) });
    })();
    await ensureProjected();
    await removeVideos(ids, "u");
    for (const work of [() => restoreVideos(ids, "u"), () => purge(ids)]) {
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
      }, 1);
      await work();
      clearInterval(timer);
      expect(inTrash()).toEqual([]);
      // Restoring or purging a thousand videos takes at least a third of a second.
      expect(ticks).toBeGreaterThan(2);
      await ensureProjected();
      if (video("n0")) await removeVideos(ids, "u");
    }
  });
});
