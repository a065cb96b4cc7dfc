import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { publishVideo } from "../publish-video";
import { SiteProcess } from "../site-process";
import type { Browser } from "./browser";
import { INSTALLED } from "./installed";
import { pageOf } from "./page-of";

const site = new SiteProcess();
beforeAll(() => site.start());
afterAll(() => site.remove());

const CARDS = "main article";
const OPTIONS = '[role="option"]';

describe.each(INSTALLED)("in %s", (_, launch) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  const page = pageOf(site, () => browser);

  /** Clears the videos and the browser's storage. */
  beforeEach(async () => {
    site.database().exec("DELETE FROM videos");
    await page.open("/privacy");
    await browser.run(() => localStorage.clear());
  });

  it("shows suggestions while the visitor is typing, and lets the visitor select a suggestion with the keyboard", async () => {
    site.addVideo({ title: "Neon rain", tags: '["neon lights"]' });
    site.addVideo({ title: "Neon city" });
    await page.open("/trending");
    await browser.type('header [role="combobox"]', "neon");
    await expect.poll(() => page.count(OPTIONS)).toBe(3);
    await browser.press("ArrowDown");
    await expect.poll(() => page.count(`${OPTIONS}[aria-selected="true"]`)).toBe(1);
    await browser.press("Enter");
    await expect.poll(page.address).toBe("/tags/neon%20lights");
    await expect.poll(() => page.count(CARDS)).toBe(1);
  });

  it("saves a video from its card, updates the count in the header and lists the video on the Saved page", async () => {
    site.addVideo({ title: "Neon rain" });
    await page.open("/");
    const save = `${CARDS} button[aria-pressed]`;
    await expect.poll(() => page.count(save)).toBe(1);
    await browser.hover(`${CARDS} a`);
    await browser.click(save);
    await expect.poll(() => page.count(`${CARDS} button[aria-pressed="true"]`)).toBe(1);
    expect((await page.texts('header a[href="/saved"]')).join()).toMatch(/1/);
    await page.open("/saved");
    await expect.poll(() => page.texts(CARDS)).toEqual([expect.stringContaining("Neon rain")]);
  });

  it("seeks to a chapter on the same page, and shows unfinished videos on the home page until they are dismissed", async () => {
    const id = publishVideo(site, { description: "0:00 Start\n0:20 The sea\n0:30 Night" });
    await page.openPlayer(id);
    await browser.press("k");
    await page.playing();
    await browser.click('nav[aria-labelledby="chapters-heading"] li:nth-child(2) a');
    await expect.poll(page.time).toBeGreaterThanOrEqual(20);
    await page.playing();
    await browser.press("k");
    await expect.poll(async () => (await page.video()).paused).toBe(true);

    await page.open("/");
    const unfinished = 'section[aria-labelledby="continue-heading"]';
    await expect.poll(() => page.texts(unfinished)).toEqual([expect.stringContaining("0:20 left")]);
    await browser.click(`${unfinished} button`);
    await expect.poll(() => page.count(unfinished)).toBe(0);
    expect(
      await browser.run(() => JSON.parse(localStorage.getItem("visitor") ?? "{}").resume),
    ).toBeUndefined();
  });

  it("sorts and filters a list by length", async () => {
    for (const minutes of [3, 30, 10]) {
      site.addVideo({ title: `Of ${minutes} minutes`, duration: `${minutes}:00` });
    }
    await page.open("/?sort=longest");
    const minutes = async () =>
      (await page.texts(CARDS)).map((text) => Number(/Of (\d+)/.exec(text ?? "")?.[1]));
    expect(await minutes()).toEqual([30, 10, 3]);
    await expect
      .poll(async () => {
        await browser.run(() => {
          const select = document.querySelector<HTMLSelectElement>('main select[name="length"]')!;
          select.value = "short";
          select.dispatchEvent(new Event("change", { bubbles: true }));
        });
        return page.address();
      })
      .toBe("/?sort=longest&length=short");
    await expect.poll(minutes).toEqual([3]);
  });

  it("leaves the page when Shift is pressed three times", async () => {
    await page.openPlayer(publishVideo(site));
    for (let press = 0; press < 3; press += 1) await browser.press("Shift");
    await expect.poll(() => browser.run(() => location.href)).toBe("about:blank");
  });
});
