import fs from "node:fs";
import { clip, mp4Clip } from "../../clips";
import { publishVideo } from "../../publish-video";
import type { SiteProcess } from "../../site-process";
import { expect, expectNoViolations, test } from "../site";
import { PlayerPage } from "./player-page";

const DESCRIPTION = `A video by the sea.\n0:00 Start\n0:10 The <i>sea</i>\n0:25 Night\n0:38 ${"x".repeat(300)}\n\nLook at 0:30.`;

/** Publishes a video with chapters and a storyboard of four tiles. */
function publishWithStoryboard(site: SiteProcess): string {
  const id = publishVideo(site, { description: DESCRIPTION });
  const url = site.database().prepare("SELECT video_url FROM videos WHERE id = ?").pluck().get(id);
  const basePath = String(url)
    .replace("/media/videos/", "")
    .replace(/\.mp4$/, "");
  const sheet = clip("jpg", [
    ...["-i", mp4Clip(40), "-vf", "fps=1/10,scale=160:90,tile=4x1", "-frames:v", "1"],
  ]);
  site.addFile("thumbnails", `${basePath}/storyboard-1.jpg`, fs.readFileSync(sheet));
  const cues = [0, 10, 20, 30].map(
    (start, index) =>
      `00:${String(start).padStart(2, "0")}.000 --> 00:${start + 10}.000\nstoryboard-1.jpg#xywh=${index * 160},0,160,90\n`,
  );
  const board = site.addFile(
    "thumbnails",
    `${basePath}/storyboard.vtt`,
    `WEBVTT\n\n${cues.join("\n")}`,
  );
  site.database().prepare("UPDATE videos SET storyboard_url = ? WHERE id = ?").run(board, id);
  return id;
}

test("the seek bar shows previews and can be dragged, and chapters and timestamps seek in place", async ({
  page,
  site,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.addInitScript(() => Object.assign(navigator, { share: undefined }));
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  const player = new PlayerPage(page);
  const id = publishWithStoryboard(site);
  await player.open(id, "?from=trending&page=2&t=25");
  await expect.poll(async () => (await player.state()).time).toBe(25);

  await test.step("links to the video and to the current time can be copied", async () => {
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole("button", { name: "Copy link at current time" }).click();
    await expect(page.getByText("Link copied")).toBeVisible();
    await expect.poll(copied).toBe(`${site.url}/video/${id}?t=25`);
    await page.getByRole("button", { name: "Share" }).click();
    await expect.poll(copied).toBe(`${site.url}/video/${id}`);
  });

  const bar = (await player.root.locator(".player-seek").boundingBox())!;
  const y = bar.y + bar.height / 2;
  const preview = player.root.locator(".player-preview");
  const tile = player.root.locator(".player-storyboard");

  await test.step("hovering shows the time, chapter and storyboard tile", async () => {
    // A file doesn't need hls.js, and the storyboard isn't loaded before the first hover.
    expect(requests.filter((path) => /\.vtt$|\/hls-[\w-]+\.mjs$/.test(path))).toEqual([]);
    await page.mouse.move(bar.x + bar.width * 0.6, y);
    // The tile appears as soon as it has loaded, even though the mouse is no longer moving.
    await expect(tile).toBeVisible();
    await expect(tile).toHaveCSS("background-position", "-320px 0px");
    await expect.poll(() => requests.some((path) => path.endsWith("board-1.jpg"))).toBe(true);
    await page.mouse.move(bar.x + bar.width * 0.01, y);
    await expect(tile).toHaveCSS("background-position", "0px 0px");
    expect((await preview.boundingBox())!.x).toBeGreaterThanOrEqual(bar.x - 1);
    await page.mouse.move(bar.x + bar.width * 0.255, y);
    await expect(preview).toContainText("The <i>sea</i>");
    await expect(preview).toContainText("0:10");
  });

  await test.step("dragging the seek bar seeks", async () => {
    await page.mouse.down();
    await page.mouse.move(bar.x + bar.width * 0.4, y, { steps: 5 });
    await page.mouse.move(bar.x + bar.width * 0.505, y, { steps: 5 });
    await page.mouse.up();
    await expect.poll(async () => Math.round((await player.state()).time)).toBe(20);
    await expect(player.root.locator("[data-elapsed]")).toHaveText("0:20");
    await expect(player.seek).toHaveAttribute("aria-valuetext", "0:20 of 0:40");
  });

  await test.step("chapters are listed and seek in place", async () => {
    await expect(player.root.locator(".player-seek-track > span")).toHaveCount(3);
    const list = page.getByRole("navigation", { name: "Chapters" });
    await expect(list.getByRole("link")).toHaveText([
      "0:00Start",
      "0:10The <i>sea</i>",
      "0:25Night",
      /^0:38x+/,
    ]);
    await expectNoViolations(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(
      false,
    );
    await expect(page.getByText("A video by the sea.")).toHaveCSS(
      "white-space-collapse",
      "preserve-breaks",
    );
    let loads = 0;
    page.on("framenavigated", () => loads++);
    await list.getByRole("link", { name: "Night" }).click();
    await expect.poll(async () => (await player.state()).time).toBeGreaterThanOrEqual(25);
    await page.getByRole("link", { name: "0:30", exact: true }).press("Enter");
    await expect.poll(async () => (await player.state()).time).toBeGreaterThanOrEqual(30);
    await player.video.evaluate((video: HTMLVideoElement) => video.pause());
    expect(loads).toBe(0);
    await expect(player.root.locator(".player-time")).toContainText("Night");
  });
});
