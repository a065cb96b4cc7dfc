import { expect, test } from "../site";
import { plays, publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

test.describe("the adaptive source", () => {
  test("starts at the time given in a link, and continues when the viewer selects another quality or the original", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await player.open(publishAdaptive(site), "?t=12");
    await expect.poll(() => plays(player)).toBe("blob:");
    await player.expectState({ time: 12, paused: true });
    await page.keyboard.press("k");
    await player.expectPlaying();
    await player.playSlowly();
    const choose = async (quality: string) => {
      await player.button("Settings").click();
      await page.getByRole("menuitem", { name: /^Quality/ }).click();
      await page.getByRole("menuitemradio", { name: quality }).click();
    };
    await player.button("Settings").click();
    await page.getByRole("menuitem", { name: /^Quality/ }).click();
    await expect(page.getByRole("menuitemradio")).toHaveText([/^Auto/, "180p", "90p", "Original"]);
    await expect(page.getByRole("menuitemradio", { name: /^Auto/ })).toBeChecked();
    await page.getByRole("menuitemradio", { name: "90p", exact: true }).click();
    const height = () => player.video.evaluate((video: HTMLVideoElement) => video.videoHeight);
    await expect.poll(height).toBe(90);
    await player.seekTo(20);
    await choose("Original");
    await expect.poll(() => plays(player)).toBe("http:");
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(19);
    await expect.poll(height).toBe(180);
    await choose("Auto");
    await expect.poll(() => plays(player)).toBe("blob:");
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(19);
  });

  test("falls back to the file at the same position if segments are missing", async ({
    page,
    site,
  }) => {
    const player = new PlayerPage(page);
    await page.clock.install();
    await player.open(
      publishAdaptive(site, (name, bytes) =>
        name.endsWith(".m4s") ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes,
      ),
    );
    await expect.poll(() => plays(player)).toBe("blob:");
    await page.keyboard.press("k");
    await player.expectPlaying();
    // hls.js shortens the stream to its complete segments, so the 8 key doesn't always seek to 80% of the whole video.
    // While hls.js is reattaching the element, its duration is unknown and it can't seek.
    let target = 0;
    await expect(async () => {
      await page.keyboard.press("8");
      target = (await player.state()).time;
      expect(target).toBeGreaterThan(5);
    }).toPass();
    // hls.js retries several times with increasing delays.
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(2_000);
          return plays(player);
        },
        { intervals: [200] },
      )
      .toBe("http:");
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(target - 0.5);
  });
});
