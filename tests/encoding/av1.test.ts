import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { addToLibrary, jobRows, onlyJobs, videoRow, workUntilIdle } from "../encode-library";
import { type Clip, makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const AV1 = ["libsvtav1", "-preset", "12", "-g", "25"];

/** Returns the kinds of a video's jobs in the order in which they started. */
async function orderOf(clip: Clip): Promise<string[]> {
  const id = await addToLibrary(site.uploads, makeClip(site.folder, "video", clip), true);
  onlyJobs("transcode", "poster", "ladder");
  await workUntilIdle();
  expect(videoRow(id).hls_url).toMatch(/master\.m3u8$/);
  return jobRows(id)
    .filter(({ started_at }) => started_at !== null)
    .sort((a, b) => a.started_at!.localeCompare(b.started_at!))
    .map(({ kind }) => kind);
}

describe.runIf(ffmpegAvailable())("a new video", () => {
  it.each<[string, Clip]>([
    ["AV1 in MP4", { video: AV1 }],
    ["AV1 in Matroska, copied into MP4", { extension: "mkv", video: AV1 }],
  ])("gets its stream before its poster if some browsers can't decode it: %s", async (_, clip) => {
    expect((await orderOf(clip)).slice(0, 2)).toEqual(["transcode", "ladder"]);
  });

  it("gets its poster before its stream if all browsers can decode it", async () => {
    expect((await orderOf({})).at(-1)).toBe("ladder");
  });
});
