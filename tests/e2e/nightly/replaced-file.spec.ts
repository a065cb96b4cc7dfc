import fs from "node:fs";
import path from "node:path";
import { clip } from "../../clips";
import { publishVideo } from "../../publish-video";
import { PlayerPage } from "../player/player-page";
import { expect, test } from "../site";

test("playback continues without a message when the file is replaced, and resumes automatically after a network failure", async ({
  page,
  site,
}) => {
  test.setTimeout(120_000);
  const indexFirst = clip(
    "mp4",
    // Noise can't be compressed, so the file is much larger than the browser's buffer.
    "-f lavfi -i testsrc2=size=640x360:rate=10:duration=60,noise=alls=60:allf=t -c:v libx264 -preset ultrafast -b:v 12M -minrate 12M -maxrate 12M -bufsize 12M -g 10 -pix_fmt yuv420p -movflags +faststart".split(
      " ",
    ),
  );
  const indexLast = clip("mp4", ["-i", indexFirst, "-c", "copy"]);
  const player = new PlayerPage(page);
  await player.open(publishVideo(site, { file: indexLast, duration: "1:00" }));
  await page.keyboard.press("k");
  await player.expectPlaying();
  await player.playSlowly();

  await test.step("the file is replaced", async () => {
    await page.evaluate(() => {
      const alerts: string[] = [];
      Object.assign(window, { alerts });
      new MutationObserver(() => {
        const alert = document.querySelector('[role="alert"]')?.textContent;
        if (alert) alerts.push(alert);
      }).observe(document.body, { subtree: true, childList: true });
    });
    await player.record("error");
    const url = site.database().prepare("SELECT video_url FROM videos").pluck().get();
    const file = path.join(site.uploads, String(url).replace("/media/", ""));
    fs.copyFileSync(indexFirst, `${file}.new`);
    fs.renameSync(`${file}.new`, file);
    await page.keyboard.press("8");
    await expect.poll(async () => (await player.state()).time).toBeGreaterThan(48);
    await player.expectPlaying();
    expect(await player.events()).toEqual(["error"]);
    expect(await page.evaluate(() => (window as unknown as { alerts: string[] }).alerts)).toEqual(
      [],
    );
  });

  await test.step("the network fails and recovers", async () => {
    await site.stop("SIGKILL");
    await page.keyboard.press("3");
    const notice = player.root.getByRole("alert");
    await expect(notice).toContainText("Connection lost", { timeout: 60_000 });
    await expect(player.root.getByText("Buffering…")).toBeHidden();
    await site.start();
    await expect(notice).toBeHidden({ timeout: 30_000 });
    await player.expectPlaying();
    const { time } = await player.state();
    expect(time).toBeGreaterThan(17);
    expect(time).toBeLessThan(30);
  });
});
