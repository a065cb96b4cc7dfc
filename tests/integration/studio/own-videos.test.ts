import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replaceFile } from "~/features/library/files/replace.server";
import { action as actOnPanel, loader as loadPanel } from "~/features/library/routes/admin";
import { action as actOnTrash, loader as loadTrash } from "~/features/library/routes/trash";
import { openSession } from "~/features/permissions/session.server";
import { removeVideos } from "~/features/trash/remove.server";
import { findDuplicate } from "~/features/upload/file-checks.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { loader as loadMedia } from "~/features/watch/routes/media";
import type { Failure } from "~/platform/failure";
import { sqliteHandle } from "~db/client.server";
import { addVideo, catchResponse, useAdminSite, video } from "../../admin-requests";
import { mp4Clip } from "../../clips";
import { fileBlob, uploadRequest } from "../../upload-requests";

const site = useAdminSite();
const ORIGIN = "http://localhost";

/** Creates an uploader `up` and signs them in. */
async function signInUploader(mayPublish = false): Promise<string> {
  sqliteHandle()
    .prepare(
      "INSERT INTO users (id, email, password_hash, role, may_publish) VALUES ('up', 'up@b.c', 'x', 'uploader', ?)",
    )
    .run(Number(mayPublish));
  return (await openSession("up")).split(";")[0] ?? "";
}

function addVideos(): void {
  addVideo({ id: "draft", title: "My draft", uploaded_by: "up", status: "review", views: 2 });
  addVideo({ id: "mine", title: "My video", uploaded_by: "up", status: "published", views: 3 });
  addVideo({ id: "other", title: "Another's draft", uploaded_by: "u", status: "review" });
  addVideo({ id: "nobody", title: "Nobody's", status: "published", views: 100 });
}

const STATUS = Symbol("status");
type Shown = { [STATUS]: number } & Record<string, never>;

async function sendRequest(
  work: (args: never) => unknown,
  cookie: string,
  url: string,
  fields?: [string, string][],
): Promise<Response | Shown> {
  const request = new Request(ORIGIN + url, {
    method: fields ? "POST" : "GET",
    headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
    ...(fields && { body: new URLSearchParams(fields) }),
  });
  const response = await Promise.resolve(work({ request, params: {}, context: {} } as never)).catch(
    (thrown: unknown) => thrown,
  );
  if (response instanceof Response) return response;
  const { data, init } = response as { data?: Shown; init?: { status?: number } };
  return { ...(data ?? (response as Shown)), [STATUS]: init?.status ?? 200 } as Shown;
}

async function shown(cookie: string, url = "/admin?tab=manage") {
  const response = (await sendRequest(loadPanel, cookie, url)) as Shown;
  const { manage, statistics } = response as never as {
    manage: { list: { videos: { id: string }[]; total: number }; dialog?: { video: unknown } };
    statistics: { stats: Record<string, unknown> };
  };
  return {
    ids: manage.list.videos.map(({ id }) => id),
    total: manage.list.total,
    dialog: manage.dialog?.video,
    stats: statistics.stats,
    status: response[STATUS],
  };
}

/** Returns the status of a rejected form, or 302 for a successful one. */
async function statusOf(cookie: string, fields: Record<string, string | string[]>) {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const response = await sendRequest(actOnPanel, cookie, "/admin?tab=manage", pairs);
  if (response instanceof Response) return response.status;
  const { studio } = response as never as { studio?: Failure };
  return studio?.status ?? response[STATUS];
}

describe("an uploader's studio", () => {
  it("lists, searches and counts only the uploader's videos, in every sort order", async () => {
    addVideos();
    const cookie = await signInUploader();
    const { ids, total, stats } = await shown(cookie);
    expect(ids.sort()).toEqual(["draft", "mine"]);
    expect(total).toBe(2);
    expect(stats).toMatchObject({ totalVideos: 2, totalViews: 5, totalCategories: 1 });
    for (const sort of ["newest", "oldest", "views", "title", "longest", "largest"]) {
      const sorted = await shown(cookie, `/admin?tab=manage&sort=${sort}`);
      expect(sorted.ids.sort(), sort).toEqual(["draft", "mine"]);
    }
    expect((await shown(cookie, "/admin?tab=manage&search=draft")).ids).toEqual(["draft"]);
    expect((await shown(cookie, "/admin?tab=manage&search=Nobody")).total).toBe(0);
    expect((await shown(cookie, "/admin?tab=manage&status=review")).ids).toEqual(["draft"]);
  });

  it("doesn't open a dialog for another user's video", async () => {
    addVideos();
    const cookie = await signInUploader();
    for (const dialog of ["edit", "delete", "schedule"]) {
      const other = await shown(cookie, `/admin?tab=manage&${dialog}=other`);
      expect(other).toMatchObject({ dialog: null, status: 404 });
    }
    expect(await shown(cookie, "/admin?tab=manage&edit=draft")).toMatchObject({
      dialog: { title: "My draft" },
    });
  });

  it("lets the uploader change drafts, but not published videos or other users' videos", async () => {
    addVideos();
    const cookie = await signInUploader();
    const update = (id: string) => statusOf(cookie, { intent: "update", id, title: "New" });
    expect(await update("draft")).toBe(302);
    expect(await update("other")).toBe(404);
    expect(await update("mine")).toBe(403);
    expect(await statusOf(cookie, { intent: "toggle", id: "draft" })).toBe(403);
    const publishAt = new Date(Date.now() + 60_000).toISOString();
    expect(await statusOf(cookie, { intent: "schedule", id: "draft", publishAt })).toBe(403);
    expect(await statusOf(cookie, { intent: "delete", id: "other" })).toBe(404);
    expect(await statusOf(cookie, { intent: "delete", id: "mine" })).toBe(403);
    expect([video("draft"), video("other"), video("mine")]).toMatchObject([
      { title: "New", status: "review" },
      { title: "Another's draft" },
      { title: "My video", status: "published" },
    ]);
    // A draft that an editor has scheduled counts as published.
    sqliteHandle().exec(`UPDATE videos SET publish_at = '${publishAt}' WHERE id = 'draft'`);
    expect(await update("draft")).toBe(403);
  });

  it("applies bulk actions only to the uploader's videos, even if other users' videos are selected too", async () => {
    addVideos();
    const cookie = await signInUploader();
    const bulk = (more: Record<string, string | string[]>) =>
      statusOf(cookie, { intent: "bulk", ...more });
    expect(await bulk({ do: "publish", selected: "draft" })).toBe(403);
    expect(await bulk({ do: "category", category: "english", selected: "other" })).toBe(404);
    expect(await bulk({ do: "category", category: "english", all: "1" })).toBe(403);
    expect(await bulk({ do: "category", category: "english", selected: ["draft", "other"] })).toBe(
      302,
    );
    expect([video("draft"), video("other")]).toMatchObject([
      { category: "english" },
      { category: "desi" },
    ]);
  });

  it("lets an uploader with permission to publish change, publish and hide their own videos", async () => {
    addVideos();
    const cookie = await signInUploader(true);
    expect(await statusOf(cookie, { intent: "toggle", id: "draft" })).toBe(302);
    expect(await statusOf(cookie, { intent: "update", id: "mine", title: "New" })).toBe(302);
    expect(await statusOf(cookie, { intent: "toggle", id: "nobody" })).toBe(404);
    expect(await statusOf(cookie, { intent: "bulk", do: "hide", all: "1" })).toBe(302);
    expect([video("draft"), video("mine"), video("nobody")]).toMatchObject([
      { status: "hidden" },
      { status: "hidden", title: "New" },
      { status: "published" },
    ]);
  });

  it("accepts uploads only as drafts, and doesn't reveal that a file duplicates another user's hidden video", async () => {
    const cookie = await signInUploader();
    const own = { userId: "up", draftsOnly: true };
    const clip = fileBlob(mp4Clip(2));
    expect(await receiveUpload(uploadRequest(clip), "up", own)).toMatchObject({ status: 403 });
    const publishAt = new Date(Date.now() + 60_000).toISOString();
    const scheduled = uploadRequest(clip, { intent: "draft", publishAt });
    expect(await receiveUpload(scheduled, "up", own)).toMatchObject({ status: 403 });
    const draft = await receiveUpload(uploadRequest(clip, { intent: "draft" }), "u");
    expect(draft).toMatchObject({ ok: true, video: { status: "review" } });
    const sha256 = sqliteHandle().prepare("SELECT sha256 FROM video_digests").pluck().get();
    expect(await findDuplicate(String(sha256), "u")).toBeDefined();
    expect(await findDuplicate(String(sha256), "up")).toBeUndefined();
    expect((await shown(cookie)).total).toBe(0);
    // Replacing a file doesn't reveal the other user's video either.
    addVideo({ id: "mine", title: "My draft", uploaded_by: "up", status: "review" });
    const copy = path.join(site.folder, "same.mp4");
    fs.copyFileSync(mp4Clip(2), copy);
    const file = { path: copy, name: "same.mp4", bytes: 1, sha256: String(sha256) };
    const replacement = { id: "mine", file, duplicate: "ask" };
    expect(await replaceFile(replacement, "u")).toMatchObject({
      replace: { question: { kind: "duplicate" } },
    });
    fs.copyFileSync(mp4Clip(2), copy);
    expect(await replaceFile(replacement, "up")).toMatchObject({ kind: "success" });
  });
});

describe("an uploader's trash", () => {
  const trash = async (cookie: string) => {
    const response = (await sendRequest(loadTrash, cookie, "/admin/trash")) as never as {
      trash: { videos: { id: string }[]; total: { videos: number } };
    };
    return { ids: response.trash.videos.map(({ id }) => id), total: response.trash.total.videos };
  };
  const inTrash = () => sqliteHandle().prepare("SELECT id FROM deleted_videos").pluck().all();

  it("contains only the uploader's drafts, and lets the uploader restore or purge only those", async () => {
    addVideos();
    const cookie = await signInUploader();
    const { batch } = await removeVideos(["draft", "mine", "other", "nobody"], "u");
    expect(await trash(cookie)).toEqual({ ids: ["draft"], total: 1 });
    const select = (intent: string, ...ids: string[]) => [
      ["intent", intent] as [string, string],
      ...ids.map((id): [string, string] => ["selected", id]),
    ];
    await sendRequest(actOnTrash, cookie, "/admin/trash", select("restore", "other", "mine"));
    expect(inTrash()).toHaveLength(4);
    expect(await statusOf(cookie, { intent: "restore", batch })).toBe(302);
    expect(video("draft")).toBeDefined();
    expect(inTrash().sort()).toEqual(["mine", "nobody", "other"]);
    expect(await statusOf(cookie, { intent: "delete", id: "draft" })).toBe(302);
    const until = new Date(Date.now() + 1000).toISOString();
    await sendRequest(actOnTrash, cookie, "/admin/trash", [
      ["intent", "empty"],
      ["until", until],
    ]);
    expect(inTrash().sort()).toEqual(["mine", "nobody", "other"]);
  });
});

describe("files of unpublished videos", () => {
  const write = (name: string) => {
    const file = path.join(site.uploads, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "bytes");
  };
  const statusAt = async (cookie: string, url: string) => {
    const response = await catchResponse(() =>
      Promise.resolve(sendRequest(loadMedia, cookie, url)),
    );
    await response.body?.cancel();
    return response.status;
  };

  it("are accessible to the video's uploader, including derived files and thumbnails uploaded by editors", async () => {
    write("videos/up/1.mp4");
    write("videos/up/1/hls/master.m3u8");
    write("videos/u/2.mp4");
    write("videos/up/2.mp4");
    write("thumbnails/u/3.webp");
    addVideo({
      id: "draft",
      uploaded_by: "up",
      status: "review",
      video_url: "/media/videos/up/1.mp4",
      thumbnail_url: "/media/thumbnails/u/3.webp",
    });
    addVideo({
      id: "other",
      uploaded_by: "u",
      status: "hidden",
      video_url: "/media/videos/u/2.mp4",
    });
    const cookie = await signInUploader();
    expect(await statusAt(cookie, "/media/videos/up/1.mp4")).toBe(200);
    expect(await statusAt(cookie, "/media/videos/up/1/hls/master.m3u8")).toBe(200);
    expect(await statusAt(cookie, "/media/thumbnails/u/3.webp")).toBe(200);
    expect(await statusAt(cookie, "/media/videos/u/2.mp4")).toBe(404);
    // The file is in the uploader's folder, but none of the uploader's videos uses it.
    expect(await statusAt(cookie, "/media/videos/up/2.mp4")).toBe(404);
    expect(await statusAt("", "/media/videos/up/1.mp4")).toBe(404);
  });
});
