import fs from "node:fs";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { expect, expectNoViolations, test } from "../site";

test.use({ serviceWorkers: "allow" });

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** Opens the page and waits until the service worker controls it. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state))
    .toBe("activated");
}

/** Returns every URL in the browser's caches. */
function stored(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found: string[] = [];
    for (const name of await caches.keys()) {
      const requests = await (await caches.open(name)).keys();
      found.push(...requests.map(({ url }) => new URL(url).pathname + new URL(url).search));
    }
    return found;
  });
}

test("without a connection, the offline page is shown and reloads once the connection is back", async ({
  page,
  context,
  site,
}) => {
  await fill(site, 3, () => ({ views: 5 }));
  await open(page, "/");
  await context.setOffline(true);
  const response = await page.goto("/trending?from=here");
  expect([response?.status(), response?.fromServiceWorker()]).toEqual([503, true]);
  await expect(heading(page, "You're offline")).toBeVisible();
  await expect(page).toHaveURL("/trending?from=here");
  await expect(page.getByText("Video 1")).toHaveCount(0);
  await expectNoViolations(page);
  // The offline page is styled, too.
  await expect(page.getByRole("button", { name: "Try again" })).toHaveCSS("cursor", "pointer");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(heading(page, "You're offline")).toBeVisible();
  await context.setOffline(false);
  await expect(page.locator("main article")).toHaveCount(3);
  await expect(page).toHaveURL("/trending?from=here");
});

test("pages are always up to date, visited pages aren't stored, and media bypasses the service worker", async ({
  page,
  site,
}) => {
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(5)));
  await fill(site, 3, () => ({ video_url: clip }));
  await open(page, "/");
  const serviceWorkerTypes: string[] = [];
  page.on("response", (response) => {
    if (response.fromServiceWorker()) serviceWorkerTypes.push(response.request().resourceType());
  });
  site.addVideo({ title: "Brand new" });
  await page.reload();
  await expect(page.locator("main article").first()).toContainText("Brand new");
  for (const path of ["/?search=video", "/nonsense", "/video/v1"]) await page.goto(path);

  await test.step("only pages and the shell's files pass through the service worker", async () => {
    await page.evaluate(() => document.querySelector("video")?.play());
    await expect
      .poll(() => page.evaluate(() => document.querySelector("video")?.currentTime))
      .toBeGreaterThan(0);
    const results = await page.evaluate(async (clip) => {
      const part = await fetch(clip, { headers: { Range: "bytes=10-19" } });
      const head = await fetch("/", { method: "HEAD" });
      const events = new EventSource("/events");
      const hello = await new Promise((done) => events.addEventListener("hello", () => done(true)));
      events.close();
      const post = await fetch("/saved/videos", {
        method: "POST",
        body: new URLSearchParams({ id: "v1" }),
      });
      return {
        part: [part.status, (await part.arrayBuffer()).byteLength],
        head: [head.status, (await head.text()).length],
        hello,
        post: (await post.json()).videos.length,
      };
    }, clip);
    expect(results).toEqual({ part: [206, 10], head: [200, 0], hello: true, post: 1 });
    const own = ["document", "stylesheet", "font"];
    expect(serviceWorkerTypes.filter((type) => !own.includes(type))).toEqual([]);
    expect(serviceWorkerTypes).toContain("document");
  });

  await test.step("only the offline page is stored, without user data", async () => {
    const files = await stored(page);
    expect(files).toContain("/offline");
    const others = files.filter((path) => !/^\/assets\/[^/]+\.(css|woff2|svg)$/.test(path));
    expect(others).toEqual(["/offline"]);
    const text = await page.evaluate(async () => (await caches.match("/offline"))?.text());
    expect(text).not.toMatch(/Video \d|Sign Out|\/media\//);
  });
});

test("a page and a list load once the site is back, a new worker replaces the old one, and a disabled worker is removed", async ({
  page,
  context,
  site,
}) => {
  test.slow();
  await fill(site, 20);
  await open(page, "/");
  const list = await context.newPage();
  await list.goto("/", { waitUntil: "networkidle" });
  const notice = list.getByRole("alert");
  const names = () => page.evaluate(() => caches.keys());
  const [before] = await names();
  try {
    await site.stop();
    await page.goto("/video/v2");
    await expect(heading(page, "The site is unavailable")).toBeVisible();
    await expect(heading(page, "You're offline")).toHaveCount(0);
    await list.getByRole("link", { name: "Next" }).click();
    await expect(notice).toContainText("Error loading videos: Failed to fetch videos.");
    await site.start({ SITE_NAME: "Another Name" });
    await expect(heading(page, "Video 2")).toBeVisible({ timeout: 60_000 });
    await expect(list.locator("main article").first()).toContainText("Video 9", {
      timeout: 60_000,
    });
    await expect(notice).toHaveCount(0);
    await list.close();

    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await expect.poll(async () => (await names()).includes(before ?? "")).toBe(false);
    expect(await names()).toHaveLength(1);
    const text = await page.evaluate(async () => (await caches.match("/offline"))?.text());
    expect(text).toContain("Another Name");

    await site.stop();
    await site.start({ SERVICE_WORKER: "off" });
    await page.reload();
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
    const registrations = () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
    await expect.poll(registrations).toBe(0);
    expect(await names()).toEqual([]);
    await page.reload({ waitUntil: "load" });
    expect(await registrations()).toBe(0);
  } finally {
    await site.stop();
    await site.start({ SITE_NAME: "Afterdark", SERVICE_WORKER: "on" });
  }
});

test("an open list shows that the browser is offline, and recovers", async ({
  page,
  context,
  site,
}) => {
  await fill(site, 3);
  await open(page, "/");
  await page.waitForLoadState("networkidle");
  await context.setOffline(true);
  const notice = page.getByText("You're offline", { exact: true });
  await expect(notice).toBeVisible();
  await expect(page.locator("main article")).toHaveCount(3);
  site.addVideo({ title: "Brand new" });
  await context.setOffline(false);
  await expect(notice).toHaveCount(0);
  await expect(page.locator("main article").first()).toContainText("Brand new");
});
