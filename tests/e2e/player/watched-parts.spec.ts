import { publishVideo } from "../../publish-video";
import { expect, expectNoViolations, signIn, test } from "../site";
import { PlayerPage } from "./player-page";

/** Plays the video muted at 4× speed. */
async function playFrom(player: PlayerPage, seconds: number): Promise<void> {
  await player.video.evaluate((video: HTMLVideoElement, seconds) => {
    video.muted = true;
    video.currentTime = seconds;
    video.playbackRate = 4;
    return video.play();
  }, seconds);
}

test("watched parts are reported when the video ends or the visitor leaves the page, and are shown in the studio", async ({
  page,
  site,
}) => {
  const id = publishVideo(site);
  await signIn(page);
  const player = new PlayerPage(page);
  await player.open(id, "?from=home&search=quiet");
  const sent = page.waitForRequest(/\/watched$/);
  await playFrom(player, 36);
  const request = await sent;
  expect(request.postData()).toBe("00000000000000000011");
  const { cookie, referer } = await request.allHeaders();
  expect([cookie, referer]).toEqual([undefined, `${site.url}/`]);

  await page.reload();
  await player.ready();
  await playFrom(player, 20);
  await expect.poll(async () => (await player.state()).time).toBeGreaterThan(28);
  await page.goto("/privacy");
  await expect(page.getByText("twenty numbers")).toBeVisible();
  const stored = () =>
    site.database().prepare("SELECT views, parts FROM watched_parts WHERE video_id = ?").get(id) as
      | { views: number; parts: string }
      | undefined;
  await expect.poll(() => stored()?.views).toBe(2);
  const parts = JSON.parse(stored()!.parts) as number[];
  expect(parts.slice(0, 10)).toEqual(Array(10).fill(0));
  expect(parts.slice(10, 14)).toEqual([1, 1, 1, 1]);
  expect(parts[19]).toBe(1);
  expect(site.log).toContain("GET /video/:id 200");
  expect(site.log).not.toContain("/watched");

  await page.goto(`/admin/videos/${id}/statistics`);
  const chart = page.getByRole("figure").filter({ hasText: "Watched parts" });
  await chart.getByText("Show as table").click();
  await expect(chart.getByRole("row", { name: "50–55%" }).getByRole("cell")).toHaveText("50% (1)");
  await expect(chart.getByRole("row", { name: /^0–5%/ }).getByRole("cell")).toHaveText("0% (0)");
  await expectNoViolations(page);
  const download = page.waitForEvent("download");
  await chart.getByRole("link", { name: "Download as CSV: Watched parts" }).click();
  expect((await download).suggestedFilename()).toBe("watched-parts.csv");
});
