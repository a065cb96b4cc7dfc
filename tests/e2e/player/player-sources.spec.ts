import { expect, test } from "../site";
import { plays, publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

test.describe("adaptive", () => {
  test("begins at the time in a link, and goes on in every quality and in the original", async ({
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

  test("gives way to the file, at the same position, when segments are missing", async ({
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
    // hls.js shortens the stream to what it found whole, so eight tenths are not always of all.
    // While hls.js attaches the element anew, its length is unknown and there is nowhere to seek to.
    let asked = 0;
    await expect(async () => {
      await page.keyboard.press("8");
      asked = (await player.state()).time;
      expect(asked).toBeGreaterThan(5);
    }).toPass();
    // hls.js asks several times, with growing waits in between.
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
    expect((await player.state()).time).toBeGreaterThan(asked - 0.5);
  });
});
