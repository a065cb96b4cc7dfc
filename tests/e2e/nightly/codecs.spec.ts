import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright/test";
import { makeClip } from "../../media-clips";
import { plays } from "../player/adaptive-video";
import { PlayerPage } from "../player/player-page";
import { runJobs } from "../run-jobs";
import { expect, test } from "../site";

let folder: string;
test.beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "codecs-e2e-"));
});
test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Plays a video. Returns the names of the video renditions that the player requested. */
async function playAndRecordRenditions(page: Page, id: string): Promise<Set<string>> {
  const names = new Set<string>();
  page.on("request", (request) => {
    const name = /\/hls-\w+\/((?:av1-)?\d+p)[\w-]*\.(?:mp4|m3u8)/.exec(request.url())?.[1];
    if (name) names.add(name);
  });
  const player = new PlayerPage(page);
  await player.open(id);
  await expect.poll(() => plays(player)).toBe("blob:");
  await page.keyboard.press("k");
  await player.expectPlaying();
  return names;
}

test("AV1 is loaded only on devices that decode it efficiently", async ({
  page,
  context,
  site,
}) => {
  test.setTimeout(120_000);
  const clip = makeClip(folder, "video", { seconds: 4, size: "426x240" });
  const source = site.addFile("videos", "u/1700000000077.mp4", fs.readFileSync(clip));
  const id = site.addVideo({ title: "A popular video", source_url: source, duration: "0:04" });
  site
    .database()
    .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'codecs', 100000000)")
    .run(id);
  const output = await runJobs(site, ["transcode", "ladder", "codecs"], {
    ENCODER_CODECS: "h264,av1",
  });
  expect(output).toContain("The queue is empty.");

  // This browser decodes AV1 in software, which drains the battery.
  expect(
    [...(await playAndRecordRenditions(page, id))].filter((name) => name.startsWith("av1")),
  ).toEqual([]);

  const other = await context.newPage();
  await other.addInitScript(() => {
    navigator.mediaCapabilities.decodingInfo = async ({ video }) =>
      ({
        supported: true,
        smooth: true,
        powerEfficient: video?.contentType.includes("av01") ?? false,
      }) as MediaCapabilitiesDecodingInfo;
  });
  const names = await playAndRecordRenditions(other, id);
  await expect.poll(() => names.has("av1-240p")).toBe(true);
  // The page had requested the start of the default rendition before the player was created.
  expect([...names].filter((name) => !name.startsWith("av1"))).toEqual(["240p"]);
});
