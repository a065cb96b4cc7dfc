import type { Page } from "playwright/test";
import { fill } from "../../fill-catalogue";
import { expect, test } from "../site";

test("a saved video also appears in another tab, and can be removed again", async ({
  page,
  context,
  site,
}) => {
  await fill(site, 4);
  await page.goto("/saved");
  await expect(page.getByText("No saved videos yet.")).toBeVisible();
  const cards = page.locator("main article");
  const other = await context.newPage();
  const save = other.getByRole("button", { name: "Save", exact: true });
  for (const [id, saved] of [
    ["v1", [/Video 1/]],
    ["v3", [/Video 3/, /Video 1/]],
  ] as const) {
    await other.goto(`/video/${id}`);
    await expect(save).toHaveAttribute("aria-pressed", "false");
    await save.click();
    await expect(save).toHaveAttribute("aria-pressed", "true");
    await expect(cards).toHaveText([...saved]);
  }
  await expect(other.getByText("Find it under Saved (kept only in this browser).")).toBeVisible();
  await other.close();

  await cards.last().getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Video 1");
  await expect(page.getByRole("button", { name: "Save", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByRole("link", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/saved");

  await page.getByRole("button", { name: "Remove Video 3" }).click();
  await expect(cards).toHaveText([/Video 1/]);
  await page.reload();
  await expect(cards).toHaveText([/Video 1/]);
});

test("a message says how many saved videos are no longer public, and has a button that removes them", async ({
  page,
  site,
}) => {
  await fill(site, 2);
  await page.addInitScript(() => {
    if (!localStorage.getItem("visitor")) {
      localStorage.setItem("visitor", '{"saved":["v2","v1","never"]}');
    }
  });
  site.database().exec("UPDATE videos SET status = 'hidden' WHERE id = 'v1'");
  await page.goto("/saved");
  await expect(page.locator("main article")).toHaveText([/Video 2/]);
  await expect(page.getByText("2 saved videos are no longer available.")).toBeVisible();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("no longer available")).toHaveCount(0);
  expect(await saved(page)).toEqual(["v2"]);
});

test("many saved videos are loaded in batches, and a failed batch shows an error and can be retried", async ({
  page,
  site,
}) => {
  await fill(site, 30);
  const all = Array.from({ length: 30 }, (_, n) => `v${n + 1}`);
  await page.addInitScript(
    (ids) => localStorage.setItem("visitor", JSON.stringify({ saved: ids })),
    all,
  );
  await page.route("**/saved/videos", (route) => route.abort(), { times: 1 });
  await page.goto("/saved");
  await expect(page.getByText("Error loading videos: Failed to fetch videos.")).toBeVisible();
  await page.getByRole("button", { name: "Retry" }).click();
  const cards = page.locator("main article");
  await expect(cards).toHaveCount(24);
  await page.getByRole("button", { name: "Show More" }).click();
  await expect(cards).toHaveCount(30);
  await expect(page.getByRole("button", { name: "Show More" })).toHaveCount(0);
});

test("the Save button on a card doesn't stop the preview, and the header shows the number of saved videos", async ({
  page,
  site,
}) => {
  await fill(site, 3, () => ({ video_url: "/media/videos/u/1.mp4" }));
  await page.goto("/");
  const saved = page.getByRole("banner").getByRole("link", { name: "Saved" });
  await expect(saved).toHaveText("Saved");
  const place = await saved.boundingBox();
  const label = await saved.getByText("Saved").boundingBox();
  const padding = place!.x + place!.width - label!.x - label!.width;
  expect(padding, "space after the label").toBeLessThanOrEqual(16);

  const save = page.getByRole("button", { name: "Save Video 2", exact: true });
  const { width, height } = (await save.boundingBox()) ?? { width: 0, height: 0 };
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
  const card = page.getByRole("article").filter({ hasText: "Video 2" });
  await card.getByRole("link").hover();
  await expect(card.locator("video")).toHaveCount(1);
  await save.click();
  await expect(save).toHaveAttribute("aria-pressed", "true");
  await expect(card.locator("video")).toHaveCount(1);
  await expect(page).toHaveURL("/");
  await page.getByRole("button", { name: "Save Video 3", exact: true }).press("Space");
  await expect(saved).toHaveText("Saved2 videos");
  expect(await saved.boundingBox()).toEqual(place);
  await saved.click();
  await expect(page).toHaveURL("/saved");
  await expect(page.locator("main article")).toHaveText([/Video 3/, /Video 2/]);
});

test("the list of saved videos can be exported to a file and imported in another browser", async ({
  page,
  browser,
  site,
}) => {
  await fill(site, 3);
  // The browser's storage as written by older versions, with a separate key for each value.
  await page.addInitScript(() => {
    localStorage.setItem("saved-videos", '["v3","v1"]');
    localStorage.setItem("player:resume", '[["v2",30]]');
  });
  await page.goto("/saved");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export list" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("saved-videos.json");

  const other = await (await browser.newContext({ baseURL: site.url })).newPage();
  await other.goto("/saved");
  const empty = other.getByRole("button", { name: "Export list" });
  await expect(empty).toHaveAttribute("aria-disabled", "true");
  const choose = async (from: Parameters<Awaited<ReturnType<typeof chooser>>["setFiles"]>[0]) =>
    (await chooser(other)).setFiles(from);
  await choose(await file.path());
  await expect(other.locator("main article")).toHaveText([/Video 3/, /Video 1/]);
  await expect(other.getByText("2 videos imported")).toBeVisible();
  await choose({
    name: "more.json",
    mimeType: "application/json",
    buffer: Buffer.from('{"type":"saved-videos","version":1,"videos":["v1","v2",7,"nobody"]}'),
  });
  await expect(other.locator("main article")).toHaveText([/Video 3/, /Video 1/, /Video 2/]);
  await expect(other.getByText("1 video was already saved.")).toContainText(
    "1 entry couldn’t be read and was skipped.",
  );
  await expect(other.getByText("1 saved video is no longer available.")).toBeVisible();

  for (const [buffer, message] of [
    [Buffer.from("GIF89a"), "This file contains no saved videos."],
    [Buffer.alloc(300 * 1024, "["), "This file is too large for a list of saved videos."],
  ] as const) {
    await choose({ name: "other.json", mimeType: "application/json", buffer });
    await expect(other.getByRole("alert").filter({ hasText: message })).toBeVisible();
  }
  expect(await saved(other)).toEqual(["v3", "v1", "v2", "nobody"]);
  await other.goto("/preferences");
  await expect(other.getByText("1 video in progress, none finished.")).toBeVisible();
  await other.context().close();
});

async function chooser(page: Page) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Import list" }).click();
  return chooser;
}

function saved(page: Page): Promise<unknown> {
  return page.evaluate(() => JSON.parse(localStorage.getItem("visitor") ?? "{}").saved);
}
