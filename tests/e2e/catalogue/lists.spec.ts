import fs from "node:fs";
import { clip, mp4Clip } from "../../clips";
import { fill } from "../../fill-catalogue";
import { holdRequests } from "../hold-requests";
import { recordShifts } from "../layout-shifts";
import { expect, test } from "../site";

const cards = "main article";

test("paging through Home updates the URL @phone", async ({ page, site, isMobile }) => {
  await fill(site, 20);
  await page.goto("/");
  await expect(page.locator(cards)).toHaveCount(8);
  const controls = page.locator(
    "main :is(select, form input:not([type=hidden]), form button, [href='/surprise'], [data-choice] a)",
  );
  const corners = await controls.evaluateAll((all) =>
    all.map((each) => getComputedStyle(each).borderRadius),
  );
  expect(corners.length).toBeGreaterThan(10);
  expect([...new Set(corners)], "one corner style").toHaveLength(1);
  const footer = page.getByRole("contentinfo");
  const tops = await footer
    .getByRole("navigation")
    .evaluateAll((columns) => columns.map((column) => column.getBoundingClientRect().top));
  expect([tops.length, new Set(tops).size], "columns of links in one row").toEqual([3, 1]);
  if (isMobile) {
    expect((await footer.boundingBox())!.height).toBeLessThan(520);
  } else {
    const usual = page.viewportSize()!;
    for (const [width, columns] of [
      [600, 1],
      [700, 2],
      [1100, 3],
      [1440, 4],
    ] as const) {
      await page.setViewportSize({ ...usual, width });
      const grid = page.locator("main ul").filter({ has: page.getByRole("article") });
      const tracks = await grid.evaluate((list) => getComputedStyle(list).gridTemplateColumns);
      expect(tracks.split(" "), `${width} px`).toHaveLength(columns);
    }
    await page.setViewportSize(usual);
  }
  await expect(page.locator(cards).first()).toContainText("Video 1");
  await expect(page.getByText("page 1 of 3", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: "Next" }).click();
  await expect(page).toHaveURL("/?page=2");
  await expect(page.locator(cards).first()).toContainText("Video 9");
  await expect(page).toHaveTitle(/page 2/i);

  await page.getByRole("link", { name: "Previous" }).click();
  await expect(page).toHaveURL("/");
});

test("selecting a category keeps the search and returns to page 1", async ({ page, site }) => {
  await fill(site, 20, (number) => ({ category: number % 2 ? "premium" : "english" }));
  await page.goto("/?search=video&page=2");
  await page.getByRole("navigation", { name: "Video categories" }).getByText("English").click();
  await expect(page).toHaveURL("/?search=video&category=english");
  await expect(page.locator(cards).first()).toContainText("Video 2");
  await expect(page.getByText("10 videos", { exact: true })).toBeVisible();

  await page.getByRole("navigation", { name: "Video categories" }).getByText("Trending").click();
  await expect(page).toHaveURL("/trending");
});

test("searching while typing updates the URL, and Back leaves the search", async ({
  page,
  site,
}) => {
  await fill(site, 12, (number) => ({
    title: number === 11 ? "Neon Rain" : number === 12 ? "Other" : `Video ${number}`,
    tags: number === 12 ? '["neon"]' : null,
  }));
  await page.goto("/");
  const box = page.getByPlaceholder("Search videos by title or tags...");
  await box.pressSequentially("neon", { delay: 20 });
  await expect(page).toHaveURL("/?search=neon");
  await expect(page.locator(cards)).toHaveCount(2);
  await expect(box).toBeFocused();
  await expect(page).toHaveTitle(/neon/);

  await box.pressSequentially(" rain");
  await expect(page).toHaveURL("/?search=neon+rain");
  await expect(page.locator(cards)).toHaveCount(1);

  await page.goBack();
  await expect(page).toHaveURL("/");
  await expect(box).toHaveValue("");
  await expect(page.locator(cards)).toHaveCount(8);

  await box.fill("nothing like it");
  await expect(page.getByText("No videos found matching “nothing like it”")).toBeVisible();
  await page.getByRole("button", { name: "Clear Search" }).click();
  await expect(page).toHaveURL("/");
  await expect(box).toHaveValue("");
});

test("while a list is loading slowly, the old list stays visible with a loading message", async ({
  page,
  site,
}) => {
  await fill(site, 20);
  await page.goto("/");
  const release = await holdRequests(page, /_root\.data\?.*page=2|\.data\?page=2/);
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByText("Loading videos...")).toBeVisible();
  await expect(page.locator(cards).first()).toContainText("Video 1");
  await release();
  await expect(page.locator(cards).first()).toContainText("Video 9");
  await expect(page.getByText("Loading videos...")).toBeHidden();
});

test("a card opens with a click, Enter or Space, and in a new tab with the middle mouse button", async ({
  page,
  site,
  context,
}) => {
  await fill(site, 3);
  const card = page.locator(cards).first().getByRole("link");
  await page.goto("/");
  for (const open of [() => card.click(), () => card.press("Enter"), () => card.press("Space")]) {
    await open();
    await expect(page).toHaveURL("/video/v1?from=home");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 1");
    await page.goBack();
    await expect(page).toHaveURL("/");
    await expect(page.locator(cards)).toHaveCount(3);
  }
  const [tab] = await Promise.all([context.waitForEvent("page"), card.click({ button: "middle" })]);
  await expect(tab).toHaveURL(/\/video\/v1/);
});

test("a hovered card plays a muted loop from 25 s, or its AV1 or H.264 clip, and stops when the pointer leaves", async ({
  page,
  site,
}) => {
  const source = fs.readFileSync(mp4Clip(40, "160x90"));
  const h264 = fs.readFileSync(mp4Clip(5, "160x90"));
  const codec = "-f lavfi -i testsrc2=s=160x90:r=10 -t 5 -c:v libsvtav1 -preset 10".split(" ");
  const av1 = fs.readFileSync(clip("mp4", codec));
  const clips = [av1, Buffer.from("no video")].map((first, index) => {
    site.addFile("videos", `u/${index + 3}/preview-a/av1.mp4`, first);
    return site.addFile("videos", `u/${index + 3}/preview-a/h264.mp4`, h264);
  });
  await fill(site, 4, (number) => ({
    video_url: site.addFile("videos", `u/${number}.mp4`, source),
    preview_url: clips[number - 3] ?? null,
  }));
  await page.goto("/");
  const video = page.locator(`${cards} video`);
  await page.locator(cards).nth(0).hover();
  await expect(video).toHaveCount(1);
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(25);
  expect(await video.evaluate((element: HTMLVideoElement) => element.muted)).toBe(true);
  // The loop returns to 25 s rather than to the beginning.
  const start = await video.evaluate(
    (element: HTMLVideoElement) =>
      new Promise<number>((resolve) => {
        element.addEventListener("ended", () =>
          element.addEventListener("seeked", () => resolve(element.currentTime), { once: true }),
        );
        element.currentTime = element.duration - 0.1;
      }),
  );
  expect(start).toBeCloseTo(25, 1);
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(25);
  await page.locator(cards).nth(1).hover();
  await expect(page.locator(cards).nth(0).locator("video")).toHaveCount(0);
  await expect(page.locator(cards).nth(1).locator("video")).toHaveCount(1);

  // The preview falls back to H.264 if the AV1 clip is damaged.
  for (const [index, name] of ["av1.mp4", "h264.mp4"].entries()) {
    const card = page.locator(cards).nth(index + 2);
    await card.hover();
    const clip = card.locator("video");
    const position = () => clip.evaluate((element: HTMLVideoElement) => element.currentTime);
    await expect.poll(position).toBeGreaterThan(0.5);
    const playing = await clip.evaluate((element: HTMLVideoElement) => element.currentSrc);
    expect(playing).toBe(`${site.url}/media/videos/u/${index + 3}/preview-a/${name}`);
  }
  await page.mouse.move(0, 0);
  await expect(video).toHaveCount(0);
});

test("the layout doesn't shift while a list or a video is loading", async ({ page, site }) => {
  await fill(site, 8);
  const shifts = await recordShifts(page);
  for (const path of ["/", "/video/v1"]) {
    await page.goto(path, { waitUntil: "networkidle" });
    expect([path, await shifts()]).toEqual([path, []]);
  }
});
