import { clip } from "../../clips";
import { PlayerPage } from "../player/player-page";
import { runJobs } from "../run-jobs";
import { expect, signIn, test } from "../site";

/** Creates a one-minute clip with the moov atom at the end. Its size of about 50 MB exceeds a browser's buffer. */
const source = () =>
  clip(
    "mp4",
    "-f lavfi -i testsrc2=size=320x180:rate=25:duration=60 -c:v libx264 -preset ultrafast -x264-params nal-hrd=cbr -b:v 7M -minrate 7M -maxrate 7M -bufsize 7M -g 25 -pix_fmt yuv420p".split(
      " ",
    ),
  );

test("a video whose moov atom is at the end plays and supports seeking while it is being converted", async ({
  page,
  site,
}) => {
  await signIn(page);
  await page.goto("/admin");
  await page.locator("input[name=video]").setInputFiles(source());
  await page.getByLabel("Title").fill("A video");
  await page.getByLabel("Description").fill("By the sea.");
  await page.getByLabel("Category").selectOption("desi");
  await page.getByRole("button", { name: /^Upload/ }).click();
  await expect(page.getByText("Video uploaded and published successfully.")).toBeVisible();
  type Row = { id: string; video_url: string; source_url: string | null; hls_url: string | null };
  const row = () => site.database().prepare("SELECT * FROM videos").get() as Row;
  const { id, video_url } = row();

  const player = new PlayerPage(page);
  /** Seeks and restarts playback, because the video may already have ended on a busy machine. */
  const watchFrom = async (seconds: number) => {
    await player.seekTo(seconds);
    await player.video.evaluate((video: HTMLVideoElement) => video.play());
    await player.expectPlaying();
    expect((await player.state()).time).toBeGreaterThan(seconds - 0.1);
  };
  await player.open(id);
  await player.record("error", "emptied", "abort");
  await player.video.evaluate((video: HTMLVideoElement) => {
    video.muted = true;
    return video.play();
  });
  await player.expectPlaying();
  const ranges: { range: string; status: number }[] = [];
  page.on("response", (response) => {
    const range = response.request().headers().range;
    if (response.url().includes(video_url) && range) {
      ranges.push({ range, status: response.status() });
    }
  });

  const converted = runJobs(site, ["transcode"]);
  await expect.poll(() => row().source_url, { timeout: 120_000 }).not.toBeNull();
  const state = site.database().prepare("SELECT state FROM jobs WHERE kind = 'transcode'").pluck();
  await expect.poll(() => state.get(), { timeout: 60_000 }).toBe("done");
  // The file behind the URL has changed, so the browser requests the rest again.
  for (const seconds of [50, 20, 35]) await watchFrom(seconds);
  expect(ranges.filter(({ range }) => range !== "bytes=0-").length).toBeGreaterThan(0);
  expect(ranges.map(({ status }) => status)).toEqual(ranges.map(() => 206));

  expect(await converted).toContain("The queue is empty.");
  await watchFrom(45);
  expect(await player.events()).toEqual([]);
  expect(await player.video.evaluate((video: HTMLVideoElement) => video.error)).toBeNull();
  expect(row().video_url).toBe(video_url);

  // A video element can also play the original URL directly, and seek to its middle.
  await page.goto("/privacy");
  const played = await page.evaluate(async (src) => {
    const video = document.createElement("video");
    video.muted = true;
    video.src = src;
    document.body.append(video);
    await video.play();
    video.currentTime = 30;
    await new Promise((done) => video.addEventListener("seeked", done, { once: true }));
    return video.currentTime;
  }, video_url);
  expect(played).toBeGreaterThanOrEqual(30);
});
