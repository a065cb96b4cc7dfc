import { publishVideo } from "../../publish-video";
import { expect, expectNoViolations, test } from "../site";
import { PlayerPage } from "./player-page";

const DESCRIPTION =
  "A film by the sea.\n0:00 Start\n0:10 The <i>sea</i>\n0:25 Night\n\nLook at 0:30.";

test("chapters are on the seek bar and in a list, and play in place", async ({ page, site }) => {
  const player = new PlayerPage(page);
  await player.open(publishVideo(site, { description: DESCRIPTION }));
  await expect(player.root.locator(".player-seek-track > span")).toHaveCount(2);
  const list = page.getByRole("navigation", { name: "Chapters" });
  await expect(list.getByRole("link")).toHaveText(["0:00Start", "0:10The <i>sea</i>", "0:25Night"]);
  await expectNoViolations(page);
  let loads = 0;
  page.on("framenavigated", () => loads++);
  await list.getByRole("link", { name: "Night" }).click();
  await expect.poll(async () => (await player.state()).time).toBeGreaterThanOrEqual(25);
  await page.getByRole("link", { name: "0:30", exact: true }).press("Enter");
  await expect.poll(async () => (await player.state()).time).toBeGreaterThanOrEqual(30);
  await player.video.evaluate((video: HTMLVideoElement) => video.pause());
  expect(loads).toBe(0);
  const bar = (await player.seek.boundingBox())!;
  await page.mouse.move(bar.x + bar.width * 0.5, bar.y + bar.height / 2);
  await expect(player.root.locator(".player-preview")).toContainText("The <i>sea</i>");
  await expect(player.root.locator(".player-time")).toContainText("Night");
});

test("a link to a moment starts there, and the share button gives one", async ({ page, site }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const player = new PlayerPage(page);
  const id = publishVideo(site, { description: DESCRIPTION });
  await player.open(id, "?t=25");
  await expect.poll(async () => (await player.state()).time).toBe(25);
  await page.getByRole("button", { name: "Link to this moment" }).click();
  await expect(page.getByText("Link copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${site.url}/video/${id}?t=25`,
  );
});

test("a hostile description makes no markup and no address of its own", async ({ page, site }) => {
  const player = new PlayerPage(page);
  const description = `0:00 <script>alert(1)</script>\n0:10 "onmouseover="x\n0:20 \u202eevil ${"x".repeat(300)}\n0:30 javascript:alert(1)`;
  await player.open(publishVideo(site, { description }));
  const links = page.getByRole("navigation", { name: "Chapters" }).getByRole("link");
  await expect(links).toHaveCount(4);
  for (const link of await links.all()) {
    expect(await link.getAttribute("href")).toMatch(/^\/video\/[\w-]+\?from=home(&t=\d+)?$/);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
});
