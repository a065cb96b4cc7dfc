import type { LoaderFunctionArgs } from "@remix-run/node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loader } from "~/features/operations/routes/statistics";
import { loader as fileLoader } from "~/features/operations/routes/statistics-file";
import { loader as videoLoader } from "~/features/operations/routes/video-statistics";
import { loader as videoFileLoader } from "~/features/operations/routes/video-statistics-file";
import { averageWatched, dropOff } from "~/features/operations/statistics/statistics";
import {
  readStatistics,
  readVideoStatistics,
} from "~/features/operations/statistics/statistics.server";
import { openSession } from "~/features/permissions/session.server";
import { readPeriod, statisticsHref, videoStatisticsHref } from "~/shared/statistics-address";
import { sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, catchResponse, signInAdmin } from "../../admin-requests";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const NOW = Date.parse("2024-05-10T12:00:00Z");
const viewed = (id: string, day: string, views: number) =>
  sqliteHandle().prepare("INSERT INTO view_days VALUES (?, ?, ?)").run(id, day, views);

describe("the statistics", () => {
  it("include every day of the period up to today, even without views", async () => {
    addVideo();
    addVideo({ id: "w", title: "Another" });
    viewed("v", "2024-05-10", 3);
    viewed("w", "2024-05-10", 4);
    viewed("v", "2024-05-04", 2);
    viewed("v", "2024-05-03", 100);
    const { days, videos } = await readStatistics(7, NOW);
    expect(days.map(({ day, views }) => `${day} ${views}`)).toEqual([
      "2024-05-04 2",
      "2024-05-05 0",
      "2024-05-06 0",
      "2024-05-07 0",
      "2024-05-08 0",
      "2024-05-09 0",
      "2024-05-10 7",
    ]);
    expect(videos).toEqual([
      { id: "v", title: "A video", views: 5 },
      { id: "w", title: "Another", views: 4 },
    ]);
  });

  it("include new views immediately", async () => {
    addVideo({ views: 10 });
    expect((await readStatistics(7)).days.at(-1)?.views).toBe(0);
    sqliteHandle().exec("UPDATE videos SET views = views + 3");
    expect((await readStatistics(7)).days.at(-1)?.views).toBe(3);
  });

  it("combine legacy categories with the current ones, and omit deleted videos", async () => {
    addVideo({ bytes: 10 });
    addVideo({ id: "w", category: "amateur", bytes: 5 });
    addVideo({ id: "x", category: "english", bytes: 20 });
    addVideo({ id: "y", category: "premium", bytes: 30 });
    sqliteHandle().exec("DELETE FROM videos WHERE id = 'y'");
    expect((await readStatistics(7)).storage).toEqual([
      { category: "english", videos: 1, bytes: 20 },
      { category: "desi", videos: 2, bytes: 15 },
    ]);
  });

  it("cover 30 days unless the URL specifies another period", () => {
    const read = (query: string) => readPeriod(new URLSearchParams(query));
    expect([read(""), read("days=7"), read("days=8"), read("days=x")]).toEqual([30, 7, 30, 30]);
    expect([statisticsHref(30), statisticsHref(90)]).toEqual([
      "/admin/statistics",
      "/admin/statistics?days=90",
    ]);
  });
});

it("responds with an error and status 500 if the statistics can't be fetched", async () => {
  await signInAdmin();
  sqliteHandle().exec("DROP TABLE view_days");
  const headers = { Cookie: adminCookie() };
  const request = new Request("http://localhost/admin/statistics", { headers });
  expect(await loader({ request, params: {}, context: {} })).toMatchObject({
    init: { status: 500 },
    data: {
      toast: { title: "Error", description: "Failed to fetch statistics.", kind: "error" },
    },
  });
  vi.mocked(console.error).mockClear();
});

/** The watched parts of 4 views. Later parts have fewer and fewer views. */
const PARTS = [4, 4, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1];

function watched(id: string, views = 4, parts = PARTS): void {
  sqliteHandle()
    .prepare("INSERT INTO watched_parts VALUES (?, ?, ?)")
    .run(id, views, JSON.stringify(parts));
}

describe("a video's statistics", () => {
  it("contain the video's views by day and the watched parts", async () => {
    addVideo();
    addVideo({ id: "w" });
    viewed("v", "2024-05-10", 3);
    viewed("w", "2024-05-10", 4);
    viewed("v", "2024-05-08", 2);
    watched("v");
    const statistics = await readVideoStatistics("v", { days: 3, now: NOW });
    expect(statistics).toEqual({
      video: { id: "v", title: "A video", status: "published", held: 0, views: 0 },
      days: [
        { day: "2024-05-08", views: 2 },
        { day: "2024-05-09", views: 0 },
        { day: "2024-05-10", views: 3 },
      ],
      watched: { views: 4, parts: PARTS },
    });
    expect(averageWatched(statistics!.watched)).toBe(42 / 80);
    const parts = dropOff(statistics!.watched);
    expect([parts[0], parts[2], parts[19]]).toEqual([
      { from: 0, to: 5, views: 4, share: 1 },
      { from: 10, to: 15, views: 3, share: 0.75 },
      { from: 95, to: 100, views: 1, share: 0.25 },
    ]);
  });

  it("show zero views and no average before the first view", async () => {
    addVideo();
    const { days, watched } = (await readVideoStatistics("v", { now: NOW }))!;
    expect(days).toEqual([{ day: "2024-05-10", views: 0 }]);
    expect(averageWatched(watched)).toBeUndefined();
    expect(dropOff(watched).every(({ share }) => share === 0)).toBe(true);
  });

  it("go back to the first view, but at most ten years", async () => {
    addVideo();
    const count = async () => (await readVideoStatistics("v", { now: NOW }))!.days.length;
    viewed("v", "2024-03-01", 1);
    expect(await count()).toBe(71);
    viewed("v", "0001-01-01", 1);
    expect(await count()).toBe(3_650);
    sqliteHandle().exec("DELETE FROM view_days");
    viewed("v", "2030-01-01", 1);
    expect(await count()).toBe(1);
  });

  it("have a valid URL for any video ID", () => {
    expect(videoStatisticsHref("a/b")).toBe("/admin/videos/a%2Fb/statistics");
    expect(videoStatisticsHref("v", 7)).toBe("/admin/videos/v/statistics?days=7");
  });
});

describe("the statistics URLs", () => {
  let cookie: string;
  beforeEach(async () => {
    await signInAdmin();
    cookie = adminCookie();
    addVideo({ title: '=HYPERLINK("http://evil.example")' });
    addVideo({ id: "w", title: "Another", uploaded_by: "up" });
    const today = new Date().toISOString().slice(0, 10);
    viewed("v", today, 2);
    viewed("w", today, 1);
    watched("v");
  });

  const loaderArgs = (
    load: (args: LoaderFunctionArgs) => Promise<unknown>,
    params: Record<string, string>,
  ) => {
    const request = new Request("http://localhost/?days=7", { headers: { Cookie: cookie } });
    return load({ request, params, context: {} });
  };
  async function csv(file: string, id?: string): Promise<string[]> {
    const load = id === undefined ? fileLoader : videoFileLoader;
    const response = await catchResponse(() => loaderArgs(load, { file, ...(id && { id }) }));
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("Content-Disposition")).toBe(`attachment; filename="${file}"`);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    return (await response.text()).split("\r\n");
  }

  async function signInUploader(): Promise<void> {
    sqliteHandle().exec(
      "INSERT INTO users (id, email, password_hash, role) VALUES ('up', 'up@b.c', 'x', 'uploader')",
    );
    cookie = (await openSession("up")).split(";")[0]!;
  }

  it("export the tables as CSV without formulas in titles", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const days = await csv("views-by-day.csv");
    expect([days.length, days[0], days[7]]).toEqual([9, "day,views", `${today},3`]);
    expect(await csv("views-by-video.csv")).toEqual([
      "id,title,views",
      `v,"'=HYPERLINK(""http://evil.example"")",2`,
      "w,Another,1",
      "",
    ]);
    expect(await csv("storage-by-category.csv")).toEqual(["category,videos,bytes", "desi,2,0", ""]);
    expect(await csv("views-by-day.csv", "v")).toEqual(["day,views", `${today},2`, ""]);
    const parts = await csv("watched-parts.csv", "v");
    expect(parts).toHaveLength(22);
    expect(parts.slice(0, 4)).toEqual([
      "from percent,to percent,views,views with playback,share",
      "0,5,4,4,1",
      "5,10,4,4,1",
      "10,15,3,4,0.75",
    ]);
  });

  it("return 404 for an unknown file or video", async () => {
    for (const [load, params] of [
      [fileLoader, { file: "other.csv" }],
      [videoFileLoader, { id: "v", file: "other.csv" }],
      [videoFileLoader, { id: "none", file: "views-by-day.csv" }],
      [videoLoader, { id: "none" }],
    ] as const) {
      expect((await catchResponse(() => loaderArgs(load, params))).status).toBe(404);
    }
  });

  it("show uploaders only their own videos", async () => {
    await signInUploader();
    expect(await loaderArgs(videoLoader, { id: "w" })).toMatchObject({
      statistics: { video: { id: "w" } },
    });
    expect(await csv("views-by-day.csv", "w")).toHaveLength(3);
    const file = "views-by-day.csv";
    expect((await catchResponse(() => loaderArgs(videoLoader, { id: "v" }))).status).toBe(404);
    expect((await catchResponse(() => loaderArgs(videoFileLoader, { id: "v", file }))).status).toBe(
      404,
    );
    expect((await catchResponse(() => loaderArgs(fileLoader, { file }))).status).toBe(403);
  });

  it("return status 500 if the statistics can't be read", async () => {
    sqliteHandle().exec("DROP TABLE watched_parts");
    expect(await loaderArgs(videoLoader, { id: "v" })).toMatchObject({
      init: { status: 500 },
      data: { toast: { description: "Failed to fetch statistics." } },
    });
    vi.mocked(console.error).mockClear();
  });
});
