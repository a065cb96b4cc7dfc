import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_VIEW, manageHref, readManageView } from "~/features/library/list/manage-address";
import { listManaged } from "~/features/library/list/managed-list.server";
import type { ReviewFailure } from "~/features/library/review/review.server";
import { action, loader } from "~/features/library/routes/review";
import { openSession } from "~/features/permissions/session.server";
import { loader as loadPublicMedia } from "~/features/watch/routes/media";
import { loader as loadPreview, headers as previewHeaders } from "~/features/watch/routes/preview";
import { loader as loadMedia } from "~/features/watch/routes/preview-media";
import { listActivities } from "~/platform/activity/activity.server";
import { activityMessage, unknownActor } from "~/platform/activity/activity-labels";
import { sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, useAdminSite, video, writeUpload } from "../../admin-requests";

const site = useAdminSite();
const ORIGIN = "http://localhost";
const MASTER = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n360p.m3u8\n";

function addDraft(columns: Record<string, string> = {}): void {
  writeUpload(site.uploads, "videos/up/1.mp4");
  addVideo({
    uploaded_by: "up",
    status: "review",
    video_url: "/media/videos/up/1.mp4",
    ...columns,
  });
}

async function signInUploader(): Promise<string> {
  sqliteHandle().exec(
    "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@b.c', 'x', 'uploader')",
  );
  return (await openSession("up")).split(";")[0] ?? "";
}

interface Plain {
  status: number;
  data: Record<string, unknown>;
  headers: Headers;
}

async function resultOf(work: () => unknown): Promise<Response | Plain> {
  const result = await (async () => work())().catch((thrown: unknown) => thrown);
  if (result instanceof Response) return result;
  const { data, init } = result as { data?: Plain["data"]; init?: ResponseInit | null };
  const headers = new Headers(init?.headers);
  return { status: init?.status ?? 200, data: data ?? (result as Plain["data"]), headers };
}

const open = (cookie = adminCookie(), id = "v") =>
  resultOf(() =>
    loader({
      request: new Request(`${ORIGIN}/admin/review/${id}`, { headers: { Cookie: cookie } }),
      params: { id },
      context: {},
    }),
  );

function send(fields: Record<string, string>, cookie = adminCookie(), id = "v") {
  const request = new Request(`${ORIGIN}/admin/review/${id}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Cookie: cookie, Origin: ORIGIN, Host: "localhost" },
  });
  return resultOf(() => action({ request, params: { id }, context: {} }));
}

/** Creates a preview link and returns its path. */
async function link(): Promise<string> {
  const { data } = (await send({ intent: "link" })) as Plain;
  expect(data.path).toMatch(/^\/preview\/[\w-]{43}$/);
  return String(data.path);
}

const tokenOf = (path: string) => path.slice("/preview/".length);
const preview = (path: string, headers = {}) =>
  resultOf(() =>
    loadPreview({
      request: new Request(ORIGIN + path, { headers }),
      params: { token: tokenOf(path) },
      context: {},
    }),
  ) as Promise<Plain>;

async function file(path: string, address: string) {
  const result = await loadMedia({
    request: new Request(ORIGIN + path + address),
    params: { token: tokenOf(path) },
    context: {},
  });
  return {
    status: result.status,
    cache: result.headers.get("Cache-Control"),
    body: await result.text(),
  };
}

describe("a preview link", () => {
  it("shows a draft to anyone until it is revoked, without letting it be cached or indexed", async () => {
    addDraft();
    const path = await link();
    const shown = await preview(path);
    expect(shown).toMatchObject({ status: 200, data: { video: { title: "A video" } } });
    expect(shown.headers.get("Cache-Control")).toBe("no-store");
    expect(shown.headers.get("X-Robots-Tag")).toBe("noindex");
    expect(new Headers(previewHeaders({} as never)).get("Cache-Control")).toBe("no-store");
    const { player } = shown.data.video as { player: { fileUrl: string } };
    expect(player.fileUrl.startsWith(`${path}/media/videos/up/1.mp4`)).toBe(true);
    expect(await file(path, "/media/videos/up/1.mp4")).toEqual({
      status: 200,
      cache: "private, no-store, no-transform",
      body: "bytes",
    });

    const { data } = (await open()) as Plain;
    const [listed] = data.links as { id: string }[];
    expect(JSON.stringify(data)).not.toContain(tokenOf(path));
    expect(await send({ intent: "revoke", link: listed!.id })).toMatchObject({ status: 302 });
    expect((await preview(path)).status).toBe(404);
    expect((await file(path, "/media/videos/up/1.mp4")).status).toBe(404);
    expect(await send({ intent: "revoke", link: listed!.id })).toMatchObject({ status: 404 });
  });

  it("serves the stream's playlists, with the captions under the same link", async () => {
    writeUpload(site.uploads, "videos/up/1/captions/en.vtt");
    const master = writeUpload(site.uploads, "videos/up/1/hls/master.m3u8");
    fs.writeFileSync(master, MASTER);
    addDraft({
      hls_url: "/media/videos/up/1/hls/master.m3u8",
      captions: JSON.stringify([
        { url: "/media/videos/up/1/captions/en.vtt", language: "en", label: "English" },
      ]),
    });
    const path = await link();
    const playlist = await file(path, "/media/videos/up/1/hls/master.m3u8");
    expect(playlist).toMatchObject({ status: 200, cache: "private, no-store, no-transform" });
    expect(playlist.body).toContain("360p.m3u8");
    expect(playlist.body).toContain(`URI="${path}/media/videos/up/1/captions/en.vtt.m3u8"`);
    expect(playlist.body).not.toContain('"/media/');
    const captions = await file(path, "/media/videos/up/1/captions/en.vtt.m3u8");
    expect(captions.body).toContain(`${path}/media/videos/up/1/captions/en.vtt`);
  });

  it("doesn't give access to any other video, and the draft's files have no other URL", async () => {
    addDraft();
    writeUpload(site.uploads, "videos/up/2.mp4");
    addVideo({ id: "w", status: "hidden", video_url: "/media/videos/up/2.mp4" });
    const path = await link();
    expect((await file(path, "/media/videos/up/2.mp4")).status).toBe(404);
    expect((await file(path, "/media/videos/up/../up/2.mp4")).status).toBe(404);
    expect((await file("/preview/none", "/media/videos/up/1.mp4")).status).toBe(404);
    const request = new Request(`${ORIGIN}/media/videos/up/1.mp4`);
    const direct = await loadPublicMedia({ request, params: {}, context: {} });
    expect(direct.status).toBe(404);
  });

  it("redirects to the video once it is published", async () => {
    addDraft();
    const path = await link();
    sqliteHandle().exec("UPDATE videos SET status = 'published'");
    const result = (await preview(path)) as unknown as Response;
    expect(result.status).toBe(302);
    expect(result.headers.get("Location")).toBe("/video/v");
    expect(result.headers.get("Cache-Control")).toBe("no-store");
  });

  it("doesn't count a view before the visitor has confirmed their age", async () => {
    addDraft();
    const path = await link();
    const browser = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
    await preview(path, browser);
    expect(((await open()) as Plain).data.links).toMatchObject([{ views: 0 }]);
    await preview(path, { ...browser, Cookie: "age=18" });
    await preview(path, { ...browser, Cookie: adminCookie() });
    expect(((await open()) as Plain).data.links).toMatchObject([{ views: 2 }]);
  });

  it("counts views, except by crawlers, and records them as activity without identifying the viewer", async () => {
    addDraft();
    const path = await link();
    const browser = {
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
      Cookie: "age=18",
    };
    await preview(path, browser);
    await preview(path, browser);
    await preview(path, { "User-Agent": "Googlebot/2.1" });
    const { data } = (await open()) as Plain;
    expect(data.links).toMatchObject([{ views: 2 }]);
    const [newest, ...rest] = await listActivities();
    const { before, subject } = activityMessage(newest!.action, newest!.detail);
    expect(`${newest!.email ?? unknownActor(newest!.action)} ${before}${subject}`).toBe(
      "Someone opened a preview link for A video",
    );
    expect(rest.map(({ action }) => action)).toEqual(["preview-link"]);
  });
});

describe("a draft's review page", () => {
  it("shows both sides' notes, and who has to respond next", async () => {
    const theirs = await signInUploader();
    addDraft();
    expect(await send({ intent: "ready", note: "Please look." }, theirs)).toMatchObject({
      status: 302,
    });
    expect(video()?.ready_at).not.toBeNull();
    expect(await send({ intent: "unready", note: "The title is wrong." })).toMatchObject({
      status: 302,
    });
    const { data } = (await open(theirs)) as Plain;
    expect(data.notes).toMatchObject([
      { email: "up@b.c", text: "Please look." },
      { email: "a@b.c", text: "The title is wrong." },
    ]);
    expect(data.video).toMatchObject({ readyAt: null });
    const actions = (await listActivities()).map(({ action }) => action);
    expect(actions).toEqual(["review-back", "review-ready"]);
  });

  it("shows uploaders only their own videos", async () => {
    const theirs = await signInUploader();
    addDraft({ uploaded_by: "u" });
    expect(((await open(theirs)) as Response).status).toBe(404);
    for (const intent of ["note", "ready", "link"]) {
      expect((await send({ intent, note: "x" }, theirs)).status).toBe(404);
    }
    expect(((await open("")) as Response).headers.get("Location")).toBe("/auth");
  });

  it("rejects a video that is no longer a draft, and empty or overlong notes", async () => {
    addDraft({ status: "published" });
    const late = (await send({ intent: "ready", note: "Late" })) as Plain;
    expect(late.status).toBe(409);
    expect((late.data.error as ReviewFailure).note).toBe("Late");
    expect((await send({ intent: "note", note: " " })).status).toBe(422);
    expect((await send({ intent: "note", note: "x".repeat(2_001) })).status).toBe(422);
    expect((await send({ intent: "other" })).status).toBe(400);
  });
});

describe("filtering drafts by readiness", () => {
  it("lists and counts drafts that are ready, and those that aren't", async () => {
    for (const id of ["a", "b", "c"]) addVideo({ id, status: "review" });
    addVideo({ id: "p", status: "published" });
    sqliteHandle().exec(
      "UPDATE videos SET ready_at = '2026-11-22T10:00:00.000Z' WHERE id IN ('b', 'p')",
    );
    const shown = async (status: string) => {
      const view = readManageView(new URLSearchParams({ status }));
      expect(manageHref(view)).toBe(`/admin?tab=manage&status=${status}`);
      const { videos, total } = await listManaged(view);
      return { ids: videos.map(({ id }) => id).sort(), total };
    };
    expect(await shown("ready")).toEqual({ ids: ["b"], total: 1 });
    expect(await shown("unready")).toEqual({ ids: ["a", "c"], total: 2 });
    const all = await listManaged(DEFAULT_VIEW);
    expect(all.videos.filter(({ isReady }) => isReady).map(({ id }) => id)).toEqual(["b"]);
  });
});
