import fs from "node:fs";
import type { Page } from "playwright/test";
import { mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { recordShifts } from "../layout-shifts";
import { expect, expectNoViolations, test } from "../site";

const section = (page: Page) => page.getByRole("region", { name: "Continue watching" });
const begun = (page: Page) => section(page).getByRole("link");

/** What the browser remembers before the page is opened, the newest last. */
async function remember(page: Page, history: unknown): Promise<void> {
  await page.addInitScript((text) => {
    if (localStorage.getItem("player:resume") === null) localStorage.setItem("player:resume", text);
  }, JSON.stringify(history));
}

const points = (...numbers: number[]) => numbers.map((number) => [`v${number}`, number * 10]);

test("what was begun stands above the list, the latest first, and goes on where it was left", async ({
  page,
  site,
}) => {
  const clip = site.addFile("videos", "u/1.mp4", fs.readFileSync(mp4Clip(60)));
  await fill(site, 12, () => ({ duration: "1:00", video_url: clip }));
  await remember(page, points(1, 2, 3));
  const shifts = await recordShifts(page);
  await page.goto("/");
  await expect(begun(page)).toHaveText([/Video 3.*0:30 left/, /Video 2/, /Video 1.*0:50 left/]);
  await expect(begun(page).first()).toContainText("Watched: 50 %");
  const inList = page.locator("main article").filter({ hasText: "Video 3" });
  await expect(inList).toContainText("Watched: 50 %");
  await expectNoViolations(page);
  expect(await shifts()).toEqual([]);

  await begun(page).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 3");
  await expect(page).toHaveURL(/\/video\/v3#t=30$/);
  const time = () => page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(time).toBeGreaterThanOrEqual(30);

  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(begun(page).first()).toContainText("Video 3");
});

test("it stands on the first page of all videos alone", async ({ page, site }) => {
  await fill(site, 12);
  await remember(page, points(1));
  for (const path of [
    "/?page=2",
    "/?search=video",
    "/?category=desi",
    "/categories",
    "/trending",
  ]) {
    await page.goto(path, { waitUntil: "networkidle" });
    await expect(section(page)).toHaveCount(0);
  }
});

test("eight at most, and what is public no more is dropped and forgotten", async ({
  page,
  site,
}) => {
  await fill(site, 12, (number) => ({ status: number === 11 ? "hidden" : "published" }));
  await remember(page, [["never", 30], ...points(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)]);
  const shifts = await recordShifts(page);
  await page.goto("/");
  await expect(begun(page)).toHaveCount(8);
  await expect(begun(page).first()).toContainText("Video 10");
  await expect
    .poll(() => page.evaluate(() => localStorage.getItem("player:resume")))
    .toBe(JSON.stringify(points(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)));

  // One that is withdrawn while the list is open.
  site.database().exec("UPDATE videos SET status = 'hidden' WHERE id = 'v10'");
  await expect(begun(page).first()).toContainText("Video 9");
  await expect(begun(page)).toHaveCount(8);
  expect(await shifts()).toEqual([]);
});

test("where nothing of it is public any more, that is said, once and without a move", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await remember(page, [["gone", 30]]);
  const shifts = await recordShifts(page);
  await page.goto("/");
  await expect(page.getByText("What you began to watch is no longer available.")).toBeVisible();
  expect(await shifts()).toEqual([]);
  await expectNoViolations(page);
  await page.reload({ waitUntil: "networkidle" });
  await expect(section(page)).toHaveCount(0);
});

test("one button forgets all of it, in other tabs too", async ({ page, context, site }) => {
  await fill(site, 3);
  await page.goto("/");
  await page.evaluate(() => localStorage.setItem("player:resume", '[["v1",30],["v2",40]]'));
  await page.reload();
  const other = await context.newPage();
  await other.goto("/");
  await expect(begun(other)).toHaveCount(2);
  await section(page).getByRole("button", { name: "Forget all" }).press("Enter");
  await expect(section(page)).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await expect(section(other)).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem("player:resume"))).toBeNull();
  await expect(page.getByText("Watched:")).toHaveCount(0);
});

test("cards that do not come are said in their space, and asked for again", async ({
  page,
  site,
}) => {
  await fill(site, 3);
  await remember(page, points(1));
  // What was filled in is a change of the list, at which the page asks again by itself.
  await page.route("**/events", (route) => route.fulfill({ status: 204 }));
  await page.route("**/saved/videos", (route) => route.abort());
  const shifts = await recordShifts(page);
  await page.goto("/");
  await expect(section(page)).toContainText("Error loading videos: Failed to fetch videos.");
  await expectNoViolations(page);
  await page.unroute("**/saved/videos");
  await section(page).getByRole("button", { name: "Retry" }).click();
  await expect(begun(page)).toHaveText([/Video 1/]);
  expect(await shifts()).toEqual([]);
});

for (const text of ["{", "7", '{"a":1}', '[["v1","x"],[5,5],null]', "[]"]) {
  test(`there is none, and no error, where the browser holds ${text}`, async ({ page, site }) => {
    await fill(site, 2);
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.addInitScript((text) => {
      localStorage.setItem("player:resume", text);
      localStorage.setItem("saved-videos", text);
    }, text);
    const shifts = await recordShifts(page);
    await page.goto("/", { waitUntil: "networkidle" });
    await expect(page.locator("main article")).toHaveCount(2);
    await expect(section(page)).toHaveCount(0);
    expect({ errors, shifts: await shifts() }).toEqual({ errors: [], shifts: [] });
  });
}

test("a browser without storage shows the list as ever", async ({ page, site }) => {
  await fill(site, 2);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  await page.goto("/");
  const save = page.getByRole("button", { name: "Save Video 1", exact: true });
  await save.click();
  await expect(save).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText("Until this page is closed")).toBeVisible();
  expect(errors).toEqual([]);
});

test("what was watched stands in no address that the browser asks for", async ({ page, site }) => {
  await fill(site, 3);
  await remember(page, points(2));
  const asked: string[] = [];
  page.on("request", (request) => asked.push(`${request.method()} ${request.url()}`));
  await page.goto("/");
  await expect(begun(page)).toHaveText([/Video 2/]);
  await page.waitForLoadState("networkidle");
  expect(asked.filter((line) => /[?&=/#]v2\b/.test(line))).toEqual([]);
  // Once, and again when the catalogue has changed meanwhile.
  const cards = asked.filter((line) => line.endsWith("/saved/videos"));
  expect([...new Set(cards)]).toEqual([expect.stringMatching(/^POST/)]);
});
