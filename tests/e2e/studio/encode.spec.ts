import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright/test";
import { type Clip, makeClip, rotate } from "../../media-clips";
import type { SiteProcess } from "../../site-process";
import { runJobs } from "../run-jobs";
import { expect, expectNoViolations, signIn, test } from "../site";

const X264 = ["libx264", "-preset", "ultrafast"];
const FIRST_UPLOAD_ID = 1_700_000_000_000;

/** What comes in, and how wide for its height it must be shown. */
const INPUTS: [string, Clip, number, number?][] = [
  ["MPEG-4 and MP3 in AVI", { as: "avi", video: ["mpeg4"], audio: ["libmp3lame"] }, 16 / 9],
  [
    "10 bits and AC-3 5.1 in Matroska",
    { as: "mkv", video: [...X264, "-pix_fmt", "yuv420p10le"], audio: ["ac3", "-ac", "6"] },
    16 / 9,
  ],
  ["H.264 and FLAC in Matroska", { as: "mkv", audio: ["flac"] }, 16 / 9],
  ["a turned MOV", { as: "mov" }, 9 / 16, 90],
  [
    "VP9 of odd size in WebM",
    {
      as: "webm",
      size: "333x187",
      video: ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
      audio: ["libopus"],
    },
    333 / 187,
  ],
  [
    "a varying rate",
    {
      as: "mkv",
      video: [
        ...X264,
        "-pix_fmt",
        "yuv420p",
        "-vf",
        "select='not(mod(n\\,3))+between(t\\,1\\,2)'",
        "-vsync",
        "vfr",
      ],
    },
    16 / 9,
  ],
  [
    "HEVC",
    { as: "mp4", video: ["libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"] },
    16 / 9,
  ],
];

const DERIVED = ["video_url", "hls_url", "storyboard_url", "preview_url", "thumbnail_url"];

let folder: string;
test.beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "encode-e2e-"));
});
test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Puts a file into the library as one that browsers don't play yet. */
function addSource(site: SiteProcess, clip: string, uploadId: number): string {
  const name = `u/${uploadId}${path.extname(clip)}`;
  const source_url = site.addFile("videos", name, fs.readFileSync(clip));
  return site.addVideo({ title: path.basename(clip), source_url, duration: "0:06" });
}

/** Plays what the page shows, and tells what came of it. */
async function watch(page: Page) {
  const video = page.locator("video");
  await expect(video).toBeVisible();
  return video.evaluate(async (element: HTMLVideoElement) => {
    element.muted = true;
    await element.play();
    const until = async (condition: () => boolean) => {
      const end = Date.now() + 20_000;
      while (!condition() && Date.now() < end) await new Promise((next) => setTimeout(next, 50));
    };
    await until(() => element.currentTime > 0.5);
    const played = element.currentTime;
    element.currentTime = 4;
    await until(() => element.currentTime > 4.2 && !element.seeking);
    const counted = element as unknown as { webkitAudioDecodedByteCount: number };
    const quality = element.getVideoPlaybackQuality();
    return {
      played,
      sought: element.currentTime,
      sound: counted.webkitAudioDecodedByteCount,
      pictures: quality.totalVideoFrames,
      shape: element.videoWidth / element.videoHeight,
      duration: element.duration,
      start: element.buffered.length > 0 ? element.buffered.start(0) : -1,
      streamed: element.currentSrc.startsWith("blob:"),
    };
  });
}

test("whatever comes in plays in the browser, as a stream and as a file", async ({
  page,
  site,
}) => {
  test.setTimeout(480_000);
  const ids = INPUTS.map(([name, clip, , degrees], index) => {
    const made = makeClip(folder, `input-${index}`, { seconds: 6, ...clip });
    return [
      name,
      addSource(site, degrees ? rotate(made, degrees) : made, FIRST_UPLOAD_ID + index),
    ] as const;
  });
  const [first] = ids;
  await page.goto(`/video/${first![1]}`);
  await expect(page.getByText("Video not available")).toBeVisible();
  await expect(page.getByText("Please try again later.")).toBeVisible();
  await expect(page.getByText("It is being prepared.")).toBeVisible();
  const file = site.database().prepare("SELECT source_url FROM videos").pluck().get() as string;
  expect((await page.request.get(file)).status()).toBe(404);

  expect(await runJobs(site)).toContain("Everything has been made.");
  for (const [index, [name, id]] of ids.entries()) {
    await test.step(name, async () => {
      await page.goto(`/video/${id}`);
      const seen = await watch(page);
      expect(seen.played).toBeGreaterThan(0.5);
      expect(seen.sought).toBeGreaterThan(4);
      expect(seen.pictures).toBeGreaterThan(5);
      expect(seen.sound).toBeGreaterThan(0);
      expect(seen.duration).toBeGreaterThan(5.5);
      expect(seen.duration).toBeLessThan(6.5);
      expect(Math.abs(seen.shape / INPUTS[index]![2] - 1)).toBeLessThan(0.03);
      const row = site.database().prepare("SELECT * FROM videos WHERE id = ?").get(id) as Record<
        string,
        string
      >;
      const expectFiles = async (status: number) => {
        for (const column of DERIVED) {
          expect((await page.request.get(row[column]!)).status(), column).toBe(status);
        }
      };
      await expectFiles(200);
      site.database().prepare("UPDATE videos SET status = 'hidden' WHERE id = ?").run(id);
      await expectFiles(404);
    });
  }
});

test("a failed job stands on the queue page with its reason, and Retry starts it anew", async ({
  page,
  site,
}) => {
  test.setTimeout(180_000);
  const broken = path.join(folder, "broken.avi");
  fs.writeFileSync(broken, "not a video");
  addSource(site, broken, FIRST_UPLOAD_ID + 50);
  expect(await runJobs(site)).toContain("failed");
  await signIn(page);
  await page.goto("/admin?tab=manage");
  await expect(page.getByText("Making it playable failed")).toBeVisible();
  await page.getByRole("link", { name: "Making it playable failed" }).click();
  await expect(page.getByRole("heading", { name: "Video Queue" })).toBeVisible();
  await expect(page.getByText(/This is not a video file/)).toBeVisible();
  await expect(page.getByText(/save it as MP4/)).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole("button", { name: /^Retry/ }).click();
  await expect(page.getByText("It is tried again.").first()).toBeVisible();
  await expect(page.getByRole("region", { name: /Waiting/ })).toContainText("Making it playable");
  await expect(page.getByText(/Time left: unknown/)).toBeVisible();
  await page.getByRole("button", { name: "Pause all" }).click();
  await expect(page.getByText("Paused: nothing is made until you resume.")).toBeVisible();
  await page.getByRole("link", { name: /^Waiting/ }).click();
  await page.getByRole("checkbox", { name: /Select Making it playable/ }).check();
  await page
    .getByRole("form", { name: "Selected jobs" })
    .getByRole("button", { name: "Later" })
    .click();
  await expect(page.getByText("It comes last now.").first()).toBeVisible();
  await expect(page.getByRole("listitem").getByText("Last", { exact: true })).toBeVisible();
});
