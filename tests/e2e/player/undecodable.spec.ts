import { clip } from "../../clips";
import type { SiteProcess } from "../../site-process";
import { expect, test } from "../site";
import { plays, publishAdaptive } from "./adaptive-video";
import { PlayerPage } from "./player-page";

const PICTURE = "-f lavfi -i testsrc2=size=320x180:rate=25:duration=40 ";
const SOUND = "-f lavfi -i sine=duration=40 ";
const CODEC = "-c:v mpeg4 -c:a aac -movflags +faststart";
/**
 * Returns a clip in MPEG-4 Part 2. Chromium can't decode it, so it stands in for AV1 on devices that can't decode AV1.
 */
const video = (sound: string) => clip("mp4", (PICTURE + sound + CODEC).split(" "));

/** Publishes a video without its stream, and returns a function that adds the stream. */
function publishBeforeItsStream(site: SiteProcess, file: string) {
  const id = publishAdaptive(site, undefined, { file });
  const database = site.database();
  const url = database.prepare("SELECT hls_url FROM videos WHERE id = ?").pluck().get(id);
  database.prepare("UPDATE videos SET hls_url = NULL WHERE id = ?").run(id);
  database.prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'ladder', 40)").run(id);
  const finish = () => {
    database.prepare("UPDATE jobs SET state = 'done' WHERE video_id = ?").run(id);
    database.prepare("UPDATE videos SET hls_url = ? WHERE id = ?").run(url, id);
  };
  return { id, finish };
}

test("if the browser can't decode a video, a message says that it is being converted, and its stream plays once ready", async ({
  page,
  site,
}) => {
  const { id, finish } = publishBeforeItsStream(site, video(SOUND));
  await page.goto(`/video/${id}`);
  const player = new PlayerPage(page);
  const notice = player.root.getByRole("alert");
  await expect(notice).toContainText("still converting this video for your device");
  await expect(notice.getByRole("button")).toHaveCount(0);
  finish();
  // The open page is notified about the stream.
  await expect.poll(() => plays(player)).toBe("blob:");
  await page.keyboard.press("k");
  await player.expectPlaying();
  await expect(notice).toBeHidden();
});

test("if a video has neither a stream nor audio, the page says that the browser can't play it", async ({
  page,
  site,
}) => {
  const { id } = publishBeforeItsStream(site, video(""));
  site.database().prepare("UPDATE jobs SET state = 'failed' WHERE video_id = ?").run(id);
  await page.goto(`/video/${id}`);
  await expect(new PlayerPage(page).root.getByRole("alert")).toContainText(
    "Your browser can’t play this type of video.",
  );
});
