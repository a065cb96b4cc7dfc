import { publishVideo } from "../../publish-video";
import { holdRequests } from "../hold-requests";
import { expect, expectNoViolations, test } from "../site";
import { PlayerPage } from "./player-page";

test.describe("the server's player", () => {
  test("is the browser's own, with poster and source", async ({ request, site }) => {
    const id = publishVideo(site);
    const html = await (await request.get(`/video/${id}`)).text();
    const tag = /<video[^>]*>/.exec(html)?.[0] ?? "";
    expect(tag).toMatch(/\scontrols/);
    expect(tag).toMatch(/src="\/media\/videos\/owner\/\d+\.mp4\?v=[\da-z-]+"/);
    expect(tag).toMatch(/poster="\/media\/thumbnails\/owner\/\d+\.jpg\?w=720"/);
    expect(html).not.toContain('aria-label="Seek"');
  });

  test("is taken over while it plays, without a restart", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const id = publishVideo(site);
    const release = await holdRequests(page, /\.js(\?|$)/);
    await page.goto(`/video/${id}`, { waitUntil: "commit" });
    await expect(player.video).toHaveAttribute("controls");
    // What the visitor does with the browser's controls; muted, because there is no gesture here.
    await player.video.evaluate(async (video: HTMLVideoElement) => {
      Object.assign(video, { theSame: true, muted: true });
      await video.play();
    });
    await player.expectPlaying();
    const { time } = await player.state();
    await player.record("emptied", "loadstart", "pause", "seeking", "ratechange", "abort");
    release();
    await player.ready();
    await expect(player.video).not.toHaveAttribute("controls");
    await player.expectPlaying();
    expect(await player.events()).toEqual([]);
    expect((await player.state()).time).toBeGreaterThan(time);
    expect(await player.video.evaluate((video) => "theSame" in video)).toBe(true);
    await expect(player.button("Pause")).toBeVisible();
  });

  test("of a video without a file is its picture and two sentences", async ({ page, site }) => {
    await page.goto(`/video/${site.addVideo({ status: "published", video_url: "" })}`);
    await expect(page.getByText("Video not available")).toBeVisible();
    await expect(page.getByText("Please try again later.")).toBeVisible();
    await expect(page.locator("video")).toHaveCount(0);
  });
});

test.describe("another video", () => {
  test("resets everything but the volume, and the last one's download stops", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    const first = publishVideo(site, { title: "A quiet evening" });
    publishVideo(site, { title: "A quiet morning" });
    await player.open(first);
    await page.keyboard.press("k");
    await player.expectPlaying();
    await page.keyboard.press(">");
    await page.keyboard.press("ArrowRight");
    await player.root.getByRole("slider", { name: "Volume" }).fill("0.4");
    await page.getByRole("link", { name: /A quiet morning/ }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(first));
    await expect(page.getByRole("heading", { name: "A quiet morning" })).toBeVisible();
    await player.ready();
    await player.expectState({ time: 0, speed: 1, paused: true, volume: 0.4, filter: "" });
    await expect(player.root.locator(".player-title")).toHaveText("A quiet morning");
    await page.getByRole("link", { name: "Home", exact: true }).first().click();
    await expect(page.locator("video")).toHaveCount(0);
  });

  test("that is slow to come, after a skeleton, starts at normal speed too", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    const first = publishVideo(site, { title: "A quiet evening" });
    publishVideo(site, { title: "A quiet morning" });
    await player.open(first);
    await page.keyboard.press(">");
    await player.expectState({ speed: 1.25 });
    await page.reload();
    await player.ready();
    await player.expectState({ speed: 1.25 });
    const release = await holdRequests(page, /\/video\/.*\.data/);
    await page.getByRole("link", { name: /A quiet morning/ }).click();
    await expect(page.getByText("Loading video...")).toBeAttached();
    release();
    await expect(page.getByRole("heading", { name: "A quiet morning" })).toBeVisible();
    await player.ready();
    await player.expectState({ speed: 1 });
  });

  test("comes by itself 8 s after the end, and plays on in the same player", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    const first = publishVideo(site, { title: "A quiet evening" });
    publishVideo(site, { title: "A quiet morning" });
    await player.open(first);
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.seekTo(39.5);
    const card = page.getByRole("region", { name: "Next video" });
    await expect(card).toContainText("A quiet morning");
    await player.stopClock();
    await page.clock.runFor(6_000);
    await expect(card).toBeVisible();
    await expect(page).toHaveURL(new RegExp(first));
    await page.clock.runFor(3_000);
    await expect(page.getByRole("heading", { name: "A quiet morning" })).toBeVisible();
    await player.expectPlaying();
    await expect(card).toBeHidden();
  });

  test("does not come when it is cancelled", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    const first = publishVideo(site, { title: "A quiet evening" });
    publishVideo(site, { title: "A quiet morning" });
    await player.open(first);
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.seekTo(39.5);
    const card = page.getByRole("region", { name: "Next video" });
    await expect(card).toBeVisible();
    await card.getByRole("button", { name: "Cancel" }).click();
    await expect(card).toBeHidden();
    await page.clock.runFor(20_000);
    await expect(page).toHaveURL(new RegExp(first));
    await expect(player.button("Play again")).toBeVisible();
  });

  test("does not come while the video loops", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const first = publishVideo(site, { title: "A quiet evening" });
    publishVideo(site, { title: "A quiet morning" });
    await player.open(first);
    await player.button("Settings").click();
    await page.getByRole("menuitemcheckbox", { name: "Loop" }).click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.seekTo(39.5);
    await expect.poll(async () => (await player.state()).time).toBeLessThan(10);
    await player.expectPlaying();
  });
});

test.describe("the position", () => {
  test("a link names a time, and can be copied with one", async ({ page, site, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const player = new PlayerPage(page);
    const id = publishVideo(site);
    await page.clock.install();
    await player.open(id, "?from=home&t=12");
    await player.expectState({ time: 12, paused: true });
    await player.seekTo(23.4);
    await player.stopClock();
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: "Copy link at 0:23" }).click();
    await expect(player.root.getByText("Link copied")).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`${site.url}/video/${id}?t=23`);
  });

  test("where the video was left is offered, not forced", async ({ page, site }) => {
    const player = new PlayerPage(page);
    const id = publishVideo(site);
    await player.open(id);
    await player.seekTo(20);
    await page.keyboard.press("k");
    await player.expectPlaying();
    await page.keyboard.press("k");
    await player.expectState({ paused: true });
    await page.reload();
    await player.ready();
    await player.expectState({ time: 0, paused: true });
    await page.getByRole("button", { name: /^Resume at 0:2/ }).click();
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThanOrEqual(20);
    await expect(page.getByRole("button", { name: /^Resume/ })).toBeHidden();
    await page.reload();
    await player.ready();
    await page.getByRole("button", { name: "Dismiss resume" }).click();
    await expect(page.getByRole("button", { name: /^Resume/ })).toBeHidden();
  });

  test("volume, mute and speed are remembered in this browser", async ({ page, site }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.root.getByRole("slider", { name: "Volume" }).fill("0.35");
    await page.keyboard.press(">");
    const kept = (name: string) =>
      page.evaluate((key) => localStorage.getItem(key), `player:${name}`);
    await expect.poll(() => kept("speed")).toBe("1.25");
    await page.reload();
    await player.ready();
    await player.expectState({ volume: 0.35, muted: false, speed: 1.25 });
    await page.keyboard.press("m");
    await expect.poll(() => kept("sound")).toContain('"muted":true');
    await page.reload();
    await player.ready();
    await player.expectState({ muted: true });
  });
});

test.describe("the device", () => {
  test("fullscreen locks to landscape, with a toggle to portrait and back", async ({
    page,
    site,
  }) => {
    await page.addInitScript(() => {
      const asked: string[] = [];
      Object.assign(window, { asked });
      Object.assign(ScreenOrientation.prototype, {
        lock: async (to: string) => void asked.push(to),
        unlock: () => void asked.push("unlocked"),
      });
    });
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.button("Fullscreen").click();
    await player.button("Switch to portrait").click();
    await player.button("Switch to landscape").click();
    await expect(player.button("Switch to portrait")).toBeVisible();
    await player.button("Exit fullscreen").click();
    await expect(player.button("Switch to portrait")).toBeHidden();
    const asked = () => page.evaluate(() => (window as unknown as { asked: string[] }).asked);
    await expect.poll(asked).toEqual(["landscape", "portrait", "landscape", "unlocked"]);
  });

  test("where only the element can go fullscreen, it does", async ({ page, site }) => {
    await page.addInitScript(() => {
      Object.assign(window, { entered: 0 });
      for (const name of ["requestFullscreen", "webkitRequestFullscreen"]) {
        Object.defineProperty(Element.prototype, name, { value: undefined });
      }
      Object.assign(HTMLVideoElement.prototype, {
        webkitEnterFullscreen(this: HTMLVideoElement) {
          Object.assign(window, { entered: this.tagName });
          this.dispatchEvent(new Event("webkitbeginfullscreen"));
        },
      });
    });
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    await player.button("Fullscreen").click();
    await expect(player.button("Exit fullscreen")).toBeVisible();
    expect(await page.evaluate(() => (window as unknown as { entered: string }).entered)).toBe(
      "VIDEO",
    );
  });

  test("the lock screen has title, poster and buttons", async ({ page, site }) => {
    await page.addInitScript(() => {
      const handlers: Record<string, MediaSessionActionHandler | null> = {};
      Object.assign(window, { handlers });
      const original = MediaSession.prototype.setActionHandler;
      MediaSession.prototype.setActionHandler = function (action, handler) {
        handlers[action] = handler;
        original.call(this, action, handler);
      };
    });
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    const metadata = await page.evaluate(() => ({
      title: navigator.mediaSession.metadata?.title,
      artwork: navigator.mediaSession.metadata?.artwork[0]?.src,
    }));
    expect(metadata.title).toBe("A quiet evening");
    expect(metadata.artwork).toMatch(/\/media\/thumbnails\/owner\/\d+\.jpg$/);
    const press = (action: string, details = {}) =>
      page.evaluate(
        ([action, details]) =>
          (window as unknown as { handlers: Record<string, (details: object) => void> }).handlers[
            action as string
          ]!({ action, ...(details as object) }),
        [action, details] as const,
      );
    await press("seekto", { seekTime: 7 });
    await player.expectState({ time: 7 });
    await press("seekforward");
    await player.expectState({ time: 17 });
    await press("seekbackward");
    await player.expectState({ time: 7 });
  });

  test("a video that starts in another tab pauses this one", async ({ page, site, context }) => {
    const first = new PlayerPage(page);
    const id = publishVideo(site);
    await first.open(id);
    await page.keyboard.press("k");
    await first.expectPlaying();
    const second = new PlayerPage(await context.newPage());
    await second.open(id);
    await second.page.keyboard.press("k");
    await second.expectPlaying();
    await first.expectState({ paused: true });
    await second.expectState({ paused: false });
  });

  test("theatre mode gives the player the page's width, and takes it back", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishVideo(site));
    const width = async () => (await player.root.boundingBox())!.width;
    const before = await width();
    await player.button("Theatre mode").click();
    await expect.poll(width).toBeGreaterThan(before + 200);
    await player.button("Theatre mode").click();
    await expect.poll(width).toBe(before);

    // On a phone that is turned it takes nothing of the height.
    await page.setViewportSize({ width: 740, height: 360 });
    const height = () => player.root.evaluate((root) => root.getBoundingClientRect().height);
    const usual = await height();
    await player.root.press("t");
    await expect(player.root).toHaveAttribute("data-theatre");
    expect(await height()).toBeGreaterThanOrEqual(usual);
  });
});

test.describe("for everybody", () => {
  for (const [name, width] of [
    ["a phone", 320],
    ["a tablet", 820],
    ["a desktop", 1440],
  ] as const) {
    test(`on ${name} axe finds nothing, and nothing is wider than the page`, async ({
      page,
      site,
    }) => {
      await page.setViewportSize({ width, height: 800 });
      const player = new PlayerPage(page);
      await player.open(publishVideo(site));
      await expectNoViolations(page);
      await player.button("Settings").click();
      await expectNoViolations(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const larger = width >= 820;
      await expect(player.button("Back 10 seconds")).toBeVisible({ visible: larger });
      await expect(player.root.getByRole("slider", { name: "Volume" })).toBeVisible({
        visible: larger,
      });
      for (const button of await player.root.locator(".player-buttons button:visible").all()) {
        const box = (await button.boundingBox())!;
        expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
      }
    });
  }
});
