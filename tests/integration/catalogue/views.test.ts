import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countView, flushViews } from "~/features/catalogue/views.server";
import { action, loader } from "~/features/watch/routes/video-view";
import { findPublished } from "~/features/watch/video.server";
import { catalogueVersion } from "~db/changes.server";
import { openSqlite, sqliteHandle } from "~db/client.server";
import { useTemporarySite } from "../../temporary-site";

const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
const CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

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

const stored = (id: string) =>
  sqliteHandle().prepare("SELECT views FROM videos WHERE id = ?").pluck().get(id);
const shown = async (id: string) => (await findPublished(id))?.views;

function sendViewRequest(method: string, id: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://site.test/video/${id}/view`, {
    method,
    headers: { "User-Agent": BROWSER, ...headers },
  });
  request.headers.set("Sec-Fetch-Site", headers["Sec-Fetch-Site"] ?? "same-origin");
  const args = { request, params: { id }, context: {} };
  return method === "POST" ? action(args) : loader(args);
}

describe("counting views", () => {
  it("shows each view immediately, and writes all views in one transaction", async () => {
    vi.useFakeTimers();
    const changes = () => catalogueVersion().views;
    const before = changes();
    for (let i = 0; i < 5; i += 1) expect(countView("a")).toBe(true);
    expect(countView("b")).toBe(true);
    expect(await shown("a")).toBe(5);
    expect(stored("a")).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect([stored("a"), stored("b")]).toEqual([5, 1]);
    expect(await shown("a")).toBe(5);
    expect(changes() - before).toBe(2);
  });

  it("counts only published videos", () => {
    expect(countView("h")).toBe(false);
    expect(countView("nobody")).toBe(false);
  });

  it("counts at most 60 views of a video per hour and IP address", async () => {
    for (let i = 0; i < 61; i += 1) expect(countView("a", "192.0.2.1")).toBe(true);
    expect(await shown("a")).toBe(60);
    countView("b", "192.0.2.1");
    countView("a", "192.0.2.2");
    expect([await shown("a"), await shown("b")]).toEqual([61, 1]);
  });

  it("writes the views of thousands of videos in several transactions, but writes each view only once", () => {
    vi.useFakeTimers();
    sqliteHandle().exec(`
      INSERT INTO videos (id, title, category) WITH RECURSIVE n(i) AS
        (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT 'n' || i, 'N', 'desi' FROM n`);
    for (let i = 1; i <= 1_000; i += 1) countView(`n${i}`);
    vi.advanceTimersByTime(1_000);
    const written = () =>
      sqliteHandle().prepare("SELECT sum(views) FROM videos").pluck().get() as number;
    expect(written()).toBeLessThan(1_000);
    vi.runAllTimers();
    expect(written()).toBe(1_000);
  });

  it("keeps counts that couldn't be written, and writes them on the next attempt", async () => {
    countView("a");
    sqliteHandle().pragma("busy_timeout = 0");
    const other = openSqlite(sqliteHandle().name);
    other.exec("BEGIN IMMEDIATE");
    flushViews();
    expect(console.error).toHaveBeenCalledOnce();
    vi.mocked(console.error).mockClear();
    expect(await shown("a")).toBe(1);
    other.exec("ROLLBACK");
    other.close();
    flushViews();
    expect(stored("a")).toBe(1);
  });
});

describe("POST /video/{id}/view", () => {
  it("counts a view once", async () => {
    expect((await sendViewRequest("POST", "a")).status).toBe(204);
    expect(await shown("a")).toBe(1);
  });

  it("returns 404 for an unpublished video", async () => {
    expect((await sendViewRequest("POST", "h")).status).toBe(404);
    expect((await sendViewRequest("POST", "nobody")).status).toBe(404);
  });

  it("rejects requests from another site", async () => {
    await expect(
      sendViewRequest("POST", "a", { "Sec-Fetch-Site": "cross-site" }),
    ).rejects.toMatchObject({
      status: 403,
    });
    expect(await shown("a")).toBe(0);
  });
});

describe.each(["POST", "GET"])("counting views with %s requests", (method) => {
  it.each([
    ["a prefetch", { "Sec-Purpose": "prefetch" }],
    ["a prerender", { "Sec-Purpose": "prefetch;prerender" }],
    ["a prefetch by an older browser", { Purpose: "prefetch" }],
    ["a prefetch by Firefox", { "X-Moz": "prefetch" }],
    ["a crawler", { "User-Agent": CRAWLER }],
  ])("ignores %s", async (_, headers) => {
    const { status } = await sendViewRequest(method, "a", headers as Record<string, string>);
    expect(status).toBe(method === "POST" ? 204 : 200);
    expect(await shown("a")).toBe(0);
  });
});

describe("the view-counting image for browsers without JavaScript", () => {
  it("counts a view and is never cached", async () => {
    const response = await sendViewRequest("GET", "a", { "Sec-Fetch-Dest": "image" });
    expect(response.headers.get("Content-Type")).toBe("image/gif");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(Buffer.from(await response.arrayBuffer()).toString("latin1")).toMatch(/^GIF89a/);
    expect(await shown("a")).toBe(1);
  });

  it("doesn't count a view if it is opened as a page, requested with HEAD or embedded in another site", async () => {
    await sendViewRequest("GET", "a", { "Sec-Fetch-Dest": "document" });
    await sendViewRequest("HEAD", "a");
    await sendViewRequest("GET", "a", {
      "Sec-Fetch-Site": "cross-site",
      "Sec-Fetch-Dest": "image",
    });
    expect(await shown("a")).toBe(0);
  });
});
