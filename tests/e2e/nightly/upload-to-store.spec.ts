import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright/test";
import { startFaultyStore } from "../../s3/faulty-store";
import { hasS3Server } from "../../s3/object-stores";
import { largeFilm } from "../../s3/stored-film";
import { SiteProcess } from "../../site-process";
import { expect, signIn, test } from "../site";
import { visiting } from "./journey";

const MIB = 1024 ** 2;
const PART = /^PUT \/films\/site\/incoming\/.*partNumber=/;

test.describe("a large file, where visitors are sent to the store", () => {
  // `npm test` installs it, and tells what was not tested where it cannot.
  test.skip(!hasS3Server, "python3-swift is not installed");
  const site = new SiteProcess({ STORAGE_DELIVERY: "redirect" });
  const film = path.join(site.folder, "large.mp4");
  let store: Awaited<ReturnType<typeof startFaultyStore>>;
  let isAllowed = true;

  test.beforeAll(async () => {
    test.setTimeout(60_000);
    store = await startFaultyStore((origin) => isAllowed && origin === site.url);
    await site.start(store.environment);
  });
  test.afterAll(async () => {
    await site.remove();
    await store?.stop();
  });
  test.beforeEach(() => {
    isAllowed = true;
    store.fail();
    fs.writeFileSync(film, largeFilm(35 * MIB));
  });

  /** What the page sends to the site itself. */
  async function choose(page: Page, title: string): Promise<() => string[]> {
    await signIn(page);
    await page.goto("/admin");
    const sent: string[] = [];
    page.on("request", (request) => {
      const { pathname, origin } = new URL(request.url());
      if (origin === site.url) sent.push(`${request.method()} ${pathname}`);
    });
    await page.locator("input[name=video]").setInputFiles(film);
    await page.getByLabel("Title").fill(title);
    await page.getByLabel("Description").fill("By the sea.");
    await page.getByLabel("Category").selectOption("desi");
    await page.getByRole("button", { name: /^Upload/ }).click();
    return () => sent;
  }

  const isPublished = (page: Page) =>
    expect(page.getByText("Video uploaded and published successfully.")).toBeVisible({
      timeout: 30_000,
    });

  test("goes into the store in parts, and is published", async ({ browser }) => {
    await visiting({ browser, url: site.url, site }, async (page) => {
      const sent = await choose(page, "Into the store");
      await isPublished(page);
      expect(store.sent(PART)).toBe(3);
      expect(sent().filter((line) => line.startsWith("PATCH"))).toEqual([]);
      const titles = site.database().prepare("SELECT title FROM videos").pluck();
      expect(titles.all()).toContain("Into the store");
    });
  });

  test("goes on with the parts that are missing when the page was left", async ({ browser }) => {
    await visiting({ browser, url: site.url, site }, async (page) => {
      store.fail({ when: /^PUT .*partNumber=2/, answer: "silence" });
      await choose(page, "Left and come back");
      await expect.poll(() => store.sent(/^PUT .*partNumber=2/)).toBe(1);
      await page.goto("/");
      store.fail();
      await choose(page, "Left and come back");
      await isPublished(page);
      expect(store.sent(/^PUT .*partNumber=1&/)).toBe(0);
      expect(store.sent(PART)).toBe(2);
    });
  });

  test("is tried again when the store breaks off, and is paused", async ({ browser }) => {
    await visiting({ browser, url: site.url, site }, async (page) => {
      store.fail({ when: /^PUT .*partNumber=2/, answer: "cut", times: 1 });
      await choose(page, "Broken off");
      await isPublished(page);

      fs.writeFileSync(film, largeFilm(35 * MIB));
      store.fail({ when: /^PUT .*partNumber=1/, answer: "silence" });
      await choose(page, "Paused");
      await expect.poll(() => store.sent(/^PUT .*partNumber=1/)).toBe(1);
      await page.getByRole("button", { name: /^Pause/ }).click();
      store.fail();
      await page.getByRole("button", { name: /^Resume/ }).click();
      await isPublished(page);
    });
  });

  test("goes through the site when the store takes nothing from its pages", async ({ browser }) => {
    await visiting({ browser, url: site.url, site }, async (page) => {
      isAllowed = false;
      const sent = await choose(page, "Through the site");
      await isPublished(page);
      expect(store.sent(PART)).toBe(0);
      expect(sent().some((line) => line.startsWith("PATCH /admin/uploads/"))).toBe(true);
    });
  });
});
