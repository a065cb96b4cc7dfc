import type { Page } from "playwright/test";
import { clip } from "../../clips";
import { expect, test } from "../site";
import { plays, publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

/** Returns a clip of noise. Noise can't be compressed, so the clip has exactly the given bitrate. */
function noise(seconds: number, megabits: number): string {
  const rate = `${megabits}M`;
  return clip("mp4", [
    ...["-f", "lavfi", "-i"],
    `testsrc2=size=640x360:rate=25:duration=${seconds},noise=alls=60:allf=t`,
    ...`-c:v libx264 -preset ultrafast -b:v ${rate} -minrate ${rate} -maxrate ${rate} -bufsize ${rate}`.split(
      " ",
    ),
    ..."-g 25 -pix_fmt yuv420p -movflags +faststart".split(" "),
  ]);
}

const SLOW_LINE_BITS = 1_600_000;

/** Throttles the page's connection to 1.6 Mbit/s. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 50,
    downloadThroughput: SLOW_LINE_BITS / 8,
    uploadThroughput: SLOW_LINE_BITS / 8,
  });
}

test.describe("on a slow connection, a file that plays before the adaptive source is ready", () => {
  /** Opens the video and starts playback. hls.js is loaded only once the file is playing. */
  async function playFile(page: Page, id: string): Promise<PlayerPage> {
    const player = new PlayerPage(page);
    await page.route(/\/hls-[^/]*\.mjs$/, async (route) => {
      await player.expectPlaying();
      await route.continue();
    });
    await page.goto(`/video/${id}`);
    // The duration is still unknown, because the file of a video with a stream isn't requested before playback.
    await expect(player.button("Play")).toBeVisible();
    const fetched = page.waitForResponse(/\/hls-[^/]*\.mjs$/);
    await page.keyboard.press("k");
    await player.expectPlaying();
    expect(await plays(player)).toBe("http:");
    await fetched;
    return player;
  }

  test("is replaced by the stream at the same position when it first stalls", async ({
    page,
    site,
  }) => {
    test.setTimeout(150_000);
    const id = publishAdaptive(site, undefined, { file: noise(40, 3) });
    await slowDown(page);
    const player = await playFile(page, id);
    let before = 0;
    await expect
      .poll(
        async () => {
          const source = await plays(player);
          if (source === "http:") before = (await player.state()).time;
          return source;
        },
        { timeout: 90_000, intervals: [100] },
      )
      .toBe("blob:");
    // In the meantime, the controls still show that the video is playing, so the viewer doesn't need to press play.
    await expect(player.button("Pause")).toBeVisible();
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThanOrEqual(before - 0.5);
    const height = await player.video.evaluate((video: HTMLVideoElement) => video.videoHeight);
    expect([90, 180]).toContain(height);
    await expect(player.root.getByRole("alert")).toBeHidden();
  });

  test("keeps playing until the viewer seeks, and is then replaced by the stream", async ({
    page,
    site,
  }) => {
    const player = await playFile(page, publishAdaptive(site));
    await player.playSlowly();
    await player.record("emptied", "pause");
    await player.expectPlaying();
    expect(await player.events()).toEqual([]);
    expect(await plays(player)).toBe("http:");
    await page.keyboard.press("5");
    await expect.poll(() => plays(player)).toBe("blob:");
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(19);
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: /^Quality/ }).click();
    await expect(page.getByRole("menuitemradio", { name: /^Auto/ })).toBeChecked();
  });
});
