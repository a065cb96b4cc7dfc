import type { Browser, Page } from "playwright/test";
import type { SiteProcess } from "../../site-process";
import { PlayerPage } from "../player/player-page";
import { expect, signIn } from "../site";

/** A site from its visitors' point of view, regardless of the processes behind its URL. */
export interface Setup {
  browser: Browser;
  /** The URL for visitors and admins. */
  url: string;
  /** The primary, whose database contains the site's state. */
  site: SiteProcess;
}

/** Runs a function with a page in a new browser context, which doesn't share a cache with other contexts. */
export async function inNewContext<T>(
  { browser, url }: Setup,
  visit: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ baseURL: url, serviceWorkers: "block" });
  try {
    return await visit(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Uploads a file with the studio's form, and returns the video's ID. */
export async function uploadVideo(
  setup: Setup,
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
  const byTitle = setup.site.database().prepare("SELECT id FROM videos WHERE title = ?");
  return byTitle.pluck().get(title) as string;
}

export function ladderState({ site }: Setup, id: string): string | undefined {
  return site
    .database()
    .prepare("SELECT state FROM jobs WHERE video_id = ? AND kind = 'ladder'")
    .pluck()
    .get(id) as string | undefined;
}

/** Finds a video in the list, plays it, and seeks to a position that isn't buffered yet. */
export async function watchVideo(page: Page, title: string): Promise<void> {
  // A replica is a few seconds behind, so it may not yet have the page of a video that the primary already lists.
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
 * Uploads a video as an admin and watches it as a visitor before and after it is encoded. Then hides the video and
 * shows it again, and checks after each change whether visitors can access its page and files.
 * @returns the video's ID.
 */
export async function runJourney(setup: Setup, title: string, file: string): Promise<string> {
  return inNewContext(setup, async (studio) => {
    await signIn(studio);
    const id = await uploadVideo(setup, studio, title, file);
    await inNewContext(setup, (page) => watchVideo(page, title));
    await expect.poll(() => ladderState(setup, id), { timeout: 180_000 }).toBe("done");
    await inNewContext(setup, (page) => watchVideo(page, title));

    const urls = urlsOf(setup, id);
    expect(urls.every((url) => url.startsWith("/"))).toBe(true);
    await inNewContext(setup, async (page) => {
      const statuses = async () => {
        const responses = await Promise.all(urls.map((each) => page.request.get(each)));
        return responses.map((response) => response.status());
      };
      await expect.poll(statuses, { timeout: 30_000 }).toEqual(urls.map(() => 200));
      const row = studio.getByRole("row").filter({ hasText: title });
      await studio.goto("/admin?tab=manage");
      await row.getByRole("button", { name: /^Hide/ }).click();
      await expect(studio.getByText("Video is now hidden on the website.").first()).toBeVisible();
      await expect.poll(statuses, { timeout: 30_000 }).toEqual(urls.map(() => 404));
      await row.getByRole("button", { name: /^Show/ }).click();
      await expect(studio.getByText("Video is now visible on the website.").first()).toBeVisible();
      await expect.poll(statuses, { timeout: 30_000 }).toEqual(urls.map(() => 200));
    });
    return id;
  });
}

/** Returns the URLs of a video's page, file and stream. */
export function urlsOf({ site }: Pick<Setup, "site">, id: string): string[] {
  const row = site.database().prepare("SELECT video_url, hls_url FROM videos WHERE id = ?").get(id);
  const { video_url, hls_url } = row as { video_url: string; hls_url: string };
  return [`/video/${id}`, video_url, hls_url];
}
