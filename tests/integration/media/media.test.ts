import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSession } from "~/features/permissions/session.server";
import { action, loader } from "~/features/watch/routes/media";
import { sqliteHandle } from "~db/client.server";
import { addProcessed, filesBelow } from "../../encode-library";
import { useTemporarySite } from "../../temporary-site";

const CONTENT = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
const URL_PATH = "/media/videos/u/1700000000000.mp4";

let site: ReturnType<typeof useTemporarySite>;

beforeEach(() => {
  site = useTemporarySite();
  write("videos/u/1700000000000.mp4", CONTENT);
  addVideo("published", URL_PATH);
});
afterEach(() => site.remove());

function write(name: string, content: Buffer | string = "x") {
  const file = path.join(site.uploads, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

function addVideo(status: string, videoUrl: string, thumbnailUrl: string | null = null) {
  sqliteHandle()
    .prepare(
      "INSERT INTO videos (title, category, status, video_url, thumbnail_url) VALUES ('A', 'desi', ?, ?, ?)",
    )
    .run(status, videoUrl, thumbnailUrl);
}

async function sendRequest(url: string, headers: Record<string, string> = {}, method = "GET") {
  const request = new Request(`http://site.example${url}`, { method, headers });
  return loader({ request, params: {}, context: {} });
}

const status = async (url: string, headers?: Record<string, string>) => {
  const response = await sendRequest(url, headers);
  await response.body?.cancel();
  return response.status;
};

async function signIn(): Promise<Record<string, string>> {
  sqliteHandle().exec("INSERT INTO users (id, email, password_hash) VALUES ('u', 'a@b', 'x')");
  const cookie = await openSession("u");
  return { Cookie: cookie.split(";")[0]! };
}

describe("a file that is replaced at the same URL", () => {
  it("has a new entity tag, even if its size and times are the same", async () => {
    const file = path.join(site.uploads, "videos/u/1700000000000.mp4");
    const time = new Date(1_700_000_000_000);
    fs.utimesSync(file, time, time);
    const before = (await sendRequest(URL_PATH, {}, "HEAD")).headers.get("ETag")!;
    expect((await sendRequest(URL_PATH, {}, "HEAD")).headers.get("ETag")).toBe(before);
    fs.writeFileSync(`${file}.new`, Buffer.from(CONTENT).reverse());
    fs.utimesSync(`${file}.new`, time, time);
    fs.renameSync(`${file}.new`, file);
    expect((await sendRequest(URL_PATH, {}, "HEAD")).headers.get("ETag")).not.toBe(before);
    expect(await status(URL_PATH, { Range: "bytes=0-99", "If-Range": before })).toBe(200);
  });
});

describe("a file", () => {
  it("is returned completely", async () => {
    const response = await sendRequest(URL_PATH);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "cache-control": "private, max-age=3600, no-transform",
      "content-length": "200000",
      "content-security-policy": expect.stringMatching(/^default-src 'none';.+ sandbox$/),
      "content-type": "video/mp4",
      etag: expect.stringMatching(/^"[^"]+"$/),
      "last-modified": expect.stringMatching(/ GMT$/),
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(CONTENT)).toBe(true);
  });

  it("has the same headers for HEAD requests, which ignore ranges", async () => {
    const response = await sendRequest(URL_PATH, { Range: "bytes=0-9" }, "HEAD");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Length")).toBe("200000");
    expect(response.body).toBeNull();
  });

  it.each([
    ["bytes=0-99", 0, 99],
    ["bytes=199990-", 199_990, 199_999],
    ["bytes=-10", 199_990, 199_999],
    ["bytes=1000-150000", 1000, 150_000],
  ])("is returned partially for %s", async (range, start, end) => {
    const response = await sendRequest(URL_PATH, { Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.get("Content-Range")).toBe(`bytes ${start}-${end}/200000`);
    expect(response.headers.get("Content-Length")).toBe(String(end - start + 1));
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(CONTENT.subarray(start, end + 1))).toBe(true);
  });

  it("returns 416 and its size for a range beyond its end", async () => {
    const response = await sendRequest(URL_PATH, { Range: "bytes=200000-" });
    expect(response.status).toBe(416);
    expect(response.headers.get("Content-Range")).toBe("bytes */200000");
  });

  it("is returned in full if multiple ranges are requested", async () => {
    expect(await status(URL_PATH, { Range: "bytes=0-1,5-6" })).toBe(200);
  });

  it("isn't sent again to clients that have it, and ranges of it are only sent if the validator matches", async () => {
    const response = await sendRequest(URL_PATH, {}, "HEAD");
    const etag = response.headers.get("ETag")!;
    const modified = response.headers.get("Last-Modified")!;
    expect(await status(URL_PATH, { "If-None-Match": etag })).toBe(304);
    expect(await status(URL_PATH, { "If-Modified-Since": modified })).toBe(304);
    expect(await status(URL_PATH, { "If-Match": '"other"' })).toBe(412);
    const part = { Range: "bytes=0-9" };
    expect(await status(URL_PATH, { ...part, "If-Range": etag })).toBe(206);
    expect(await status(URL_PATH, { ...part, "If-Range": modified })).toBe(206);
    expect(await status(URL_PATH, { ...part, "If-Range": '"other"' })).toBe(200);
    expect(await status(URL_PATH, { ...part, "If-None-Match": etag })).toBe(304);
  });

  it("may be empty", async () => {
    write("videos/u/1.mp4", "");
    addVideo("published", "/media/videos/u/1.mp4");
    const response = await sendRequest("/media/videos/u/1.mp4");
    expect([response.status, response.headers.get("Content-Length")]).toEqual([200, "0"]);
    expect(await status("/media/videos/u/1.mp4", { Range: "bytes=0-" })).toBe(416);
  });

  it("can't be requested with other methods", () => {
    const response = action();
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("is delegated to nginx if configured", async () => {
    await site.remove();
    site = useTemporarySite({ ACCEL_PREFIX: "/protected" });
    addVideo("published", URL_PATH);
    const response = await sendRequest(URL_PATH);
    expect(response.headers.get("X-Accel-Redirect")).toBe("/protected/videos/u/1700000000000.mp4");
    expect(response.body).toBeNull();
    expect(await status("/media/videos/u/1.mp4")).toBe(404);
  });
});

describe("access to a file", () => {
  const derived = "/media/thumbnails/u/1700000000000/storyboard-1.webp";
  const thumbnail = "/media/thumbnails/u/1699999999999.webp";

  beforeEach(() => {
    write("thumbnails/u/1700000000000/storyboard-1.webp");
    write("thumbnails/u/1699999999999.webp");
    sqliteHandle().prepare("UPDATE videos SET thumbnail_url = ?").run(thumbnail);
  });

  it("is public while the video is published, and denied right after it is hidden", async () => {
    for (const url of [URL_PATH, thumbnail, derived]) expect(await status(url)).toBe(200);
    for (const state of ["hidden", "review"]) {
      sqliteHandle().prepare("UPDATE videos SET status = ?").run(state);
      for (const url of [URL_PATH, thumbnail, derived]) expect(await status(url)).toBe(404);
    }
  });

  it("is the same for derived files, and is always denied for the original", async () => {
    const before = new Set(filesBelow(site.uploads));
    const id = addProcessed(site.uploads, "complete");
    const files = filesBelow(site.uploads).filter((name) => !before.has(name));
    const made = files.filter((name) => !name.endsWith(".mkv"));
    expect([made.length > 20, files.length - made.length]).toEqual([true, 1]);
    for (const name of made) expect([name, await status(`/media/${name}`)]).toEqual([name, 200]);
    sqliteHandle().prepare("UPDATE videos SET status = 'hidden' WHERE id = ?").run(id);
    for (const name of made) expect([name, await status(`/media/${name}`)]).toEqual([name, 404]);
  });

  it("is given to signed-in users, whose responses aren't cached", async () => {
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    const cookie = await signIn();
    for (const url of [URL_PATH, thumbnail, derived]) {
      const response = await sendRequest(url, cookie, "HEAD");
      expect(response.status).toBe(200);
      expect(response.headers.get("Cache-Control")).toBe("private, no-store, no-transform");
    }
  });

  it("is denied for a file that no row refers to", async () => {
    write("videos/u/1700000000001.mp4");
    write("videos/u/17000000000000.mp4");
    write("videos/u/17000000000000/preview.mp4");
    for (const name of ["1700000000001.mp4", "17000000000000.mp4", "17000000000000/preview.mp4"]) {
      expect(await status(`/media/videos/u/${name}`)).toBe(404);
    }
  });

  it("is public if one of two videos with the file is published", async () => {
    addVideo("hidden", URL_PATH);
    expect(await status(URL_PATH)).toBe(200);
  });

  it("is denied in the same way as access to a missing file", async () => {
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    const [hidden, missing] = await Promise.all([
      sendRequest(URL_PATH),
      sendRequest("/media/videos/u/9.mp4"),
    ]);
    expect(Object.fromEntries(hidden.headers)).toEqual(Object.fromEntries(missing.headers));
    expect(await hidden.text()).toBe(await missing.text());
  });
});

describe("an invalid URL", () => {
  it.each([
    "/media/videos/u/%2e%2e/%2e%2e/secret",
    "/media/videos/u%2f1700000000000.mp4",
    "/media/videos/..%2fu/1700000000000.mp4",
    "/media/videos/u/1700000000000.mp4%00",
    "/media/videos/u/%5c..%5c1700000000000.mp4",
    "/media/videos//u/1700000000000.mp4",
    "/media/videos/u/1700000000000.mp4/",
    "/media/videos/%75/1700000000000.mp4",
    "/media/videos/.hidden/1.mp4",
    "/media/videos/u/.hidden",
    "/media/videos/1700000000000.mp4",
    "/media/tmp/u/1.mp4",
    "/media/constructor/u/1.mp4",
    `/media/videos/u/${"9".repeat(5_000)}.mp4`,
    "/media/videos/u",
    "/media/videos/",
  ])("%s returns 404, even for signed-in users", async (url) => {
    expect(await status(url, await signIn())).toBe(404);
  });

  it("never leads to symbolic links, folders or pipes", async () => {
    const cookie = await signIn();
    fs.writeFileSync(path.join(site.folder, "secret"), "secret");
    const inVideos = (name: string) => path.join(site.uploads, "videos", name);
    fs.symlinkSync(path.join(site.folder, "secret"), inVideos("u/1.mp4"));
    fs.symlinkSync(site.folder, inVideos("linked"));
    fs.mkdirSync(inVideos("u/2.mp4"));
    execFileSync("mkfifo", [inVideos("u/3.mp4")]);
    for (const name of [
      "u/1.mp4",
      "linked/secret",
      "linked/db/site.sqlite",
      "u/2.mp4",
      "u/3.mp4",
    ]) {
      expect(await status(`/media/videos/${name}`, cookie)).toBe(404);
    }
  });

  it("returns 404 for a path below a file, so that it doesn't reveal whether the file exists", async () => {
    for (const cookie of [await signIn(), undefined]) {
      expect(await status(`${URL_PATH}/index.m3u8`, cookie)).toBe(404);
    }
  });

  it("doesn't include the URL of a file in an uploads folder that is a symbolic link", async () => {
    const elsewhere = path.join(site.folder, "elsewhere");
    fs.renameSync(site.uploads, elsewhere);
    fs.symlinkSync(elsewhere, site.uploads);
    expect(await status(URL_PATH)).toBe(200);
  });
});
