import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { fill } from "../../fill-catalogue";
import { recordShifts } from "../layout-shifts";
import { expect, test } from "../site";

/** The number of pauses while the page is transferred. */
const PAUSES = 16;

/** Starts a proxy that sends the page in pieces on request, and forwards everything else unchanged. */
async function startSlowProxy(origin: string, path: string, pieces: readonly Buffer[]) {
  let sendNext = () => {};
  const server = http.createServer(async (request, response) => {
    if (request.url === "/events") return void response.writeHead(204).end();
    if (request.url === path) {
      const left = [...pieces];
      sendNext = () => {
        response.write(left.shift());
        if (left.length === 0) response.end();
      };
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      return sendNext();
    }
    const upstream = await fetch(new URL(request.url ?? "/", origin));
    response.writeHead(upstream.status, {
      "content-type": upstream.headers.get("content-type") ?? "application/octet-stream",
    });
    response.end(Buffer.from(await upstream.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendNext: () => sendNext(),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Splits one section of the page before its tags, so that each piece contains a new element. It is never split before a
 * `span`, because a badge grows with its text.
 */
function cut(page: Buffer, from: string, to: string): Buffer[] {
  const html = page.toString("latin1");
  const [first, last] = [html.indexOf(from), html.indexOf(to)];
  expect(first).toBeGreaterThan(0);
  expect(last).toBeGreaterThan(first);
  const tags = [...html.matchAll(/<(?!span\b)[a-z]/g)]
    .map(({ index }) => index)
    .filter((index) => index >= first && index <= last);
  const every = Math.max(1, Math.floor(tags.length / PAUSES));
  const cuts = tags.filter((_, index) => index % every === 0);
  return [0, ...cuts].map((begin, index) => page.subarray(begin, cuts[index]));
}

for (const { path, videos, from, to } of [
  { path: "/", videos: 12, from: "<header", to: "<article" },
  // This page is so short that its footer is visible immediately.
  { path: "/", videos: 1, from: "</main>", to: "</footer>" },
  { path: "/video/v1", videos: 3, from: "<h1", to: "</aside>" },
]) {
  test(`nothing visible moves when the connection pauses between ${from} and ${to} of ${path} @phone`, async ({
    page,
    site,
  }) => {
    await fill(site, videos);
    const html = Buffer.from(await (await fetch(site.url + path)).arrayBuffer());
    const pieces = cut(html, from, to);
    const proxy = await startSlowProxy(site.url, path, pieces);
    try {
      const shifts = await recordShifts(page);
      await page.goto(proxy.origin + path, { waitUntil: "commit" });
      const count = () => page.evaluate(() => document.querySelectorAll("*").length);
      let before = 0;
      for (const piece of pieces.keys()) {
        if (piece > 0) proxy.sendNext();
        await expect.poll(count).toBeGreaterThan(before);
        await page.evaluate(
          () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
        );
        before = await count();
      }
      await page.waitForLoadState("load");
      expect(await shifts()).toEqual([]);
      await expect(page.getByText("This site is for ages 18 and over.")).toBeVisible();
    } finally {
      proxy.close();
    }
  });
}

test("pressing a key at the start of hydration doesn't break the page", async ({ page, site }) => {
  await fill(site, 12, (number) => ({ title: number === 5 ? "Neon Rain" : `Video ${number}` }));
  // React hydrates shortly after it starts listening for events. Press a key in between.
  await page.addInitScript(() => {
    const { addEventListener } = document;
    document.addEventListener = function (this: Document, ...args: [string, never]) {
      addEventListener.apply(this, args);
      if (args[0] !== "keydown") return;
      queueMicrotask(() => {
        const key = new KeyboardEvent("keydown", { key: "n", bubbles: true, cancelable: true });
        document.querySelector("input[type=search]")?.dispatchEvent(key);
      });
    };
  });
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await page.goto("/");
  await page.getByRole("searchbox").fill("neon");
  await expect(page.locator("main article")).toHaveCount(1);
  expect(errors).toEqual([]);
});

test("no public page waits for the browser to load locale data", async ({ page, site }) => {
  await fill(site, 12, (number) => ({ views: number }));
  await page.addInitScript(() => {
    const requested: string[] = [];
    Object.assign(window, { requested });
    for (const name of ["NumberFormat", "DateTimeFormat", "PluralRules", "Collator"] as const) {
      Object.defineProperty(Intl, name, {
        value: new Proxy(Intl[name], {
          construct(target, args) {
            requested.push(name);
            return Reflect.construct(target, args);
          },
        }),
      });
    }
  });
  for (const path of ["/", "/trending", "/categories", "/?search=video", "/video/v1"]) {
    await page.goto(path);
    // The page is hydrated once the save button exists.
    await expect(page.getByRole("button", { name: /^Save/ }).first()).toBeVisible();
    const requested = await page.evaluate(
      () => (window as unknown as { requested: string[] }).requested,
    );
    expect([path, requested]).toEqual([path, []]);
  }
});
