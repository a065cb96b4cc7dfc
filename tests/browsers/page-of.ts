import { expect } from "vitest";
import type { SiteProcess } from "../site-process";
import type { Browser } from "./browser";
import { isHydrated } from "./hydrated";

/** The page that a browser shows of a site, by what a person sees and an element says. */
export function pageOf(site: SiteProcess, browser: () => Browser) {
  /** A page is loaded before its scripts are asked for, and a person does nothing in between. */
  const open = async (path: string) => {
    await browser().open(site.url + path);
    await expect.poll(() => browser().run(isHydrated)).toBe(true);
  };
  const isSeekable = () =>
    browser().run(() => Boolean(document.querySelector('input[aria-label="Seek"]:enabled')));
  /** What the first `video` of the page is doing. */
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
    /** The texts of the elements that a selector finds. */
    texts: (selector: string) =>
      browser().run(
        (wanted) => [...document.querySelectorAll(wanted)].map(({ textContent }) => textContent),
        selector,
      ),
    video,
    time,

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
