import { expect } from "vitest";
import type { SiteProcess } from "../site-process";
import type { Browser } from "./browser";
import { isHydrated } from "./hydrated";

/** Returns helpers that open a site's pages in a browser and read their content. */
export function pageOf(site: SiteProcess, browser: () => Browser) {
  /** Opens a page and waits until it has hydrated, which happens after the load event. */
  const open = async (path: string) => {
    await browser().open(site.url + path);
    await expect.poll(() => browser().run(isHydrated)).toBe(true);
  };
  const isSeekable = () =>
    browser().run(() => Boolean(document.querySelector('input[aria-label="Seek"]:enabled')));
  /** Returns the state of the first `video` element on the page. */
  const video = () =>
    browser().run(() => {
      const { currentTime, paused, error, currentSrc, seeking } = document.querySelector("video")!;
      return {
        currentTime,
        paused,
        error: error?.code ?? null,
        source: currentSrc.slice(0, 5),
        seeking,
      };
    });
  const time = async () => (await video()).currentTime;

  return {
    open,
    text: () => browser().run(() => document.body.textContent),
    address: () => browser().run(() => location.pathname + location.search),
    count: (selector: string) =>
      browser().run((wanted) => document.querySelectorAll(wanted).length, selector),
    /** Returns the text of each element that matches a selector. */
    texts: (selector: string) =>
      browser().run(
        (wanted) => [...document.querySelectorAll(wanted)].map(({ textContent }) => textContent),
        selector,
      ),
    video,
    time,

    /** Waits until the video is playing. */
    async playing(): Promise<void> {
      await expect.poll(async () => (await video()).paused).toBe(false);
      const start = await time();
      await expect.poll(time).toBeGreaterThan(start);
    },

    async openPlayer(id: string): Promise<void> {
      await open(`/video/${id}`);
      await expect.poll(isSeekable).toBe(true);
      await browser().run(() => {
        document.querySelector("video")!.muted = true;
      });
    },
  };
}
