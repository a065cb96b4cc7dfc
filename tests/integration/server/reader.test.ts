import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command } from "../../command";
import { until } from "../../process-figures";
import { LITESTREAM, Litestream } from "../../servers/litestream";
import { isNginxInstalled, type Nginx, startNginx } from "../../servers/nginx";
import { ADMIN, SiteProcess } from "../../site-process";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const SESSION_SECRET = "a-secret-for-tests-of-32-characters";
const VIDEO = "/media/videos/u/1700000000000.mp4";

describe.runIf(isNginxInstalled)("a site with a reader and a primary behind nginx", () => {
  const writer = new SiteProcess({ LITESTREAM: "on", SESSION_SECRET });
  const litestream = new Litestream(writer.databasePath, path.join(writer.folder, "replica"));
  let reader: SiteProcess;
  let nginx: Nginx;

  function refresh() {
    return spawnSync(process.execPath, command("refresh-reader"), {
      cwd: root,
      encoding: "utf8",
      env: {
        ...process.env,
        PATH: `${path.dirname(LITESTREAM)}:${process.env.PATH}`,
        LITESTREAM_REPLICA_URL: litestream.url,
        DATABASE_PATH: reader.databasePath,
        UPLOADS_DIR: writer.uploads,
      },
    });
  }
  /** Refreshes the copy until the reader responds to a direct request as expected. */
  async function refreshUntil(isCurrent: () => Promise<boolean>): Promise<void> {
    await until(async () => {
      expect(refresh().stderr).toBe("");
      const inode = fs.statSync(reader.databasePath).ino;
      // The reader checks for a new copy every second.
      for (let looks = 0; looks < 40; looks++) {
        if (await isCurrent()) return true;
        await new Promise((next) => setTimeout(next, 50));
      }
      return fs.statSync(reader.databasePath).ino !== inode;
    });
  }
  const status = async (url: string, init?: RequestInit) =>
    (await fetch(url, { redirect: "manual", ...init })).status;
  const signIn = (url: string) =>
    fetch(`${url}/auth`, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: url, "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams(ADMIN),
    });
  /** Sends the player's headers, because views by other clients aren't counted. */
  const watch = (url: string) =>
    fetch(`${url}/video/v/view`, {
      method: "POST",
      headers: {
        Origin: url,
        "Sec-Fetch-Site": "same-origin",
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0",
      },
    });
  const digest = () =>
    createHash("sha256").update(fs.readFileSync(reader.databasePath)).digest("hex");

  beforeAll(async () => {
    await writer.start();
    litestream.start();
    writer.addFile("videos", "u/1700000000000.mp4", "0123456789".repeat(100));
    writer.addVideo({ id: "v", title: "Lighthouse", tags: '["sea"]', video_url: VIDEO });
    // A search makes the primary update its derived data.
    expect(await (await fetch(`${writer.url}/?search=lighthouse`)).text()).toContain("/video/v");
    reader = new SiteProcess({
      READ_ONLY_FROM: writer.url,
      UPLOADS_DIR: writer.uploads,
      SESSION_SECRET,
    });
    await until(() => refresh().status === 0);
    await reader.start();
    await refreshUntil(async () => (await status(`${reader.url}/video/v`)) === 200);
    const host = (site: SiteProcess) => new URL(site.url).host;
    nginx = await startNginx("nginx-reader.conf", reader.folder, [
      [/server site:3000;/, `server ${host(writer)};`],
      [/server reader:3000 /, `server ${host(reader)} `],
      [/server site:3000 backup;/, `server ${host(writer)} backup;`],
    ]);
  });
  afterAll(async () => {
    nginx?.process.kill();
    await litestream.stop("SIGKILL");
    await reader?.remove();
    await writer.remove();
  });

  const READ = [
    "/",
    "/_root.data",
    "/?search=lighthouse",
    "/categories/desi",
    "/trending",
    "/tags/sea",
    "/video/v",
    "/video/v.data",
    "/search/suggestions?q=light",
    "/saved",
    "/feed.xml",
    "/tags/sea/feed.xml",
    "/sitemap.xml",
    "/robots.txt",
    "/manifest.webmanifest",
    "/transparency",
    "/privacy",
    VIDEO,
  ];

  it.each(READ)("serves %s from the reader, and states the age of the data", async (address) => {
    const response = await fetch(nginx.url + address);
    expect(response.status).toBe(200);
    expect(Number(response.headers.get("X-Data-Age"))).toBeLessThan(3600);
    const body = await response.text();
    if (/search|desi|^\/$|sea/.test(address) && !address.includes(".")) {
      expect(body).toContain("Lighthouse");
    }
  });

  it("serves ranges of videos without logging errors on the reader", async () => {
    const part = await fetch(nginx.url + VIDEO, { headers: { Range: "bytes=10-14" } });
    expect([part.status, await part.text()]).toEqual([206, "01234"]);
    expect(reader.log).not.toMatch(/error|SQLITE/i);
  });

  it("routes changes to the primary", async () => {
    const before = digest();
    const signedIn = await signIn(nginx.url);
    expect([signedIn.status, signedIn.headers.get("Location")]).toEqual([302, "/"]);
    expect(signedIn.headers.get("X-Data-Age")).toBeNull();
    const cookie = signedIn.headers.getSetCookie().map((each) => each.split(";")[0]);
    const headers = { Cookie: cookie.join("; ") };
    const studio = await fetch(`${nginx.url}/admin`, { headers });
    expect([studio.status, studio.headers.get("X-Data-Age")]).toEqual([200, null]);
    // Signed-in users see the current state, even on public pages.
    expect((await fetch(`${nginx.url}/`, { headers })).headers.get("X-Data-Age")).toBeNull();
    await watch(nginx.url);
    // Views are written in batches.
    const views = writer.database().prepare("SELECT views FROM videos WHERE id = 'v'").pluck();
    await until(() => views.get() === 1);
    expect(digest()).toBe(before);
  });

  it("redirects or rejects requests that need the primary if they bypass the proxy", async () => {
    const studio = await fetch(`${reader.url}/admin?page=2`, { redirect: "manual" });
    expect([studio.status, studio.headers.get("Location")]).toEqual([
      307,
      `${writer.url}/admin?page=2`,
    ]);
    for (const address of ["/auth", "/video/v/view", "/report", "/api/v1/videos", "/admin"]) {
      const response = await fetch(reader.url + address, { method: "POST", body: "a=b" });
      expect([response.status, await response.text()], address).toEqual([
        503,
        expect.stringContaining("This copy of the site is read-only."),
      ]);
    }
    // A session on the primary doesn't give access to the reader.
    const signedIn = await signIn(writer.url);
    const cookie = signedIn.headers.getSetCookie().map((each) => each.split(";")[0]);
    const page = await fetch(`${reader.url}/`, { headers: { Cookie: cookie.join("; ") } });
    expect(await page.text()).not.toContain(ADMIN.email);
    const health = await (await fetch(`${reader.url}/healthz`)).json();
    expect(health).toMatchObject({ status: "ok", readOnlyFrom: writer.url });
    expect(health.dataAgeSeconds).toBeLessThan(3600);
  });

  it("no longer shows or lists a hidden video once the reader has the next copy of the database", async () => {
    writer.addVideo({ id: "hidden", title: "Harbour", video_url: `${VIDEO}x` });
    await refreshUntil(async () => (await status(`${reader.url}/video/hidden`)) === 200);
    writer.database().exec("UPDATE videos SET status = 'hidden' WHERE id = 'hidden'");
    await fetch(`${writer.url}/?search=harbour`);
    await refreshUntil(async () => (await status(`${reader.url}/video/hidden`)) === 404);
    expect(await (await fetch(`${nginx.url}/`)).text()).not.toContain("Harbour");
    expect(await (await fetch(`${nginx.url}/?search=harbour`)).text()).not.toContain(
      "/video/hidden",
    );
  });

  it("keeps serving visitors when the primary is lost", async () => {
    await writer.stop("SIGKILL");
    await litestream.stop("SIGKILL");
    for (const address of READ) expect(await status(nginx.url + address), address).toBe(200);
    const entered = await fetch(`${nginx.url}/age`, {
      method: "POST",
      redirect: "manual",
      headers: { Origin: nginx.url, "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams({ returnTo: "/video/v" }),
    });
    expect([entered.status, entered.headers.get("Location")]).toEqual([302, "/video/v"]);
    const rejected = await signIn(nginx.url);
    expect([rejected.status, await rejected.text()]).toEqual([
      503,
      expect.stringContaining("You can still watch videos"),
    ]);
  });

  it("doesn't serve a copy that is too old, and doesn't switch to an invalid copy", async () => {
    const good = fs.readFileSync(reader.databasePath);
    const put = (content: Buffer) => {
      fs.writeFileSync(`${reader.databasePath}.test`, content);
      fs.renameSync(`${reader.databasePath}.test`, reader.databasePath);
    };
    put(Buffer.from("This is no database.".repeat(300)));
    await until(() => reader.log.includes("is not a SQLite database"));
    expect(await status(`${reader.url}/video/v`)).toBe(200);

    const old = `${reader.databasePath}.old`;
    fs.writeFileSync(old, good);
    const sqlite = new Sqlite(old);
    sqlite.exec("UPDATE heartbeat SET at = '2020-01-31T03:00:00.000Z'");
    sqlite.close();
    fs.renameSync(old, reader.databasePath);
    await until(async () => (await status(`${reader.url}/`)) === 503);
    const page = await fetch(`${reader.url}/video/v`);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("out of date")]);
    expect(await status(reader.url + VIDEO)).toBe(503);
    const health = await fetch(`${reader.url}/healthz`);
    expect([health.status, (await health.json()).failing]).toEqual([503, ["copy"]]);
    put(good);
    await until(async () => (await status(`${reader.url}/`)) === 200);
  });

  it("promotes the reader if it is started without READ_ONLY_FROM, and then no longer overwrites the reader's database", async () => {
    await reader.stop();
    await reader.start({ READ_ONLY_FROM: "" });
    const signedIn = await signIn(reader.url);
    expect(signedIn.headers.get("Location")).toBe("/");
    const views = reader.database().prepare("SELECT views FROM videos WHERE id = 'v'").pluck();
    const before = views.get() as number;
    await watch(reader.url);
    await until(() => views.get() === before + 1);
    const rejected = refresh();
    expect([rejected.status, rejected.stderr]).toEqual([
      1,
      expect.stringContaining("is the database of a site"),
    ]);
  });
});

describe("a reader that shares the database file with its primary", () => {
  const writer = new SiteProcess({ LITESTREAM: "on", SESSION_SECRET });
  let reader: SiteProcess;

  beforeAll(async () => {
    await writer.start();
    writer.addVideo({ id: "v", title: "Lighthouse" });
    reader = new SiteProcess({
      READ_ONLY_FROM: writer.url,
      DATABASE_PATH: writer.databasePath,
      UPLOADS_DIR: writer.uploads,
      SESSION_SECRET,
    });
    await until(
      () => writer.database().prepare("SELECT 1 FROM heartbeat").pluck().get() !== undefined,
    );
    await reader.start();
  });
  afterAll(async () => {
    await reader?.remove();
    await writer.remove();
  });

  const found = async (path: string) => (await fetch(reader.url + path)).text();

  it("shows changes on the next request, and includes them in search results once the primary has indexed them", async () => {
    expect(await found("/")).toContain("Lighthouse");
    const change = writer.database();
    for (const [status, title] of [
      ["hidden", "Lighthouse"],
      ["published", "Windmill"],
    ] as const) {
      change.prepare("UPDATE videos SET status = ?, title = ?").run(status, title);
      const isShown = status === "published";
      expect((await found("/")).includes(title)).toBe(isShown);
      expect((await fetch(`${reader.url}/video/v`)).status).toBe(isShown ? 200 : 404);
    }
    await fetch(`${writer.url}/?search=windmill`);
    expect(await found("/?search=windmill")).toContain("/video/v");
  });

  it("doesn't write view counts to the shared file", async () => {
    const views = writer.database().prepare("SELECT sum(views) FROM videos").pluck();
    const before = views.get();
    const response = await fetch(`${reader.url}/video/v/view`, {
      method: "POST",
      redirect: "manual",
    });
    expect(response.status).toBe(503);
    expect(views.get()).toBe(before);
  });
});
