import { expect, test } from "../site";
import { publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";
import { TouchScreen } from "./touch-screen";

test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

/** Emulates Safari on an iPhone: native HLS, fullscreen for the video element only, and no volume control. */
test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, "MediaSource");
    for (const name of ["requestFullscreen", "webkitRequestFullscreen"])
      Object.defineProperty(Element.prototype, name, { value: undefined });
    Object.defineProperty(HTMLMediaElement.prototype, "volume", { get: () => 1, set: () => {} });
    const canPlayType = HTMLMediaElement.prototype.canPlayType;
    HTMLMediaElement.prototype.canPlayType = function (type) {
      return type === "application/vnd.apple.mpegurl" ? "maybe" : canPlayType.call(this, type);
    };
    Object.assign(HTMLVideoElement.prototype, {
      webkitEnterFullscreen(this: HTMLVideoElement) {
        this.dispatchEvent(new Event("webkitbeginfullscreen"));
      },
      webkitExitFullscreen(this: HTMLVideoElement) {
        this.dispatchEvent(new Event("webkitendfullscreen"));
      },
    });
  });
});

test("on an iPhone, the player plays the playlist or falls back to the file, has no volume control, and can mute and enter fullscreen", async ({
  page,
  site,
}) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  const player = new PlayerPage(page);
  const touch = await TouchScreen.of(page);
  await player.open(publishAdaptive(site, () => Buffer.from("no playlist")));
  await expect.poll(() => requests.some((path) => path.endsWith("master.m3u8"))).toBe(true);
  await touch.tap(await player.at(0.5, 0.5));
  await player.expectPlaying();
  expect(requests.filter((path) => /hls[.-].*\.m?js$/.test(path))).toEqual([]);
  const file = await player.video.evaluate(({ currentSrc }: HTMLVideoElement) => currentSrc);
  expect(new URL(file).pathname).toMatch(/\.mp4$/);
  await expect(player.button("Retry")).toHaveCount(0);

  await expect(player.root.getByRole("slider", { name: "Volume" })).toHaveCount(0);
  await page.keyboard.press("m");
  await player.expectState({ muted: true });
  await page.keyboard.press("ArrowUp");
  await player.expectState({ muted: false, volume: 1 });

  await page.keyboard.press("f");
  await expect(player.root.getByRole("button", { name: "Exit fullscreen" })).toBeAttached();
  await page.keyboard.press("f");
  await expect(player.root.getByRole("button", { name: "Fullscreen", exact: true })).toBeAttached();
  await player.expectPlaying();

  // A swipe on the left half sets the brightness, and a swipe on the right half scrolls the page.
  const level = (name: string) => player.root.locator(`.player-level[data-level="${name}"]`);
  const left = await player.at(0.2, 0.6);
  await touch.swipe(left, { x: left.x, y: left.y - 120 });
  await expect(level("brightness")).toBeVisible();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  const right = await player.at(0.8, 0.6);
  await touch.swipe(right, { x: right.x, y: right.y - 120 });
  await expect(level("volume")).toBeHidden();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(50);
});
