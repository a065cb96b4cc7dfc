import fs from "node:fs";
import path from "node:path";
import { Script } from "node:vm";
import { JSDOM } from "jsdom";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pagesSitemap, sitemapIndex, videoSitemap } from "~/features/catalogue/feeds.server";
import { loader as feed } from "~/features/catalogue/routes/feed";
import { loader as robots } from "~/features/catalogue/routes/robots";
import { loader as sitemap } from "~/features/catalogue/routes/sitemap";
import { loader as manifest } from "~/features/site/routes/manifest";
import { loader as serviceWorker } from "~/features/site/routes/service-worker";
import { loader as siteImage } from "~/features/site/routes/site-image";
import { conditionalResponse } from "~/platform/conditional-response.server";
import { sqliteHandle } from "~db/client.server";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite({ PUBLIC_URL: "https://videos.example" });
});
afterEach(() => site.remove());

const identity = { name: "Afterdark", origin: "https://videos.example" };
const sendRequest = (
  loader: (args: never) => Response | Promise<Response>,
  address: string,
  headers: Record<string, string> = {},
  params: Record<string, string> = {},
) =>
  loader({
    request: new Request(`http://inside.test${address}`, { headers }),
    params,
    context: {},
  } as never);

/** Parses the document; throws if it isn't well-formed. */
const xml = (text: string) => new JSDOM(text, { contentType: "text/xml" }).window.document;
const texts = (document: Document, name: string) =>
  [...document.getElementsByTagName(name)].map((element) => element.textContent);

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

const ODD = `<Night> & "Day" 'it' ]]> \u0007é`;

describe("the sitemap", () => {
  it("is an index of the page sitemap and the parts of the video sitemap", async () => {
    write(Array.from({ length: 25 }, (_, i) => video({ id: `v${i}` })));
    expect(texts(xml(await sitemapIndex(identity, 10)), "loc")).toEqual(
      ["pages", "1", "2", "3"].map((name) => `https://videos.example/sitemap/${name}.xml`),
    );
    expect(texts(xml(pagesSitemap(identity)), "loc")).toContain(
      "https://videos.example/categories/desi",
    );
  });

  it("lists every published video in exactly one part", async () => {
    const videos = Array.from({ length: 1_203 }, (_, i) =>
      video({ id: `v${i}`, status: i % 10 ? "published" : "hidden" }),
    );
    write(videos);
    const found: (string | null)[] = [];
    for (let part = 1; part <= 3; part += 1) {
      found.push(...texts(xml(await whole(videoSitemap(identity, part, 500))), "loc"));
    }
    expect(found.sort()).toEqual(
      ids(videos.filter(({ status }) => status === "published"))
        .map((id) => `https://videos.example/video/${id}`)
        .sort(),
    );
    expect(texts(xml(await whole(videoSitemap(identity, 9, 500))), "loc")).toEqual([]);
  });

  it("describes a video that has a file, with any characters in its text fields", async () => {
    write([video({ id: "a/&b", title: ODD, tags: [ODD], views: 7 }), video({ id: "bare" })]);
    sqliteHandle().exec(`UPDATE videos SET duration = '5:30', description = title,
      video_url = '/media/videos/u/1.mp4' WHERE id <> 'bare'`);
    const document = xml(await whole(videoSitemap(identity, 1)));
    expect(texts(document, "loc")).toEqual([
      "https://videos.example/video/bare",
      "https://videos.example/video/a%2F%26b",
    ]);
    const plain = ODD.replace("\u0007", "");
    for (const [name, text] of [
      ["title", plain],
      ["description", plain],
      ["tag", plain],
      ["thumbnail_loc", "https://videos.example/share.png"],
      ["content_loc", "https://videos.example/media/videos/u/1.mp4"],
      ["duration", "330"],
      ["view_count", "7"],
      ["family_friendly", "no"],
    ] as const) {
      expect(texts(document, `video:${name}`), name).toEqual([text]);
    }
  });

  it("is served by its routes, which return 404 for unknown parts", async () => {
    write([video({ id: "a" })]);
    expect(await (await sendRequest(sitemap, "/sitemap.xml")).text()).toContain("<sitemapindex");
    const part = await sendRequest(sitemap, "/sitemap/1.xml", {}, { part: "1.xml" });
    expect(texts(xml(await part.text()), "loc")).toEqual(["https://videos.example/video/a"]);
    for (const unknown of ["2.xml", "0.xml", "x.xml", "1", "1e3.xml"]) {
      const response = await sendRequest(sitemap, `/sitemap/${unknown}`, {}, { part: unknown });
      expect(response.status, unknown).toBe(404);
    }
  });
});

describe("the feed", () => {
  it("contains the 50 newest videos, with their files as enclosures if the files exist", async () => {
    write(
      Array.from({ length: 60 }, (_, i) =>
        video({
          id: `v${i}`,
          title: `${ODD} ${i}`,
          created_at: new Date(i * 1e9 + 1e12).toISOString(),
        }),
      ),
    );
    const file = path.join(site.uploads, "videos", "u", "1.mp4");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "12345");
    sqliteHandle().exec(`
      UPDATE videos SET video_url = '/media/videos/u/1.mp4' WHERE id = 'v59';
      UPDATE videos SET video_url = '/media/videos/u/gone.mp4' WHERE id = 'v58'`);
    const response = await sendRequest(feed, "/feed.xml");
    expect(response.headers.get("Content-Type")).toBe("application/rss+xml; charset=utf-8");
    const document = xml(await response.text());
    expect(texts(document, "guid")).toEqual(
      Array.from({ length: 50 }, (_, i) => `https://videos.example/video/v${59 - i}`),
    );
    const enclosures = [...document.getElementsByTagName("enclosure")];
    expect(enclosures.map(({ outerHTML }) => outerHTML)).toEqual([
      '<enclosure url="https://videos.example/media/videos/u/1.mp4" length="5" type="video/mp4"/>',
    ]);
  });

  it("doesn't contain hidden videos", async () => {
    write(
      (["hidden", "published", "review", "hidden"] as const).map((status, i) =>
        video({ id: `v${i}`, status, created_at: new Date(i * 1e9 + 1e12).toISOString() }),
      ),
    );
    const document = xml(await (await sendRequest(feed, "/feed.xml")).text());
    expect(texts(document, "guid")).toEqual(["https://videos.example/video/v1"]);
  });
});

describe("the validators", () => {
  it("refer to the earlier version of the catalogue if it changes while the response is being created", async () => {
    write([video({ id: "a" })]);
    const request = (headers = {}) => new Request("https://videos.example/feed.xml", { headers });
    const made = await conditionalResponse(
      request(),
      "https://videos.example",
      "text/plain",
      () => {
        sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
        return "a list with the video";
      },
    );
    const again = request({ "If-None-Match": made.headers.get("ETag")! });
    const response = await conditionalResponse(
      again,
      "https://videos.example",
      "text/plain",
      () => "without it",
    );
    expect([response.status, await response.text()]).toEqual([200, "without it"]);
  });

  it.each([
    ["/sitemap.xml", sitemap],
    ["/feed.xml", feed],
    ["/robots.txt", robots],
  ])("make %s return 304 until the catalogue changes", async (address, loader) => {
    const first = await sendRequest(loader, address);
    const etag = first.headers.get("ETag")!;
    const since = first.headers.get("Last-Modified")!;
    expect(first.status).toBe(200);
    expect((await sendRequest(loader, address, { "If-None-Match": etag })).status).toBe(304);
    expect((await sendRequest(loader, address, { "If-Modified-Since": since })).status).toBe(304);
    write([video({ id: "a" })]);
    expect((await sendRequest(loader, address, { "If-None-Match": etag })).status).toBe(200);
  });
});

describe("robots.txt", () => {
  it("contains the sitemap's public URL and disallows the admin panel", async () => {
    const text = await (await sendRequest(robots, "/robots.txt")).text();
    expect(text).toContain("Sitemap: https://videos.example/sitemap.xml\n");
    expect(text).toContain("Disallow: /admin\n");
    expect(text).not.toMatch(/^Disallow: \/$/m);
  });
});

describe("the manifest", () => {
  it("has shortcuts to Trending and Saved Videos within its scope", async () => {
    const { id, scope, start_url, shortcuts } = await (
      await sendRequest(manifest, "/manifest.webmanifest")
    ).json();
    expect({ id, scope, start_url }).toEqual({ id: "/", scope: "/", start_url: "/" });
    expect(shortcuts.map(({ url }: { url: string }) => url)).toEqual(["/trending", "/saved"]);
  });
});

describe("the service worker", () => {
  it("must always be revalidated, and changes with the site's name", async () => {
    const first = await sendRequest(serviceWorker, "/sw.js");
    expect(first.headers.get("Content-Type")).toBe("text/javascript; charset=utf-8");
    expect(first.headers.get("Cache-Control")).toBe("no-cache");
    const text = await first.text();
    expect(() => new Script(text)).not.toThrow();
    expect(await (await sendRequest(serviceWorker, "/sw.js")).text()).toBe(text);
    await site.remove();
    site = useTemporarySite({ SITE_NAME: "Other" });
    expect(await (await sendRequest(serviceWorker, "/sw.js")).text()).not.toBe(text);
  });

  it("unregisters itself and deletes its caches when turned off", async () => {
    await site.remove();
    site = useTemporarySite({ SERVICE_WORKER: "off" });
    const deleted: string[] = [];
    let unregistered = 0;
    const listeners = new Map<string, (event: unknown) => void>();
    const text = await (await sendRequest(serviceWorker, "/sw.js")).text();
    new Script(text).runInNewContext({
      self: {
        addEventListener: (name: string, listener: () => void) => listeners.set(name, listener),
        skipWaiting() {},
        registration: { unregister: async () => void unregistered++ },
      },
      caches: {
        keys: async () => ["shell-a", "shell-b"],
        delete: async (name: string) => deleted.push(name),
      },
    });
    expect([...listeners.keys()].sort()).toEqual(["activate", "install"]);
    await new Promise((done) => {
      listeners.get("activate")?.({ waitUntil: (work: Promise<void>) => work.then(done) });
    });
    expect({ deleted, unregistered }).toEqual({ deleted: ["shell-a", "shell-b"], unregistered: 1 });
  });
});

describe("the site's own images", () => {
  it.each([
    ["share.png", 1_200, 630],
    ["icon-192.png", 192, 192],
    ["icon-512.png", 512, 512],
    ["apple-touch-icon.png", 180, 180],
    ["favicon.ico", 48, 48],
  ])("include %s with the right size", async (name, width, height) => {
    const response = await sendRequest(siteImage, `/${name}`);
    expect(await sharp(Buffer.from(await response.arrayBuffer())).metadata()).toMatchObject({
      format: "png",
      width,
      height,
    });
  });

  it("include those listed in the manifest", async () => {
    const { name, icons } = await (await sendRequest(manifest, "/manifest.webmanifest")).json();
    expect(name).toBe("Afterdark");
    for (const { src } of icons) expect((await sendRequest(siteImage, src)).status).toBe(200);
  });

  it("have a maskable icon whose logo is within the safe zone, a radius of 40% of the width", async () => {
    const { icons } = await (await sendRequest(manifest, "/manifest.webmanifest")).json();
    const maskable = icons.find(({ purpose }: { purpose?: string }) => purpose === "maskable");
    const response = await sendRequest(siteImage, maskable.src);
    const image = sharp(Buffer.from(await response.arrayBuffer())).removeAlpha();
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    const ground = data.subarray(0, 3);
    const middle = info.width / 2;
    let furthest = 0;
    for (let at = 0; at < info.width * info.height; at += 1) {
      // The corners of the icon's background are rounded and blended with the same color.
      const pixel = data.subarray(3 * at, 3 * at + 3);
      if (pixel.every((value, channel) => Math.abs(value - ground[channel]!) < 8)) continue;
      const [x, y] = [at % info.width, Math.floor(at / info.width)];
      furthest = Math.max(furthest, Math.hypot(x - middle, y - middle));
    }
    expect(furthest).toBeGreaterThan(0.2 * info.width);
    expect(furthest).toBeLessThan(0.4 * info.width);
  });
});
