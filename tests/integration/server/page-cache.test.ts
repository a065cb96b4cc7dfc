import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { announcedViews, subscribe } from "~/platform/live/hub.server";
import { cachePage, findCachedPage } from "~/platform/node/page-cache.server";
import { stopRuntime } from "~db/runtime.server";
import { ADMIN, SiteProcess } from "../../site-process";

const site = new SiteProcess();
const gated = new SiteProcess({ AGE_GATE: "on" });
beforeAll(async () => {
  // The processes start one after the other, because the first one may have to build the site.
  await site.start();
  await gated.start();
  site.addVideo({ id: "v", title: "The first" });
  gated.addVideo({ id: "v", title: "The first" });
});
afterAll(async () => {
  await Promise.all([site.remove(), gated.remove()]);
});

async function sendRequest(path: string, headers: Record<string, string> = {}, from = site) {
  const response = await fetch(from.url + path, {
    headers: { "Accept-Encoding": "identity", ...headers },
  });
  const text = await response.text();
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  return { response, status: response.status, text, policy, etag: response.headers.get("ETag") };
}

/** Returns a page's inline scripts that a browser would run. */
function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g)]
    .filter(([, attributes = ""]) => !attributes.includes("ld+json"))
    .map(([, , script = ""]) => script);
}

describe("a public page for an anonymous visitor", () => {
  it.each(["/", "/?search=first", "/categories/desi", "/trending", "/video/v", "/privacy", "/api"])(
    "%s is rendered once, and its CSP allows its own inline scripts and no others",
    async (path) => {
      const [first, second] = [await sendRequest(path), await sendRequest(path)];
      expect([first.status, second.status]).toEqual([200, 200]);
      // The page's data contains the rendering time, so an identical page must come from the cache.
      expect(second.text).toBe(first.text);
      expect(second.policy).toBe(first.policy);
      for (const { text, policy } of [first, second]) {
        const scripts = inlineScripts(text);
        expect(scripts.length).toBeGreaterThan(0);
        const hashes = scripts.map((script) =>
          createHash("sha256").update(script).digest("base64"),
        );
        const allowed = /script-src 'self' ([^;]+);/.exec(policy)![1]!.split(" ");
        expect(new Set(allowed)).toEqual(new Set(hashes.map((hash) => `'sha256-${hash}'`)));
        expect(text).not.toContain("nonce=");
      }
    },
  );

  it("is compressed only once, and decompresses to the same page", async () => {
    const plain = await sendRequest("/");
    const url = `${site.url}/`;
    const unpacked = execFileSync("gzip", ["-dc"], {
      input: execFileSync("curl", ["-s", "-H", "Accept-Encoding: gzip", url]),
    }).toString();
    expect(unpacked).toBe(plain.text);
    expect(
      (await sendRequest("/", { "Accept-Encoding": "gzip;q=0" })).response.headers.get(
        "Content-Encoding",
      ),
    ).toBeNull();
  });

  it("returns 304 without a new CSP to a client whose copy is current", async () => {
    const { etag } = await sendRequest("/");
    const again = await sendRequest("/", { "If-None-Match": etag! });
    expect([again.status, again.text, again.policy]).toEqual([304, "", ""]);
    expect(again.response.headers.get("Cache-Control")).toBe("private, no-cache");
  });

  it("is rendered again after any tool changes the catalogue", async () => {
    const before = await sendRequest("/");
    site.addVideo({ title: "The second" });
    const after = await sendRequest("/", { "If-None-Match": before.etag! });
    expect(after.status).toBe(200);
    expect(after.text).toContain("The second");
    site.database().prepare("UPDATE videos SET status = 'hidden' WHERE title = 'The second'").run();
    expect((await sendRequest("/")).text).not.toContain("The second");
    expect((await sendRequest("/video/v")).status).toBe(200);
    site.database().prepare("UPDATE videos SET status = 'hidden' WHERE id = 'v'").run();
    expect((await sendRequest("/video/v")).status).toBe(404);
    site.database().prepare("UPDATE videos SET status = 'published' WHERE id = 'v'").run();
  });

  it("is sent with an entity tag even when only its data is requested", async () => {
    const first = await sendRequest("/_root.data");
    expect(first.etag).toMatch(/^W\/"/);
    expect((await sendRequest("/_root.data")).text).toBe(first.text);
    expect((await sendRequest("/_root.data", { "If-None-Match": first.etag! })).status).toBe(304);
  });

  it("returns its length but no body in response to a HEAD request", async () => {
    const { text } = await sendRequest("/");
    const head = await fetch(`${site.url}/`, {
      method: "HEAD",
      headers: { "Accept-Encoding": "identity" },
    });
    expect(head.headers.get("Content-Length")).toBe(String(Buffer.byteLength(text)));
  });

  it("shows an up-to-date view count immediately after a view is recorded with POST or GET", async () => {
    const count = async (method: "POST" | "GET") => {
      const headers = { Origin: site.url, "User-Agent": "Mozilla/5.0 Firefox/140.0" };
      await fetch(`${site.url}/video/v/view`, { method, headers });
    };
    const views = async (path = "/video/v") =>
      /\d+ views?/.exec((await sendRequest(path)).text)?.[0];
    expect(await views()).toBe("0 views");
    await count("POST");
    expect(await views()).toBe("1 view");
    await count("GET");
    expect([await views(), await views("/video/%76")]).toEqual(["2 views", "2 views"]);
  });

  it("contains the host name from the request", async () => {
    await sendRequest("/video/v");
    const port = new URL(site.url).port;
    const other = await (await fetch(`http://localhost:${port}/video/v`)).text();
    expect(other).not.toContain(site.url);
  });
});

describe("a personal page", () => {
  it("is never cached, and never served from the cache", async () => {
    await sendRequest("/");
    const form = new URLSearchParams(ADMIN);
    const signIn = await fetch(`${site.url}/auth`, {
      method: "POST",
      body: form,
      redirect: "manual",
      headers: { Origin: site.url },
    });
    const cookies = signIn.headers.getSetCookie().map((each) => each.split(";")[0]!);
    const session = cookies.find((each) => each.startsWith("session="))!;
    const own = await sendRequest("/", { Cookie: cookies.join("; ") });
    expect(own.text).toContain("Sign Out");
    expect(own.text).toContain("Signed in successfully!");
    expect(own.etag).toBeNull();
    expect((await sendRequest("/", { Cookie: session })).text).toContain("Sign Out");
    const anyone = await sendRequest("/");
    expect(anyone.text).not.toContain("Sign Out");
    expect(anyone.text).not.toContain("Signed in successfully!");
  });

  it("isn't rendered for visitors who have only cookies that the site doesn't use", async () => {
    const { etag, text } = await sendRequest("/");
    for (const Cookie of ["_ga=GA1.2.3", "Session=x; sessions=y", "age=18; theme=dark; age=x"]) {
      const same = await sendRequest("/", { Cookie });
      expect([same.etag, same.text], Cookie).toEqual([etag, text]);
    }
    // Even with a forged or expired cookie, the page isn't cached, because cookies aren't verified until it is
    // rendered.
    for (const Cookie of ["session=x", "_ga=1; toast=y", "device=z; age=18"]) {
      expect((await sendRequest("/", { Cookie })).etag, Cookie).toBeNull();
    }
  });

  it("includes the entry dialog even if the visitor has cookies that the site doesn't use", async () => {
    const before = await sendRequest("/", { Cookie: "_ga=1; wage=18" }, gated);
    expect(before.etag).toBeNull();
    const after = await sendRequest("/", { Cookie: "_ga=1; age=18" }, gated);
    expect(after.etag).not.toBeNull();
    expect(after.text.length).toBeLessThan(before.text.length);
  });

  it("includes the entry dialog until visitors confirm their age", async () => {
    const before = await sendRequest("/", {}, gated);
    expect(before.etag).toBeNull();
    const after = await sendRequest("/", { Cookie: "age=18" }, gated);
    expect(after.etag).not.toBeNull();
    const again = await sendRequest("/", {}, gated);
    expect(again.etag).toBeNull();
    expect(again.text.length).toBeGreaterThan(after.text.length);
  });

  it("isn't cached, even if it is an error page", async () => {
    site.database().exec("ALTER TABLE videos RENAME TO elsewhere");
    const failed = await sendRequest("/?page=77");
    site.database().exec("ALTER TABLE elsewhere RENAME TO videos");
    expect([failed.status, failed.etag]).toEqual([500, null]);
    expect((await sendRequest("/?page=77")).status).toBe(200);
  });
});

describe("the cache", () => {
  const version = { catalogue: 1, views: 1 };
  const page = { text: "x", headers: new Headers() };
  beforeEach(() => stopRuntime());

  it("drops a page when the catalogue changes, 15 s after view counts change, and after ten minutes at the latest", async () => {
    const find = async (changed: object, age: number) => {
      await cachePage("k", version, page, 0);
      return findCachedPage("k", { ...version, ...changed }, age) !== undefined;
    };
    expect(await find({}, 9 * 60_000)).toBe(true);
    expect(await find({}, 11 * 60_000)).toBe(false);
    expect(await find({ catalogue: 2 }, 1)).toBe(false);
    expect(await find({ views: 2 }, 14_000)).toBe(true);
    expect(await find({ views: 2 }, 16_000)).toBe(false);
  });

  it("serves a video's page with a view count that is at most a second old", async () => {
    const find = async (lastView: number, views: number, age: number) => {
      await cachePage("k", { ...version, lastView: 1 }, page, 0);
      return findCachedPage("k", { ...version, views, lastView }, age) !== undefined;
    };
    expect(await find(1, 1, 60_000)).toBe(true);
    expect(await find(2, 1, 1)).toBe(false);
    // These views were written to the database by another process or tool.
    expect(await find(1, 2, 900)).toBe(true);
    expect(await find(1, 2, 1_000)).toBe(false);
  });

  it("drops a list with older view counts once open pages have been told about the new ones", async () => {
    const unsubscribe = subscribe(() => {});
    onTestFinished(unsubscribe);
    const announced = announcedViews();
    await cachePage("k", { ...version, views: announced - 1 }, page, 0);
    expect(findCachedPage("k", { ...version, views: announced }, 1)).toBeUndefined();
    await cachePage("k", { ...version, views: announced }, page, 0);
    expect(findCachedPage("k", { ...version, views: announced + 1 }, 1)).toBeDefined();
  });

  it("holds more than 2,000 pages of the size of a video's page", async () => {
    for (let index = 0; index < 2_500; index++)
      await cachePage(`${index}`, version, videoPage(), 0);
    expect(countCached(2_500)).toBe(2_500);
  });

  it("is limited in size, and drops the least recently used page first", async () => {
    for (let index = 0; index < 300; index++) {
      const text = randomBytes(150_000).toString("base64");
      await cachePage(`${index}`, version, { ...page, text }, 0);
    }
    expect(countCached(300)).toBeLessThan(230);
    expect(findCachedPage("299", version, 1)).toBeDefined();
  });

  function countCached(total: number): number {
    const keys = Array.from({ length: total }, (_, index) => `${index}`);
    return keys.filter((key) => findCachedPage(key, version, 1)).length;
  }
});

/** Returns a page that takes 10 KB compressed, like the page of a video with 20 related videos. */
function videoPage() {
  const text = "<li class=card>".repeat(2_500) + randomBytes(7_500).toString("base64");
  return { text, headers: new Headers({ "Content-Security-Policy": "x".repeat(700) }) };
}
