import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { fill } from "../../fill-catalogue";
import { recordShifts } from "../layout-shifts";
import { expect, test } from "../site";

/** How many places of the page it is cut at. */
const CUTS = 24;

/** Answers with the page's bytes up to a place, and with the rest when told; everything else as the site does. */
async function startSlowProxy(origin: string, path: string, page: Buffer) {
  let cut = page.length;
  let sendRest = () => {};
  const server = http.createServer(async (request, response) => {
    if (request.url === "/events") return void response.writeHead(204).end();
    if (request.url === path) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.write(page.subarray(0, cut));
      sendRest = () => response.end(page.subarray(cut));
      return;
    }
    const answer = await fetch(new URL(request.url ?? "/", origin));
    response.writeHead(answer.status, {
      "content-type": answer.headers.get("content-type") ?? "application/octet-stream",
    });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAt: (place: number) => {
      cut = place;
    },
    sendRest: () => sendRest(),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

for (const { path, videos, from, to } of [
  { path: "/", videos: 12, from: "<header", to: "<article" },
  // Its footer is seen at once.
  { path: "/", videos: 1, from: "</main>", to: "</footer>" },
  { path: "/video/v1", videos: 3, from: "<h1", to: "</aside>" },
]) {
  test(`wherever the line pauses between ${from} and ${to} of ${path}, nothing that is shown moves @phone`, async ({
    page,
    site,
  }) => {
    await fill(site, videos);
    const html = Buffer.from(await (await fetch(site.url + path)).arrayBuffer());
    const first = html.indexOf(from);
    const step = Math.floor((html.indexOf(to) - first) / CUTS);
    expect(step).toBeGreaterThan(0);

    const proxy = await startSlowProxy(site.url, path, html);
    try {
      const shifts = await recordShifts(page);
      for (let number = 0; number < CUTS; number += 1) {
        proxy.cutAt(first + number * step);
        await page.goto(proxy.origin + path, { waitUntil: "commit" });
        await page.evaluate(
          () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
        );
        proxy.sendRest();
        await page.waitForLoadState("load");
        expect(await shifts(), `cut ${number} of ${CUTS}`).toEqual([]);
        await expect(page.getByText("This site is for ages 18 and over.")).toBeVisible();
      }
    } finally {
      proxy.close();
    }
  });
}

test("a key that comes right when the scripts begin leaves the page alive", async ({
  page,
  site,
}) => {
  await fill(site, 12, (number) => ({ title: number === 5 ? "Neon Rain" : `Video ${number}` }));
  // React begins to listen, and takes the page over a moment later: here a key comes in between.
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
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  await page.goto("/");
  await page.getByRole("searchbox").fill("neon");
  await expect(page.locator("main article")).toHaveCount(1);
  expect(complaints).toEqual([]);
});

test("no page of a visitor waits for the browser's tables of all languages", async ({
  page,
  site,
}) => {
  await fill(site, 12, (number) => ({ views: number }));
  await page.addInitScript(() => {
    const asked: string[] = [];
    Object.assign(window, { asked });
    for (const name of ["NumberFormat", "DateTimeFormat", "PluralRules", "Collator"] as const) {
      Object.defineProperty(Intl, name, {
        value: new Proxy(Intl[name], {
          construct(target, args) {
            asked.push(name);
            return Reflect.construct(target, args);
          },
        }),
      });
    }
  });
  for (const path of ["/", "/trending", "/categories", "/?search=video", "/video/v1"]) {
    await page.goto(path);
    // Its scripts have taken over once there is something to save with.
    await expect(page.getByRole("button", { name: /^Save/ }).first()).toBeVisible();
    const asked = await page.evaluate(() => (window as unknown as { asked: string[] }).asked);
    expect([path, asked]).toEqual([path, []]);
  }
});
