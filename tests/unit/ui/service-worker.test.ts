import { Script } from "node:vm";
import { beforeEach, describe, expect, it } from "vitest";
import source from "~/features/site/offline/service-worker.js?raw";

const ORIGIN = "https://videos.example";
const PAGE = `<link rel="stylesheet" href="/assets/root-a.css"/><link rel="icon" href="/assets/icon-b.svg"/>
  <link rel="preload" href="/assets/face-c.woff2"/><a href="/video/x">x</a><script src="/assets/root-d.js">`;

type Listener = (event: Record<string, unknown>) => void;

/** Fakes the browser APIs that the service worker uses. */
class FakeBrowser {
  listeners = new Map<string, Listener>();
  stored = new Map<string, Map<string, Response>>();
  requests: { url: string; options?: RequestInit }[] = [];
  isOffline = false;
  preload = false;

  constructor(version: string) {
    new Script(`const VERSION = "${version}";\n${source}`).runInNewContext({
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
      fetch: async (target: string | { url: string }, options?: RequestInit) => {
        const url = typeof target === "string" ? target : target.url;
        this.requests.push({ url, options });
        if (this.isOffline) throw new TypeError("Failed to fetch");
        const headers = { "Content-Security-Policy": "script-src 'sha256-x'" };
        return new Response(url.endsWith("/offline") ? PAGE : "from the site", { headers });
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
            put: async (path: string, response: Response) => void cache.set(path, response),
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

  async dispatch(name: "install" | "activate"): Promise<void> {
    let work: Promise<void> | undefined;
    const waitUntil = (promise: Promise<void>) => {
      work = promise;
    };
    this.listeners.get(name)?.({ waitUntil });
    await work;
  }

  /** Returns the worker's response, or undefined if it leaves the request to the browser. */
  async request(path: string, init: Record<string, unknown> = {}): Promise<Response | undefined> {
    let response: Promise<Response> | undefined;
    const url = ORIGIN + path;
    const { preloadResponse, ...request } = init;
    this.listeners.get("fetch")?.({
      request: { url, method: "GET", mode: "navigate", destination: "document", ...request },
      preloadResponse: Promise.resolve(preloadResponse),
      respondWith: (promise: Promise<Response>) => {
        response = promise;
      },
    });
    return response;
  }
}

let browser: FakeBrowser;
beforeEach(async () => {
  browser = new FakeBrowser("one");
  await browser.dispatch("install");
  await browser.dispatch("activate");
});

describe("the service worker", () => {
  it("stores the offline page and its assets, which it requests without credentials", () => {
    expect([...browser.stored.keys()]).toEqual(["shell-one"]);
    expect([...browser.stored.get("shell-one")!.keys()]).toEqual([
      "/assets/root-a.css",
      "/assets/icon-b.svg",
      "/assets/face-c.woff2",
      "/offline",
    ]);
    expect(browser.requests).toEqual([
      { url: "/offline", options: { credentials: "omit", cache: "no-store" } },
    ]);
    expect(browser.preload).toBe(true);
  });

  it("deletes all caches of earlier workers", async () => {
    browser.stored.set("shell-zero", new Map());
    browser.stored.set("pages", new Map());
    await browser.dispatch("activate");
    expect([...browser.stored.keys()]).toEqual(["shell-one"]);
  });

  it("forwards page requests to the site without storing the pages", async () => {
    expect(await (await browser.request("/video/x"))?.text()).toBe("from the site");
    const preloadResponse = new Response("already on its way");
    expect(await (await browser.request("/", { preloadResponse }))?.text()).toBe(
      "already on its way",
    );
    expect(browser.stored.get("shell-one")?.size).toBe(4);
  });

  it("returns the offline page with status 503 and its CSP when a page can't be loaded", async () => {
    browser.isOffline = true;
    for (let count = 0; count < 2; count += 1) {
      const response = await browser.request("/trending");
      expect(response?.status).toBe(503);
      expect(response?.headers.get("Content-Security-Policy")).toBe("script-src 'sha256-x'");
      expect(await response?.text()).toBe(PAGE);
    }
    browser.stored.clear();
    await expect(browser.request("/trending")).rejects.toThrow("Failed to fetch");
  });

  it.each([
    ["a form", "/age", { method: "POST" }],
    ["HEAD", "/", { method: "HEAD" }],
    ["an upload", "/admin/uploads/x", { method: "PATCH", mode: "cors", destination: "" }],
    ["a part of a video", "/media/videos/u/1.mp4", { mode: "no-cors", destination: "video" }],
    ["a segment", "/media/videos/u/1/a.m4s", { mode: "cors", destination: "" }],
    ["a poster", "/media/thumbnails/u/1.webp", { mode: "no-cors", destination: "image" }],
    ["the event stream", "/events", { mode: "cors", destination: "" }],
    ["the data of a page", "/_root.data", { mode: "cors", destination: "" }],
    ["a script", "/assets/root-d.js", { mode: "cors", destination: "script" }],
    ["a style sheet outside the build", "/style.css", { mode: "no-cors", destination: "style" }],
  ])("leaves %s to the browser", async (_, path, request) => {
    expect(await browser.request(path, request)).toBeUndefined();
  });

  it("serves the offline page's style sheet, and requests other style sheets from the site", async () => {
    browser.isOffline = true;
    const style = { mode: "no-cors", destination: "style" };
    expect(await (await browser.request("/assets/root-a.css", style))?.text()).toBe(
      "/assets/root-a.css",
    );
    await expect(browser.request("/assets/video-e.css", style)).rejects.toThrow("Failed to fetch");
  });
});
