import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { action, loader } from "~/features/watch/routes/video-watched";
import {
  countWatched,
  flushWatchedParts,
  readWatchedParts,
} from "~/features/watch/watched-parts.server";
import { openSqlite, sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
const CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const QUARTER = "1".repeat(5).padEnd(20, "0");
const HALF = "1".repeat(10).padEnd(20, "0");
const NOTHING = { views: 0, parts: Array(20).fill(0) };

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  sqliteHandle().exec(`
    INSERT INTO videos (id, title, category) VALUES ('a', 'A', 'desi'), ('b', 'B', 'desi');
    INSERT INTO videos (id, title, category, status) VALUES ('h', 'H', 'desi', 'hidden');`);
});
afterEach(async () => {
  vi.useRealTimers();
  await site.remove();
});

function written(id: string) {
  flushWatchedParts();
  return readWatchedParts(id);
}

async function post(id: string, body: BodyInit, headers: Record<string, string> = {}) {
  const request = new Request(`http://site.test/video/${id}/watched`, {
    method: "POST",
    body,
    headers: { "User-Agent": BROWSER, "Content-Type": "text/plain;charset=UTF-8", ...headers },
  });
  request.headers.set("Sec-Fetch-Site", headers["Sec-Fetch-Site"] ?? "same-origin");
  return action({ request, params: { id }, context: {} }).catch((thrown) => thrown as Response);
}

describe("counting watched parts", () => {
  it("keeps a single row per video that contains only totals", () => {
    for (const report of [QUARTER, HALF, HALF]) expect(countWatched("a", report)).toBe(true);
    expect(countWatched("b", "0".repeat(20))).toBe(true);
    expect(written("a")).toEqual({
      views: 3,
      parts: [...Array(5).fill(3), ...Array(5).fill(2), ...Array(10).fill(0)],
    });
    countWatched("a", HALF);
    expect(written("a").views).toBe(4);
    expect(written("b")).toEqual({ ...NOTHING, views: 1 });
    const rows = sqliteHandle().prepare("SELECT * FROM watched_parts ORDER BY video_id").all();
    expect(rows).toEqual([
      { video_id: "a", views: 4, parts: "[4,4,4,4,4,3,3,3,3,3,0,0,0,0,0,0,0,0,0,0]" },
      { video_id: "b", views: 1, parts: `[${Array(20).fill(0)}]` },
    ]);
  });

  it("writes all reports from one second in a single transaction", () => {
    vi.useFakeTimers();
    const changes = () => sqliteHandle().prepare("SELECT total_changes()").pluck().get() as number;
    const before = changes();
    for (let i = 0; i < 5_000; i += 1) countWatched("a", HALF);
    expect(changes()).toBe(before);
    vi.advanceTimersByTime(1_000);
    expect(changes()).toBe(before + 1);
    expect(readWatchedParts("a").views).toBe(5_000);
  });

  it("counts only published videos", () => {
    expect(countWatched("h", HALF)).toBe(false);
    expect(countWatched("nobody", HALF)).toBe(false);
  });

  it("is limited per IP address in the same way as counting views", () => {
    for (let i = 0; i < 100; i += 1) expect(countWatched("a", HALF, "192.0.2.1")).toBe(true);
    countWatched("a", HALF, "192.0.2.2");
    expect(written("a").views).toBe(61);
  });

  it("keeps the counts of a video in the trash, but not those of a permanently deleted video", () => {
    countWatched("a", HALF);
    countWatched("b", HALF);
    sqliteHandle().exec(`DELETE FROM videos;
      INSERT INTO deleted_videos (id, title, row, deleted_at)
      VALUES ('b', 'B', '{}', '2026-01-01')`);
    expect(written("a")).toEqual(NOTHING);
    expect(written("b").views).toBe(1);
  });

  it("keeps counts that couldn't be written, and writes them on the next attempt", () => {
    countWatched("a", HALF);
    sqliteHandle().pragma("busy_timeout = 0");
    const other = openSqlite(sqliteHandle().name);
    other.exec("BEGIN IMMEDIATE");
    expect(written("a")).toEqual(NOTHING);
    expect(console.error).toHaveBeenCalledOnce();
    vi.mocked(console.error).mockClear();
    other.exec("ROLLBACK");
    other.close();
    expect(written("a").views).toBe(1);
  });
});

describe("POST /video/{id}/watched", () => {
  it("counts a report", async () => {
    const response = await post("a", QUARTER);
    expect(response.status).toBe(204);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Set-Cookie")).toBeNull();
    expect(written("a").parts.slice(3, 7)).toEqual([1, 1, 0, 0]);
  });

  it("returns the same response for a hidden video as for one that doesn't exist", async () => {
    const responses = [
      await post("h", HALF),
      await post("nobody", HALF),
      await post("x%00'\"", HALF),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(responses.map(({ headers }) => [...headers])[0]).toEqual([...responses[1]!.headers]);
    flushWatchedParts();
    expect(sqliteHandle().prepare("SELECT count(*) FROM watched_parts").pluck().get()).toBe(0);
  });

  it.each([
    ["an empty body", "", 400],
    ["too few parts", "1".repeat(19), 400],
    ["too many parts", "1".repeat(21), 400],
    ["other digits", "2".repeat(20), 400],
    ["non-ASCII digits", "١".repeat(20), 400],
    ["a trailing line break", `${HALF}\n`, 400],
    ["JSON", '{"parts":[0,1,2]}', 400],
    ["a huge body", "1".repeat(1_000_000), 413],
  ])("rejects %s", async (_, body, status) => {
    for (const id of ["a", "h", "nobody"]) expect((await post(id, body)).status).toBe(status);
    expect(written("a")).toEqual(NOTHING);
  });

  it.each(["application/json", "application/x-www-form-urlencoded", "text/plainer", ""])(
    "rejects the content type %j",
    async (type) => {
      expect((await post("a", HALF, { "Content-Type": type })).status).toBe(415);
      expect(written("a")).toEqual(NOTHING);
    },
  );

  it("rejects requests from another site, and other methods", async () => {
    expect((await post("a", HALF, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect(loader().status).toBe(405);
    expect(loader().headers.get("Allow")).toBe("POST");
    const headers = { "Sec-Fetch-Site": "same-origin" };
    const request = new Request("http://site.test/", { method: "PUT", body: HALF, headers });
    expect((await action({ request, params: { id: "a" }, context: {} })).status).toBe(405);
    expect(written("a")).toEqual(NOTHING);
  });

  it.each([
    ["Global Privacy Control", { "Sec-GPC": "1" }],
    ["Do Not Track", { DNT: "1" }],
    ["Save-Data", { "Save-Data": "on" }],
    ["a crawler", { "User-Agent": CRAWLER }],
    ["a prerender", { "Sec-Purpose": "prefetch;prerender" }],
  ])("ignores a report with %s, but responds as usual", async (_, headers) => {
    expect((await post("a", HALF, headers as Record<string, string>)).status).toBe(204);
    expect(written("a")).toEqual(NOTHING);
  });
});
