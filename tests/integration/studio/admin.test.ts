import fs from "node:fs";
import path from "node:path";
import { createRemixStub } from "@remix-run/testing";
import { createElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import type { ManageData } from "~/features/library/routes/admin-page.server";
import { ManageTab } from "~/features/library/routes/manage-tab";
import { checkLibrary } from "~/features/operations/library-check/check-library.server";
import { studioStats } from "~/features/operations/statistics/admin-stats.server";
import { emptyTrash, TRASH_MS } from "~/features/trash/trash.server";
import { removeFiles } from "~/media/files/removals.server";
import { AuthProvider } from "~/ui/auth-context";
import { ToastProvider } from "~/ui/feedback/toast";
import { sqliteHandle } from "~db/client.server";
import {
  addVideo,
  catchResponse,
  expectFailure,
  expectSuccess,
  get,
  page,
  send,
  useAdminSite,
  video,
  writeUpload,
} from "../../admin-requests";

const site = useAdminSite();

const addFile = (name: string) => writeUpload(site.uploads, name);

/** Returns the HTML that the Manage Videos tab renders from its data. */
function htmlOf(manage: ManageData): string {
  const tab = createElement(ManageTab, {
    manage,
    error: undefined,
    confirmation: undefined,
    preview: undefined,
    now: Date.now(),
    terms: undefined,
    edit: {
      limits: { maxVideoBytes: 1, maxThumbnailBytes: 1 },
      signedOut: false,
      origin: "http://localhost",
    },
  });
  const signedIn = (children: ReactNode) =>
    createElement(AuthProvider, { user: { role: "owner", mayPublish: true }, children });
  const Page = createRemixStub([
    { path: "/", Component: () => signedIn(createElement(ToastProvider, null, tab)) },
  ]);
  return renderToString(createElement(Page));
}

describe("the admin panel", () => {
  it("redirects visitors to the sign-in page", async () => {
    const response = await catchResponse(() => get("/admin", {}));
    expect([response.status, response.headers.get("Location")]).toEqual([302, "/auth"]);
  });

  it("rejects forms from visitors", async () => {
    addVideo();
    expect(await send({ intent: "delete", id: "v" }, { headers: { Cookie: "" } })).toMatchObject({
      init: { status: 400 },
      data: { signedOut: { message: "You must be logged in to delete videos." } },
    });
    expect(video()).toBeDefined();
  });

  it("rejects forms from other sites", async () => {
    addVideo();
    const headers = { Origin: "https://elsewhere.example" };
    const response = await catchResponse(() => send({ intent: "delete", id: "v" }, { headers }));
    expect(response.status).toBe(403);
    expect(video()).toBeDefined();
  });

  it("responds with 400 to an unknown intent or a missing video", async () => {
    expect((await expectFailure({ intent: "launch", id: "v" })).status).toBe(400);
    expect((await expectFailure({ intent: "delete" })).status).toBe(400);
  });
});

it("shows minutes and seconds for a duration that another tool stored in seconds", async () => {
  addVideo({ duration: "330" });
  const { manage } = await page("/admin?tab=manage&edit=v");
  expect(manage?.list.videos[0]?.duration).toBe("5:30");
  expect(manage?.dialog?.video?.duration).toBe("5:30");
});

describe("the statistics", () => {
  it("count the videos with each status and in each stored category", async () => {
    addVideo({ views: 5, status: "hidden" });
    addVideo({ id: "w", category: "amateur", views: 7 });
    addVideo({ id: "x", category: "premium" });
    expect((await page("/admin")).statistics.stats).toEqual({
      totalVideos: 3,
      totalViews: 12,
      totalCategories: 3,
      storageUsed: "0.0 MB",
    });
  });

  it("count one user's uploads in each stored category", async () => {
    const uploader = "uploader";
    addVideo({ uploaded_by: uploader });
    addVideo({ id: "w", category: "amateur", uploaded_by: uploader });
    expect(await studioStats(uploader)).toMatchObject({ totalVideos: 2, totalCategories: 2 });
  });

  it("estimate 50 MB per video if the disk can't be read", async () => {
    addVideo();
    addVideo({ id: "w" });
    fs.rmSync(path.join(site.uploads, "thumbnails"), { recursive: true });
    expect((await page("/admin")).statistics.stats?.storageUsed).toBe("~0.10 GB");
  });

  it("are replaced by an error message if they can't be read", async () => {
    sqliteHandle().exec("DROP TABLE video_totals");
    expect((await page("/admin")).statistics).toEqual({
      toast: { title: "Error", description: "Failed to fetch statistics.", kind: "error" },
    });
    vi.mocked(console.error).mockClear();
  });
});

describe("the list of videos", () => {
  it("contains every video, newest first", async () => {
    addVideo({ created_at: "2024-01-01T00:00:00.000Z", status: "hidden" });
    addVideo({ id: "w", created_at: "2024-01-02T00:00:00.000Z", status: "review" });
    const { manage } = await page("/admin?tab=manage");
    expect(manage?.list.videos.map(({ id, status }) => [id, status])).toEqual([
      ["w", "review"],
      ["v", "hidden"],
    ]);
  });

  it("is empty if it can't be read, and the error is only logged", async () => {
    expect(htmlOf((await page("/admin?tab=manage")).manage!)).toContain("No videos yet.");
    expect(htmlOf((await page("/admin?tab=manage&search=a")).manage!)).toContain(
      "No videos found.",
    );
    sqliteHandle().exec("ALTER TABLE videos RENAME COLUMN bytes TO gone");
    vi.mocked(console.error).mockClear();
    for (const url of ["/admin?tab=manage", "/admin?tab=manage&search=a"]) {
      const { manage, status } = await page(url);
      expect([status, manage?.list.total]).toEqual([200, 0]);
      expect(console.error).toHaveBeenCalled();
      expect(htmlOf(manage!)).not.toMatch(/No videos (yet|found)/);
      vi.mocked(console.error).mockClear();
    }
  });

  it("is shown with status 404 if a dialog's video doesn't exist", async () => {
    addVideo();
    const { manage, status } = await page("/admin?tab=manage&edit=gone");
    expect([status, manage?.list.total]).toEqual([404, 1]);
  });
});

const EDIT = {
  intent: "update",
  id: "v",
  title: " A better video ",
  description: "Words",
  category: "english",
  tags: "one, , two ,One",
  duration: "1:15:30",
};

describe("editing a video", () => {
  it("changes the fields, shows a toast, and returns to the same list", async () => {
    addVideo({ updated_at: "2020-01-01T00:00:00.000Z" });
    expect(await expectSuccess(EDIT, "/admin?tab=manage&search=video&page=2&edit=v")).toEqual({
      location: "/admin?tab=manage&search=video&page=2",
      toast: {
        title: "Video Updated",
        description: "Video has been updated successfully.",
        kind: "success",
      },
    });
    expect(video()).toMatchObject({
      title: "A better video",
      description: "Words",
      category: "english",
      tags: '["one","two"]',
      duration: "75:30",
    });
    expect(String(video()?.updated_at) > "2024").toBe(true);
  });

  it("removes control characters, as the upload form does", async () => {
    addVideo();
    const texts = { title: "A\u0000better\u2028video\u001b", description: "Wo\u0007rds\r\n\tmore" };
    await expectSuccess({ ...EDIT, ...texts, tags: "o\u0008ne, two" });
    expect(video()).toMatchObject({
      title: "A better video",
      description: "Words\n\tmore",
      tags: '["o ne","two"]',
    });
  });

  it("stores null if no tags are left", async () => {
    addVideo({ tags: '["old"]' });
    await expectSuccess({ ...EDIT, tags: " , " });
    expect(video()?.tags).toBeNull();
  });

  it.each([
    ["title", "  ", "Please fill in all required fields."],
    ["category", "trending", "Choose a category."],
    ["duration", "soon", "Use minutes:seconds, such as 5:30."],
    ["tags", "x".repeat(61), "Use at most 60 characters per tag."],
  ])("rejects %s %j with 422 and keeps the entered text", async (field, value, message) => {
    addVideo();
    const response = await expectFailure({ ...EDIT, [field]: value });
    expect(response).toMatchObject({
      status: 422,
      toast: { title: "Error", description: "Failed to update video." },
      edit: { texts: { description: "Words", [field]: value }, fields: { [field]: message } },
    });
    expect(video()?.title).toBe("A video");
  });

  it("responds with 404 if the row doesn't exist", async () => {
    expect(await expectFailure(EDIT)).toMatchObject({
      status: 404,
      toast: { description: "Failed to update video." },
    });
  });

  it("responds with 409 without overwriting anything if the row has changed since the form was opened", async () => {
    addVideo();
    const opened = (await page("/admin?tab=manage&edit=v")).manage?.dialog?.video;
    sqliteHandle().exec("UPDATE videos SET title = 'Theirs'");
    const response = await expectFailure({ ...EDIT, version: opened!.version });
    expect(response).toMatchObject({
      status: 409,
      edit: { current: { title: "Theirs" }, texts: { title: EDIT.title } },
    });
    expect(video()?.title).toBe("Theirs");
    await expectSuccess({ ...EDIT, version: response.edit!.current.version });
    expect(video()?.title).toBe("A better video");
  });

  it("isn't affected by views counted in the meantime", async () => {
    addVideo();
    const opened = (await page("/admin?tab=manage&edit=v")).manage?.dialog?.video;
    sqliteHandle().exec("UPDATE videos SET views = views + 1");
    await expectSuccess({ ...EDIT, version: opened!.version });
  });

  it("reports a database failure", async () => {
    addVideo();
    sqliteHandle().exec(
      "CREATE TRIGGER broken BEFORE UPDATE ON videos BEGIN SELECT raise(ABORT, 'no'); END",
    );
    expect(await expectFailure(EDIT)).toMatchObject({
      status: 500,
      toast: { title: "Error", description: "Failed to update video." },
    });
    expect(await expectFailure({ intent: "toggle", id: "v" })).toMatchObject({
      status: 500,
      toast: { title: "Error", description: "Failed to update video visibility." },
    });
    vi.mocked(console.error).mockClear();
  });
});

describe("the visibility toggle", () => {
  it.each([
    ["published", "hidden", "hidden"],
    ["hidden", "published", "visible"],
    ["review", "published", "visible"],
  ])("changes %s to %s", async (from, to, word) => {
    addVideo({ status: from, updated_at: "2020-01-01T00:00:00.000Z" });
    const { toast } = await expectSuccess({ intent: "toggle", id: "v" });
    expect(toast).toMatchObject({
      title: "Video Updated",
      description: `Video is now ${word} on the website.`,
    });
    expect(video()).toMatchObject({ status: to, updated_at: "2020-01-01T00:00:00.000Z" });
  });

  it("doesn't undo another admin's change", async () => {
    addVideo();
    await expectSuccess({ intent: "toggle", id: "v", expectedStatus: "published" });
    const late = await expectFailure({ intent: "toggle", id: "v", expectedStatus: "published" });
    expect(late).toMatchObject({
      status: 409,
      detail: "The video’s status has changed since you loaded the page.",
    });
    expect(video()?.status).toBe("hidden");
  });

  it("rejects an unknown expected status without changing anything", async () => {
    addVideo();
    const failure = await expectFailure({ intent: "toggle", id: "v", expectedStatus: "shown" });
    expect(failure.status).toBe(400);
    expect(video()?.status).toBe("published");
  });

  it("responds with 404 if the row doesn't exist", async () => {
    expect(await expectFailure({ intent: "toggle", id: "v" })).toMatchObject({
      status: 404,
      toast: { title: "Error", description: "Failed to update video visibility." },
    });
  });
});

describe("deleting a video", () => {
  function addWithFiles() {
    addVideo({
      video_url: "/media/videos/u/1700000000000.mp4",
      thumbnail_url: "/media/thumbnails/u/1700000000001.jpg",
      tags: '["one"]',
      views: 7,
    });
    return [
      addFile("videos/u/1700000000000.mp4"),
      addFile("videos/u/1700000000000/hls/master.m3u8"),
      addFile("thumbnails/u/1700000000000/storyboard-1.webp"),
      addFile("thumbnails/u/1700000000001.jpg"),
    ];
  }
  const present = (files: string[]) => files.map((file) => fs.existsSync(file));

  it("removes the row immediately, and its files and derived files after 30 days", async () => {
    const files = addWithFiles();
    const others = [
      addFile("videos/u/1700000000002.mp4"),
      addFile("thumbnails/u/170000000000.jpg"),
    ];
    expect((await expectSuccess({ intent: "delete", id: "v" })).toast).toEqual({
      title: "Video Deleted",
      description: "Video and associated files have been removed successfully.",
      kind: "success",
      action: {
        label: "Undo",
        to: "/admin?tab=manage",
        fields: { intent: "restore", batch: expect.any(String) },
      },
    });
    expect(video()).toBeUndefined();
    expect(present(files)).toEqual([true, true, true, true]);
    await emptyTrash(Date.now() + TRASH_MS);
    await removeFiles();
    expect(present(files)).toEqual([false, false, false, false]);
    expect(present(others)).toEqual([true, true]);
  });

  it("can be undone for 30 days", async () => {
    const files = addWithFiles();
    await checkLibrary();
    const before = video();
    await expectSuccess({ intent: "delete", id: "v" });
    const { manage } = await page("/admin?tab=manage");
    expect(manage?.deletions).toMatchObject([{ titles: ["A video"], videos: 1 }]);
    const { batch } = manage!.deletions[0]!;
    await emptyTrash(Date.now() + TRASH_MS - 5_000);
    await expectSuccess({ intent: "restore", batch });
    expect(before?.bytes).toBe(20);
    expect(video()).toEqual(before);
    expect(present(files)).toEqual([true, true, true, true]);
    expect((await page("/admin")).statistics.stats?.storageUsed).toBe("0.0 MB");
    expect(sqliteHandle().prepare("SELECT bytes FROM storage").pluck().get()).toBe(20);
  });

  it("can be undone with the form in the toast, which returns to the list", async () => {
    const files = addWithFiles();
    const list = "/admin?tab=manage&status=published";
    const { toast } = await expectSuccess({ intent: "delete", id: "v" }, list);
    expect(toast.action.to).toBe(list);
    const { location } = await expectSuccess(toast.action.fields, toast.action.to);
    expect(location).toBe(list);
    expect(video()).toBeDefined();
    expect(present(files)).toEqual([true, true, true, true]);
  });

  it("can't be undone after 30 days", async () => {
    addWithFiles();
    await expectSuccess({ intent: "delete", id: "v" });
    const { batch } = (await page("/admin?tab=manage")).manage!.deletions[0]!;
    await emptyTrash(Date.now() + TRASH_MS);
    expect((await expectFailure({ intent: "restore", batch })).status).toBe(404);
    expect((await page("/admin?tab=manage")).manage?.deletions).toEqual([]);
  });

  it("keeps a file that another row uses", async () => {
    const files = addWithFiles();
    addVideo({ id: "w", video_url: "/media/videos/u/1700000000000.mp4" });
    await expectSuccess({ intent: "delete", id: "v" });
    await emptyTrash(Date.now() + TRASH_MS);
    await removeFiles();
    expect(present(files)).toEqual([true, true, true, false]);
  });

  it("succeeds if a file can't be removed, and only logs the error", async () => {
    const files = addWithFiles();
    const obstacle = path.join(site.uploads, "videos/.removing");
    fs.writeFileSync(obstacle, "no folder");
    await expectSuccess({ intent: "delete", id: "v" });
    await emptyTrash(Date.now() + TRASH_MS);
    await removeFiles();
    expect(video()).toBeUndefined();
    expect(console.error).toHaveBeenCalled();
    vi.mocked(console.error).mockClear();
    fs.rmSync(obstacle);
    await removeFiles();
    expect(present(files)).toEqual([false, false, false, false]);
  });

  it("works for a row whose URLs point outside the buckets", async () => {
    const outside = addFile("secret.txt");
    addVideo({
      video_url: "/media/videos/../secret.txt",
      thumbnail_url: "https://x.example/a.jpg",
    });
    await expectSuccess({ intent: "delete", id: "v" });
    expect(fs.existsSync(outside)).toBe(true);
  });

  it("responds with 404 if the row doesn't exist", async () => {
    expect(await expectFailure({ intent: "delete", id: "v" })).toMatchObject({
      status: 404,
      toast: { title: "Error", description: "Failed to delete video." },
    });
  });
});
