import type { Browser, Page } from "playwright/test";
import type { SiteProcess } from "../../site-process";
import { PlayerPage } from "../player/player-page";
import { expect, signIn } from "../site";

/** What somebody sees who knows an address and nothing of what stands behind it. */
export interface Place {
  browser: Browser;
  /** Where visitors and admins go. */
  url: string;
  /** The site that writes, whose database says how far it is. */
  site: SiteProcess;
}

/** A browser of its own, so that nothing of what another one has read is at hand. */
export async function visiting<T>(
  { browser, url }: Place,
  visit: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ baseURL: url, serviceWorkers: "block" });
  try {
    return await visit(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Uploads a file by the form of the studio; its id. */
export async function uploads(
  place: Place,
  page: Page,
  title: string,
  file: string,
): Promise<string> {
  await page.goto("/admin");
  await page.locator("input[name=video]").setInputFiles(file);
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Description").fill("By the sea.");
  await page.getByLabel("Category").selectOption("desi");
  await page.getByLabel("Tags").fill("sea");
  await page.getByRole("button", { name: /^Upload/ }).click();
  await expect(page.getByText("Video uploaded and published successfully.")).toBeVisible();
  const byTitle = place.site.database().prepare("SELECT id FROM videos WHERE title = ?");
  return byTitle.pluck().get(title) as string;
}

export function ladderOf({ site }: Place, id: string): string | undefined {
  return site
    .database()
    .prepare("SELECT state FROM jobs WHERE video_id = ? AND kind = 'ladder'")
    .pluck()
    .get(id) as string | undefined;
}

/** Finds a video in the list, plays it, and seeks to where nothing of it has been read yet. */
export async function watches(page: Page, title: string): Promise<void> {
  // A reader is some seconds behind: it may answer for the page where the site that writes has answered for the list.
  await expect(async () => {
    await page.goto("/");
    await page.getByRole("link", { name: title }).first().click({ timeout: 1_000 });
    await expect(page.getByRole("heading", { name: title, level: 1 })).toBeVisible({
      timeout: 5_000,
    });
  }).toPass({ timeout: 60_000 });
  const player = new PlayerPage(page);
  await expect(player.button("Play").first()).toBeVisible();
  await page.keyboard.press("k");
  await player.expectPlaying();
  const length = await player.video.evaluate(({ duration }: HTMLVideoElement) => duration);
  await player.seekTo(length - 8);
  await player.expectPlaying();
  await expect(player.root.getByRole("alert")).toHaveCount(0);
}

/**
 * An admin uploads, the stream is made, a visitor watches and seeks; the admin hides it and shows it again,
 * and the page and every byte go with it.
 *
 * @returns the id of the video.
 */
export async function journey(place: Place, title: string, file: string): Promise<string> {
  return visiting(place, async (studio) => {
    await signIn(studio);
    const id = await uploads(place, studio, title, file);
    await visiting(place, (page) => watches(page, title));
    await expect.poll(() => ladderOf(place, id), { timeout: 180_000 }).toBe("done");
    await visiting(place, (page) => watches(page, title));

    const addresses = addressesOf(place, id);
    expect(addresses.every((address) => address.startsWith("/"))).toBe(true);
    await visiting(place, async (page) => {
      const states = async () => {
        const answers = await Promise.all(addresses.map((each) => page.request.get(each)));
        return answers.map((answer) => answer.status());
      };
      await expect.poll(states, { timeout: 30_000 }).toEqual(addresses.map(() => 200));
      const row = studio.getByRole("row").filter({ hasText: title });
      await studio.goto("/admin?tab=manage");
      await row.getByRole("button", { name: /^Hide/ }).click();
      await expect(studio.getByText("Video is now hidden on the website.").first()).toBeVisible();
      await expect.poll(states, { timeout: 30_000 }).toEqual(addresses.map(() => 404));
      await row.getByRole("button", { name: /^Show/ }).click();
      await expect(studio.getByText("Video is now visible on the website.").first()).toBeVisible();
      await expect.poll(states, { timeout: 30_000 }).toEqual(addresses.map(() => 200));
    });
    return id;
  });
}

/** Of the page, the file and the stream of a video. */
export function addressesOf({ site }: Pick<Place, "site">, id: string): string[] {
  const row = site.database().prepare("SELECT video_url, hls_url FROM videos WHERE id = ?").get(id);
  const { video_url, hls_url } = row as { video_url: string; hls_url: string };
  return [`/video/${id}`, video_url, hls_url];
}
