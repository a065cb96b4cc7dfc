import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { claim, heartbeat } from "~/features/processing/queue/queue.server";
import { openSqlite, sqliteHandle } from "~db/client.server";
import { DatabaseBusyError } from "~db/write-lock";
import { until } from "../../process-figures";
import { sendRequest, signInTo } from "../../site-client";
import { ADMIN, SiteProcess } from "../../site-process";
import { useTemporarySite } from "../../temporary-site";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
/**
 * This limit is high enough for a busy machine, but far below the busy timeout. Waiting for that timeout would block
 * the thread that serves requests.
 */
const PROMPT_MS = 1_500;
const CHANGE_MS = 6_000;

const site = new SiteProcess();
let cookie = "";
let id = "";
let file = "";
let holder: ChildProcess | undefined;

beforeAll(async () => {
  await site.start();
  cookie = await signInTo(site);
  file = site.addFile("videos", "u/1.mp4", "the bytes of a video");
  id = site.addVideo({ title: "A video", video_url: file });
});
afterEach(() => release());
afterAll(() => site.remove());

/** Holds the lock in another process until `release` is called, as a backup or another tool might. */
async function lock(): Promise<void> {
  const sqlite = createRequire(import.meta.url).resolve("better-sqlite3");
  const script = `
    const db = require(${JSON.stringify(sqlite)})(${JSON.stringify(site.databasePath)});
    db.exec("BEGIN EXCLUSIVE");
    console.log("locked");
    setInterval(() => {}, 1000);`;
  holder = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout!, "data");
}

async function release(): Promise<void> {
  if (!holder || holder.exitCode !== null || holder.signalCode) return;
  const ended = once(holder, "exit");
  holder.kill("SIGKILL");
  await ended;
}

async function timed(method: string, path: string, headers = {}, body?: string) {
  const startedAt = performance.now();
  const response = await sendRequest(site, method, path, headers, body);
  return { ...response, ms: performance.now() - startedAt };
}

const statusOf = () =>
  site.database().prepare("SELECT status FROM videos WHERE id = ?").pluck().get(id);

describe("while another process holds the database's write lock", () => {
  it("serves pages to visitors and to signed-in users", async () => {
    // The sessions are due to be extended, which requires a write.
    site.database().exec("UPDATE sessions SET last_used_at = '2000-01-01T00:00:00.000Z'");
    await lock();
    const hide = timed(
      "POST",
      "/admin?tab=manage",
      { ...FORM, Cookie: cookie },
      new URLSearchParams({ intent: "toggle", id }).toString(),
    );
    for (let round = 0; round < 3; round += 1) {
      for (const [path, headers] of [
        [`/?page=${round + 1}`, {}],
        [`/video/${id}`, {}],
        [file, {}],
        ["/", { Cookie: cookie }],
        ["/admin?tab=manage", { Cookie: cookie }],
      ] as const) {
        const { status, ms } = await timed("GET", path, headers);
        expect([path, status]).toEqual([path, 200]);
        expect(ms, path).toBeLessThan(PROMPT_MS);
      }
    }
    await hide;
  });

  it("rejects a change within seconds with the right error message, and accepts it once the lock is released", async () => {
    const body = new URLSearchParams({ intent: "toggle", id }).toString();
    const headers = { ...FORM, Cookie: cookie };
    await lock();
    const rejected = await timed("POST", "/admin?tab=manage", headers, body);
    expect(rejected.status).toBe(503);
    expect(rejected.ms).toBeLessThan(CHANGE_MS);
    expect(Number(rejected.headers["retry-after"])).toBeGreaterThan(0);
    expect(rejected.body).toContain("Failed to update video visibility.");
    await release();
    expect(statusOf()).toBe("published");
    expect((await timed("POST", "/admin?tab=manage", headers, body)).status).toBe(302);
    expect(statusOf()).toBe("hidden");
    site.database().prepare("UPDATE videos SET status = 'published' WHERE id = ?").run(id);
  });

  it("applies a change if the lock is released in time", async () => {
    const body = new URLSearchParams({ intent: "toggle", id }).toString();
    await lock();
    const change = timed("POST", "/admin?tab=manage", { ...FORM, Cookie: cookie }, body);
    await timed("GET", "/");
    await release();
    expect((await change).status).toBe(302);
    expect(statusOf()).toBe("hidden");
    site.database().prepare("UPDATE videos SET status = 'published' WHERE id = ?").run(id);
  });

  it("keeps serving pages and rejecting changes for 6 seconds, and keeps running", async () => {
    const body = new URLSearchParams({ intent: "toggle", id }).toString();
    const headers = { ...FORM, Cookie: cookie };
    const activities = () =>
      site
        .database()
        .prepare("SELECT count(*) FROM activities WHERE subject_id = ?")
        .pluck()
        .get(id);
    const before = activities() as number;
    const logged = site.log.length;
    await lock();
    const since = performance.now();
    while (performance.now() - since < 6_000) {
      const change = timed("POST", "/admin?tab=manage", headers, body);
      const read = await timed("GET", "/admin?tab=manage", { Cookie: cookie });
      expect(read.status).toBe(200);
      expect(read.ms).toBeLessThan(PROMPT_MS);
      const rejected = await change;
      expect(rejected.status).toBe(503);
      expect(rejected.ms).toBeLessThan(CHANGE_MS);
    }
    await release();
    expect([statusOf(), activities()]).toEqual(["published", before]);
    expect(site.log.slice(logged)).not.toMatch(/SQLITE_BUSY|Error [A-Z2-9]{8}/);
    expect((await timed("POST", "/admin?tab=manage", headers, body)).status).toBe(302);
    expect([statusOf(), activities()]).toEqual(["hidden", before + 1]);
    site.database().prepare("UPDATE videos SET status = 'published' WHERE id = ?").run(id);
  }, 60_000);

  it("rejects a sign-in with a message that the site is busy", async () => {
    await lock();
    const response = await timed("POST", "/auth", FORM, new URLSearchParams(ADMIN).toString());
    expect([response.status, response.headers["retry-after"]]).toEqual([503, "5"]);
    expect(response.body).toContain("The site is busy. Try again in a few seconds.");
  });

  it("counts views, and writes them when the lock is released", async () => {
    const views = () =>
      site.database().prepare("SELECT views FROM videos WHERE id = ?").pluck().get(id);
    const before = views() as number;
    await lock();
    const seen = await timed("POST", `/video/${id}/view`, {
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    });
    expect(seen.status).toBe(204);
    await until(() => site.log.includes("Views could not be written"));
    await release();
    await until(() => views() === before + 1);
  });
});

describe("while another connection is writing, a job", () => {
  it("is claimed and reported later instead of failing", async () => {
    const temporary = useTemporarySite();
    sqliteHandle().pragma("busy_timeout = 0");
    sqliteHandle().exec(`
      INSERT INTO videos (id, title, category) VALUES ('v', 'A video', 'desi');
      INSERT INTO jobs (video_id, kind, priority) VALUES ('v', 'preview', 1), ('v', 'storyboard', 2);`);
    const running = (await claim())!;
    const other = openSqlite(sqliteHandle().name);
    other.exec("BEGIN IMMEDIATE");
    await expect(claim()).rejects.toBeInstanceOf(DatabaseBusyError);
    expect(heartbeat(running, { progress: 0.5 })).toBe(true);
    other.exec("ROLLBACK");
    other.close();
    expect(heartbeat(running, { progress: 0.5 })).toBe(true);
    expect((await claim())?.kind).toBe("storyboard");
    await temporary.remove();
  });
});
