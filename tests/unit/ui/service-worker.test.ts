import { Script } from "node:vm";
import { beforeEach, describe, expect, it } from "vitest";
import program from "~/features/site/offline/service-worker.js?raw";

const ORIGIN = "https://videos.example";
const PAGE = `<link rel="stylesheet" href="/assets/root-a.css"/><link rel="icon" href="/assets/icon-b.svg"/>
  <link rel="preload" href="/assets/face-c.woff2"/><a href="/video/x">x</a><script src="/assets/root-d.js">`;

type Listener = (event: Record<string, unknown>) => void;

/** What a browser gives a worker, as far as this one asks for it. */
class FakeBrowser {
  listeners = new Map<string, Listener>();
  stored = new Map<string, Map<string, Response>>();
  asked: { address: string; options?: RequestInit }[] = [];
  isOffline = false;
  preload = false;

  constructor(version: string) {
    new Script(`const VERSION = "${version}";\n${program}`).runInNewContext({
      self: {
        addEventListener: (name: string, listener: Listener) => this.listeners.set(name, listener),
        skipWaiting: async () => {},
        clients: { claim: async () => {} },
        registration: {
          navigationPreload: {
            enable: async () => {
              this.preload = true;
            },
          },
        },
      },
      fetch: async (asked: string | { url: string }, options?: RequestInit) => {
        const address = typeof asked === "string" ? asked : asked.url;
        this.asked.push({ address, options });
        if (this.isOffline) throw new TypeError("Failed to fetch");
        const headers = { "Content-Security-Policy": "script-src 'sha256-x'" };
        return new Response(address.endsWith("/offline") ? PAGE : "from the site", { headers });
      },
      caches: {
        keys: async () => [...this.stored.keys()],
        delete: async (name: string) => this.stored.delete(name),
        match: async (path: string, { cacheName }: { cacheName: string }) =>
          this.stored.get(cacheName)?.get(path)?.clone(),
        open: async (name: string) => {
          const cache = this.stored.get(name) ?? new Map<string, Response>();
          this.stored.set(name, cache);
          return {
            put: async (path: string, answer: Response) => void cache.set(path, answer),
            addAll: async (paths: string[]) => {
              for (const path of paths) cache.set(path, new Response(path));
            },
          };
        },
      },
      Response,
      Headers,
      URL,
    });
  }

  async life(name: "install" | "activate"): Promise<void> {
    let work: Promise<void> | undefined;
    const waitUntil = (given: Promise<void>) => {
      work = given;
    };
    this.listeners.get(name)?.({ waitUntil });
    await work;
  }

  /** The worker's answer; undefined when it leaves the request to the browser. */
  async ask(path: string, more: Record<string, unknown> = {}): Promise<Response | undefined> {
    let answer: Promise<Response> | undefined;
    const url = ORIGIN + path;
    const { preloadResponse, ...request } = more;
    this.listeners.get("fetch")?.({
      request: { url, method: "GET", mode: "navigate", destination: "document", ...request },
      preloadResponse: Promise.resolve(preloadResponse),
      respondWith: (given: Promise<Response>) => {
        answer = given;
      },
    });
    return answer;
  }
}

let browser: FakeBrowser;
beforeEach(async () => {
  browser = new FakeBrowser("one");
  await browser.life("install");
  await browser.life("activate");
});

describe("the service worker", () => {
  it("stores the offline page with what it looks like, asked for by nobody", () => {
    expect([...browser.stored.keys()]).toEqual(["shell-one"]);
    expect([...browser.stored.get("shell-one")!.keys()]).toEqual([
      "/assets/root-a.css",
      "/assets/icon-b.svg",
      "/assets/face-c.woff2",
      "/offline",
    ]);
    expect(browser.asked).toEqual([
      { address: "/offline", options: { credentials: "omit", cache: "no-store" } },
    ]);
    expect(browser.preload).toBe(true);
  });

  it("deletes what earlier workers stored, whatever its name", async () => {
    browser.stored.set("shell-zero", new Map());
    browser.stored.set("pages", new Map());
    await browser.life("activate");
    expect([...browser.stored.keys()]).toEqual(["shell-one"]);
  });

  it("answers a page by the site, and stores none", async () => {
    expect(await (await browser.ask("/video/x"))?.text()).toBe("from the site");
    const preloadResponse = new Response("already on its way");
    expect(await (await browser.ask("/", { preloadResponse }))?.text()).toBe("already on its way");
    expect(browser.stored.get("shell-one")?.size).toBe(4);
  });

  it("answers a page that can't be had by the offline page, with 503 and its policy", async () => {
    browser.isOffline = true;
    for (let times = 0; times < 2; times += 1) {
      const answer = await browser.ask("/trending");
      expect(answer?.status).toBe(503);
      expect(answer?.headers.get("Content-Security-Policy")).toBe("script-src 'sha256-x'");
      expect(await answer?.text()).toBe(PAGE);
    }
    browser.stored.clear();
    await expect(browser.ask("/trending")).rejects.toThrow("Failed to fetch");
  });

  it.each([
    ["a form", "/age", { method: "POST" }],
    ["HEAD", "/", { method: "HEAD" }],
    ["an upload", "/admin/uploads/x", { method: "PATCH", mode: "cors", destination: "" }],
    ["a part of a video", "/media/videos/u/1.mp4", { mode: "no-cors", destination: "video" }],
    ["a segment", "/media/videos/u/1/a.m4s", { mode: "cors", destination: "" }],
    ["a poster", "/media/thumbnails/u/1.webp", { mode: "no-cors", destination: "image" }],
    ["events", "/events", { mode: "cors", destination: "" }],
    ["the data of a page", "/_root.data", { mode: "cors", destination: "" }],
    ["a script", "/assets/root-d.js", { mode: "cors", destination: "script" }],
    ["a style that is not of the build", "/style.css", { mode: "no-cors", destination: "style" }],
  ])("leaves %s to the browser", async (_, path, request) => {
    expect(await browser.ask(path, request)).toBeUndefined();
  });

  it("has the styles of its page, and asks the site for others", async () => {
    browser.isOffline = true;
    const style = { mode: "no-cors", destination: "style" };
    expect(await (await browser.ask("/assets/root-a.css", style))?.text()).toBe(
      "/assets/root-a.css",
    );
    await expect(browser.ask("/assets/video-e.css", style)).rejects.toThrow("Failed to fetch");
  });
});
