import fs from "node:fs";
import type { Locator, Page } from "playwright/test";
import { clip, mp4Clip } from "../../clips";
import { doubleTextSize } from "../../page-layout";
import { publishVideo } from "../../publish-video";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, test } from "../site";
import { PlayerPage } from "./player-page";
import { TouchScreen } from "./touch-screen";

const CUE = "Good evening, and welcome to this quiet place by the sea, where nothing happens";

/** Publishes a video with a storyboard and with captions over its whole length. */
function publishCaptioned(site: SiteProcess, title: string, cue = CUE): string {
  const id = publishVideo(site, { title });
  const row = site.database().prepare("SELECT video_url FROM videos WHERE id = ?");
  const folder = String(row.pluck().get(id))
    .replace("/media/videos/", "")
    .replace(/\.mp4$/, "");
  const url = site.addFile(
    "videos",
    `${folder}/captions/en.vtt`,
    `WEBVTT\n\n00:00.000 --> 00:40.000\n${cue}\n`,
  );
  const sheet = clip("jpg", [
    ...["-i", mp4Clip(40), "-vf", "fps=1/10,scale=160:90,tile=4x1", "-frames:v", "1"],
  ]);
  site.addFile("thumbnails", `${folder}/storyboard-1.jpg`, fs.readFileSync(sheet));
  const board = site.addFile(
    "thumbnails",
    `${folder}/storyboard.vtt`,
    "WEBVTT\n\n00:00.000 --> 00:40.000\nstoryboard-1.jpg#xywh=0,0,160,90\n",
  );
  site
    .database()
    .prepare("UPDATE videos SET captions = ?, storyboard_url = ? WHERE id = ?")
    .run(JSON.stringify([{ url, language: "en", label: "English" }]), board, id);
  return id;
}

const cues = (page: Page) => page.locator(".player-captions p");

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error("The element is not on screen");
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

/** Returns whether nothing covers an element's center. For this check, captions are made clickable. */
async function isOnTop(locator: Locator): Promise<boolean> {
  return locator.evaluate((element: HTMLElement) => {
    const own = element.closest<HTMLElement>(".player-captions");
    if (own) own.style.pointerEvents = "auto";
    const box = element.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (own) own.style.pointerEvents = "";
    return top !== null && element.contains(top);
  });
}

async function expectWithinScreen(page: Page, locator: Locator) {
  const { width, height } = page.viewportSize()!;
  const box = await boxOf(locator);
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.right).toBeLessThanOrEqual(width + 0.5);
  expect(box.bottom).toBeLessThanOrEqual(height + 0.5);
}

test.describe("the page on a small phone in landscape", () => {
  const viewport = { width: 568, height: 320 };
  test.use({ hasTouch: true, isMobile: true, viewport });

  test("shows the whole player, its menu and the next card", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const id = publishCaptioned(site, "A quiet evening");
    publishVideo(site, { title: "A quiet morning by the sea, with a title that is long" });
    await player.open(id);
    await player.root.evaluate((root) => window.scrollBy(0, root.getBoundingClientRect().top));
    await expectWithinScreen(page, player.root);
    for (const name of ["Play", "Settings", "Fullscreen"]) {
      await expectWithinScreen(page, player.button(name));
    }
    await player.button("Settings").click();
    const menu = page.getByRole("menu", { name: "Settings" });
    await expectWithinScreen(page, menu);
    expect(await isOnTop(menu.getByRole("menuitem").first())).toBe(true);
    await expectNoViolations(page);
    await menu.getByRole("menuitem", { name: /^Speed/ }).click();
    await expectWithinScreen(page, menu);
    await expectWithinScreen(page, menu.getByRole("menuitemradio", { name: "Normal" }));
    await menu.getByRole("menuitemradio", { name: "Normal" }).click();
    await expect(menu).toBeHidden();

    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.seekTo(39.7);
    const card = page.getByRole("region", { name: "Next video" });
    await expectWithinScreen(page, card);
    const bar = await boxOf(player.root.locator(".player-bar"));
    for (const name of ["Play now", "Cancel"]) {
      const button = card.getByRole("button", { name });
      await expectWithinScreen(page, button);
      expect((await boxOf(button)).bottom).toBeLessThanOrEqual(bar.y);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
  });
});

test.describe("the page on a small phone", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 320, height: 640 } });

  test("keeps Retry and the next card off the seek bar, and Retry plays a file that is available again", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    const id = site.addVideo({ status: "published", video_url: "/media/videos/owner/9.mp4" });
    publishVideo(site, { title: "A quiet morning by the sea, with a title that is long" });
    await page.goto(`/video/${id}`);
    const retry = player.button("Retry");
    await expect(retry).toBeVisible();
    await expect(player.root.getByRole("alert")).toContainText("This video’s file is missing.");
    await expect(player.root.getByText("Buffering…")).toBeHidden();
    const seek = await boxOf(player.seek);
    expect((await boxOf(retry)).bottom).toBeLessThanOrEqual(seek.y);
    const message = await boxOf(player.root.getByRole("alert").locator("p"));
    expect(message.y).toBeGreaterThanOrEqual((await boxOf(player.root)).y);
    const back = page.getByRole("link", { name: "Back", exact: true });
    expect((await boxOf(back)).right).toBeLessThanOrEqual(message.x);
    await expectNoViolations(page);

    site.addFile("videos", "owner/9.mp4", fs.readFileSync(mp4Clip(40)));
    await retry.click();
    await player.expectPlaying();
    await expect(player.root.getByRole("alert")).toBeHidden();
    await player.seekTo(39.7);
    const card = page.getByRole("region", { name: "Next video" });
    const top = (await boxOf(player.root)).y;
    for (const name of ["Play now", "Cancel"]) {
      const box = await boxOf(card.getByRole("button", { name }));
      expect(box.bottom).toBeLessThanOrEqual((await boxOf(player.seek)).y);
      expect(box.height).toBeGreaterThanOrEqual(44);
    }
    const timer = await boxOf(card.getByRole("timer"));
    expect(timer.y).toBeGreaterThanOrEqual(top);
    const { right, width: backWidth } = await boxOf(back);
    expect(right).toBeLessThanOrEqual(timer.x);
    expect(backWidth).toBeGreaterThanOrEqual(44);
    await expectNoViolations(page);
  });
});

test.describe("the page on a small phone with doubled text size", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });

  test("fits all controls side by side within the player", async ({ page, site }) => {
    await page.addInitScript(doubleTextSize);
    const player = new PlayerPage(page);
    await player.open(publishCaptioned(site, "A quiet evening"));
    const playerBox = await boxOf(player.root);
    const time = await boxOf(player.root.locator(".player-time"));
    let end = 0;
    for (const name of ["Play", "Mute", "Settings", "Fullscreen"]) {
      const button = await boxOf(
        player.root.locator(".player-buttons").getByRole("button", { name }),
      );
      expect(button.x).toBeGreaterThanOrEqual(end);
      expect(button.height).toBeGreaterThanOrEqual(44);
      expect(button.bottom).toBeLessThanOrEqual(playerBox.bottom);
      end = button.right;
      if (name === "Mute") expect(time.x).toBeGreaterThanOrEqual(end);
      if (name === "Mute") end = time.right;
    }
    expect(end).toBeLessThanOrEqual(playerBox.right);
    const back = await boxOf(page.getByRole("link", { name: "Back", exact: true }));
    expect(back.bottom).toBeLessThanOrEqual((await boxOf(player.seek)).y);
    const title = player.root.locator(".player-title");
    const indent = await title.evaluate((each) =>
      Number.parseFloat(getComputedStyle(each).paddingLeft),
    );
    expect(back.right).toBeLessThanOrEqual((await boxOf(title)).x + indent);
    const begin = await boxOf(player.root.locator(".player-begin svg"));
    expect(begin.bottom).toBeLessThanOrEqual((await boxOf(player.seek)).bottom);
    expect(begin.x).toBeGreaterThanOrEqual(back.right);
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Back", exact: true })).toBeHidden();
  });
});

test("captions are shown above the controls and the storyboard preview, not over the next card, and stay on for the next video", async ({
  page,
  site,
}) => {
  const player = new PlayerPage(page);
  const id = publishCaptioned(site, "A quiet evening");
  publishCaptioned(site, "A quiet morning", "The second video");
  await player.open(id);
  await player.seekTo(5);
  await page.keyboard.press("c");
  await expect(cues(page)).toHaveText([CUE]);
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 360, height: 740 },
  ]) {
    await page.setViewportSize(viewport);
    const bar = await boxOf(player.root.locator(".player-bar"));
    await expect
      .poll(async () => (await boxOf(cues(page).last())).bottom)
      .toBeLessThanOrEqual(bar.y + 1);
    expect(await isOnTop(cues(page).last())).toBe(true);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  const seek = await boxOf(player.root.locator(".player-seek"));
  await page.mouse.move(seek.x + seek.width / 2, seek.y + 12);
  const preview = player.root.locator(".player-storyboard");
  await expect(preview).toBeVisible();
  await expect
    .poll(async () => (await boxOf(cues(page).last())).bottom - (await boxOf(preview)).y)
    .toBeLessThanOrEqual(1);
  expect((await boxOf(cues(page).first())).y).toBeGreaterThan((await boxOf(player.root)).y);

  await page.setViewportSize({ width: 360, height: 740 });
  await player.seek.hover();
  await expect(preview).toBeVisible();
  // There is no room for both the captions and the preview.
  await expect(cues(page)).toBeHidden();

  await page.keyboard.press("k");
  await player.expectPlaying();
  await player.seekTo(39.7);
  const card = page.getByRole("region", { name: "Next video" });
  await expect(card).toBeVisible();
  await expect(cues(page)).toBeHidden();

  // The page shows the next title before the element has unloaded the first video.
  await player.record("loadedmetadata");
  await card.getByRole("button", { name: "Play now" }).click();
  await expect(page.getByRole("heading", { name: "A quiet morning" })).toBeVisible();
  await expect.poll(() => player.events()).toEqual(["loadedmetadata"]);
  await player.ready();
  await expect(cues(page)).toHaveText(["The second video"]);
  await page.keyboard.press("c");
  await expect(cues(page)).toHaveCount(0);
});

test.describe("with reduced motion", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 412, height: 800 } });

  test("nothing in the player is animated", async ({ page, site }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const player = new PlayerPage(page);
    const touch = await TouchScreen.of(page);
    await page.clock.install();
    await player.open(publishCaptioned(site, "A quiet evening"));
    await page.evaluate(() => {
      const moved: string[] = [];
      Object.assign(window, { moved });
      for (const kind of ["animationstart", "transitionrun"]) {
        document.addEventListener(kind, ({ target }) => {
          const element = target as Element;
          if (element.closest(".player")) moved.push(`${kind} ${element.className}`);
        });
      }
    });
    await touch.tap(await player.at(0.5, 0.4));
    await player.expectPlaying();
    await player.stopClock();
    const right = await player.at(0.85, 0.4);
    await touch.tap(right);
    await touch.tap(right);
    await expect(player.root.locator(".player-ripple")).toContainText("10 s");
    await expect(player.root.locator(".player-ripple-wave")).toBeHidden();
    await touch.swipe(await player.at(0.8, 0.6), await player.at(0.8, 0.2));
    await expect(player.root.locator(".player-level")).toBeVisible();
    await page.clock.resume();
    await player.button("Settings").click();
    await page.getByRole("menuitemcheckbox", { name: "Loop" }).click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("c");
    await page.keyboard.press("k");
    // To the player, this looks like a stall.
    await player.video.evaluate((video: HTMLVideoElement) => {
      Object.defineProperty(video, "readyState", { value: 1 });
      Object.defineProperty(video, "seeking", { value: true });
      video.dispatchEvent(new Event("waiting"));
    });
    await expect(player.root.getByText("Buffering…")).toBeVisible();
    expect(await page.evaluate(() => (window as unknown as { moved: string[] }).moved)).toEqual([]);
    const moving = await page.evaluate(
      () =>
        document.getAnimations().filter((animation) => {
          const { target } = animation.effect as KeyframeEffect;
          return target?.closest(".player");
        }).length,
    );
    expect(moving).toBe(0);
  });
});

test("in forced colors, the played part, the thumb, icons and the selected menu item are distinguishable", async ({
  page,
  site,
}) => {
  await page.emulateMedia({ forcedColors: "active" });
  const player = new PlayerPage(page);
  await player.open(publishVideo(site));
  await player.seekTo(20);
  const color = (locator: Locator, property: "backgroundColor" | "color" | "stroke") =>
    locator.evaluate((element, property) => getComputedStyle(element)[property], property);
  const system = (name: string) =>
    page.evaluate((name) => {
      const probe = document.body.appendChild(document.createElement("div"));
      probe.style.cssText = `forced-color-adjust: none; background: ${name}`;
      const { backgroundColor } = getComputedStyle(probe);
      probe.remove();
      return backgroundColor;
    }, name);
  const [canvas, highlight] = [await system("Canvas"), await system("Highlight")];
  const accent = await system("var(--color-accent)");
  expect(await color(player.root.locator(".player-seek-played"), "backgroundColor")).toBe(accent);
  expect(await color(player.root.locator(".player-seek-thumb"), "backgroundColor")).toBe(accent);
  const track = player.root.locator(".player-seek-track");
  expect(await color(track, "backgroundColor")).not.toBe(accent);
  expect(await color(track, "backgroundColor")).not.toBe(canvas);
  const shade = player.root.locator(".player-bar");
  expect(
    await shade.evaluate((bar) => getComputedStyle(bar, "::before").backgroundImage),
  ).toContain("linear-gradient");
  const icon = player.button("Settings").locator("svg");
  expect(await color(icon, "stroke")).toBe(await system("var(--color-ink)"));

  await player.button("Settings").click();
  await page.getByRole("menuitem", { name: /^Speed/ }).click();
  const chosen = page.getByRole("menuitemradio", { name: "Normal" });
  const other = page.getByRole("menuitemradio", { name: "1.5×" });
  expect(await color(chosen, "backgroundColor")).toBe(highlight);
  expect(await color(other, "backgroundColor")).not.toBe(highlight);
});
