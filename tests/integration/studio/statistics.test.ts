import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loader } from "~/routes/statistics";
import { readPeriod, statisticsHref } from "~/studio/statistics/statistics";
import { readStatistics } from "~/studio/statistics/statistics.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo, adminCookie, signInAdmin } from "../../admin-requests";
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
  it("have every day of the period, today last, days without a view as well", async () => {
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
      { id: "v", title: "A film", views: 5 },
      { id: "w", title: "Another", views: 4 },
    ]);
  });

  it("follow the counting of views as it happens", async () => {
    addVideo({ views: 10 });
    expect((await readStatistics(7)).days.at(-1)?.views).toBe(0);
    sqliteHandle().exec("UPDATE videos SET views = views + 3");
    expect((await readStatistics(7)).days.at(-1)?.views).toBe(3);
  });

  it("add a legacy category to today's, and leave out what has no video any more", async () => {
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

  it("are of 30 days unless the address says otherwise", () => {
    const read = (query: string) => readPeriod(new URLSearchParams(query));
    expect([read(""), read("days=7"), read("days=8"), read("days=x")]).toEqual([30, 7, 30, 30]);
    expect([statisticsHref(30), statisticsHref(90)]).toEqual([
      "/admin/statistics",
      "/admin/statistics?days=90",
    ]);
  });
});

it("the page says that they could not be fetched, with the status of a failure", async () => {
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
