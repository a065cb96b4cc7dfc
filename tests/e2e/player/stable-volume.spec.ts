import type { Page } from "playwright/test";
import { publishVideo } from "../../publish-video";
import { expect, expectNoViolations, test } from "../site";
import { plays, publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

/** The mean level of the clip's tone, whose amplitude is one eighth. */
const CLIP_LEVEL = 1 / 8 / Math.SQRT2;
/** A video at -8 LUFS is lowered by 8 dB. */
const LOWERED = 10 ** (-8 / 20);
/** A video at -22 LUFS is raised by only 3 dB because of its peak. */
const QUIET = { loudness: -22, true_peak: -4 };
const RAISED = 10 ** (3 / 20);

/** Taps the audio that reaches the speakers through a gain node. */
async function listen(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const connect = AudioNode.prototype.connect as (this: AudioNode, to: AudioNode) => AudioNode;
    const heard = { gains: [] as GainNode[], analysers: [] as AnalyserNode[], contexts: 0 };
    Object.assign(window, { heard });
    AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode) {
      if (this instanceof GainNode && to instanceof AudioDestinationNode) {
        const analyser = new AnalyserNode(this.context, { fftSize: 8192 });
        connect.call(this, analyser);
        heard.gains.push(this);
        heard.analysers.push(analyser);
      }
      return connect.call(this, to);
    } as typeof AudioNode.prototype.connect;
    window.AudioContext = class extends AudioContext {
      constructor(options?: AudioContextOptions) {
        super(options);
        heard.contexts++;
      }
    };
  });
}

interface Heard {
  gains: GainNode[];
  analysers: AnalyserNode[];
  contexts: number;
}

/** Returns each element's gain, rounded to two decimals. */
const gains = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { heard: Heard }).heard.gains.map(
      ({ gain }) => Math.round(gain.value * 100) / 100,
    ),
  );

const rounded = (...values: number[]) => values.map((value) => Math.round(value * 100) / 100);

/** Returns the mean output level over the last fifth of a second. */
const level = (page: Page) =>
  page.evaluate(() => {
    const [analyser] = (window as unknown as { heard: Heard }).heard.analysers;
    if (!analyser) return 0;
    const samples = new Float32Array(analyser.fftSize);
    analyser.getFloatTimeDomainData(samples);
    return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
  });

const contexts = (page: Page) =>
  page.evaluate(() => (window as unknown as { heard: Heard }).heard.contexts);

test("audibly lowers the volume of a loud stream and raises that of a quiet video", async ({
  page,
  site,
}) => {
  await listen(page);
  const player = new PlayerPage(page);
  const stream = publishAdaptive(site);
  publishVideo(site, { title: "Next", ...QUIET });
  site
    .database()
    .prepare("UPDATE videos SET loudness = -8, true_peak = 0 WHERE id = ?")
    .run(stream);
  await player.open(stream);
  await expect.poll(() => plays(player)).toBe("blob:");
  expect(await contexts(page)).toBe(0);
  await page.keyboard.press("k");
  await player.expectPlaying();
  await expect.poll(() => gains(page)).toEqual(rounded(LOWERED));
  await expect.poll(() => level(page)).toBeCloseTo(CLIP_LEVEL * LOWERED, 2);
  // The visitor's volume is unchanged.
  await player.expectState({ volume: 1, muted: false });
  await page.keyboard.press("m");
  await expect.poll(() => level(page)).toBe(0);
  await page.keyboard.press("m");
  await player.video.evaluate((video: HTMLVideoElement) => {
    video.volume = 1;
  });

  await player.button("Settings").click();
  const item = page.getByRole("menuitemcheckbox", { name: "Stable volume" });
  await expect(item).toBeChecked();
  await expectNoViolations(page);
  await item.click();
  await expect(item).not.toBeChecked();
  await expect.poll(() => gains(page)).toEqual([1]);
  await expect.poll(() => level(page)).toBeCloseTo(CLIP_LEVEL, 2);
  await item.click();
  await expect.poll(() => gains(page)).toEqual(rounded(LOWERED));
  await page.keyboard.press("Escape");

  await page.getByRole("complementary").getByRole("link", { name: "Next" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Next");
  await page.keyboard.press("k");
  await player.expectPlaying();
  await expect.poll(async () => (await gains(page)).at(-1)).toBe(rounded(RAISED)[0]);
});
