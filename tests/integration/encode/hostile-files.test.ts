import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe, RefusedFileError } from "~/media/probe/probe.server";
import { sqliteHandle } from "~db/client.server";
import { addToLibrary, filesBelow, jobRows, videoRow, workUntilIdle } from "../../encode-library";
import { ffmpeg, makeClip, truncated } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

/**
 * Checks that each of a file's jobs either finishes or fails with a reason, and that no temporary files are left
 * behind.
 */
async function endsWell(file: string): Promise<string[]> {
  const id = await addToLibrary(site.uploads, file, false);
  const failed = () => jobRows(id).some(({ state }) => state === "failed");
  const over = () =>
    failed() || jobRows(id).every(({ state, kind }) => state === "done" || kind === "cleanup");
  for (let attempt = 0; attempt < 3 && !over(); attempt++) {
    sqliteHandle().exec("UPDATE jobs SET run_after = '2000' WHERE kind <> 'cleanup'");
    await workUntilIdle();
  }
  for (const { state, kind, reason } of jobRows(id)) {
    if (kind === "cleanup") continue;
    expect(["done", "failed", "waiting"]).toContain(state);
    if (state === "failed") expect(reason).toMatch(/\w+ \w+/);
    if (state === "waiting") expect(failed()).toBe(true);
  }
  expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
  const row = videoRow(id);
  const urls = [row.source_url, row.video_url, row.thumbnail_url, row.preview_url];
  const folders = [row.hls_url, row.storyboard_url].map((url) => url && path.dirname(url));
  const named = [...urls, ...folders].filter(Boolean).map((url) => url!.replace("/media/", ""));
  const stray = filesBelow(site.uploads).filter(
    (name) => !named.some((each) => name === each || name.startsWith(`${each}/`)),
  );
  expect(stray).toEqual([]);
  sqliteHandle().exec("DELETE FROM videos");
  for (const bucket of ["videos", "thumbnails"]) {
    fs.rmSync(path.join(site.uploads, bucket), { recursive: true, force: true });
  }
  return jobRows(id).map(({ state }) => state);
}

const tiny = (name: string, as = "mp4") =>
  makeClip(site.folder, name, {
    extension: as,
    size: "96x64",
    seconds: 3,
    ...(as === "mp4" && { output: ["-movflags", "+faststart"] }),
  });

describe.runIf(ffmpegAvailable())("hostile files", () => {
  it("are handled cleanly if they are truncated in the middle", async () => {
    await endsWell(truncated(tiny("whole"), 0.7));
  });

  it.each([1, 2])("are handled cleanly if bits are flipped (seed %i)", async (seed) => {
    const file = tiny(`flipped-${seed}`, seed === 2 ? "mkv" : "mp4");
    const bytes = fs.readFileSync(file);
    // Use a small seeded random number generator, so that failures can be reproduced.
    let state = seed * 2_654_435_761;
    for (let flips = 0; flips < 60; flips++) {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      const at = state % bytes.length;
      bytes[at] = bytes[at]! ^ (1 << (flips % 8));
    }
    fs.writeFileSync(file, bytes);
    await endsWell(file);
  });

  it("are rejected if they contain an archive, noise or a playlist, or are empty", async () => {
    const secret = path.join(site.folder, "secret.ts");
    fs.copyFileSync(tiny("target", "ts"), secret);
    const files: Record<string, Buffer | string> = {
      "bomb.mp4": Buffer.concat([Buffer.from("PK\u0003\u0004"), Buffer.alloc(1_000_000)]),
      "noise.mp4": randomBytes(100_000),
      "list.mp4": `#EXTM3U\n#EXTINF:2,\nfile:${secret}\n#EXT-X-ENDLIST\n`,
      "concat.mp4": `ffconcat version 1.0\nfile ${secret}\n`,
      "empty.mp4": "",
    };
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(site.folder, name);
      fs.writeFileSync(file, content);
      await expect(probe(file)).rejects.toBeInstanceOf(RefusedFileError);
    }
    await endsWell(path.join(site.folder, "list.mp4"));
  });

  it("can't make the site open external files to which an MP4's tracks refer", async () => {
    const file = tiny("reference");
    const bytes = fs.readFileSync(file);
    // The data reference's flag means that the media data is in the same file. Without the flag, the track refers to
    // another file.
    const url = bytes.indexOf("url ", 0, "latin1");
    bytes.writeUInt32BE(0, url + 4);
    fs.writeFileSync(file, bytes);
    await endsWell(file);
  });

  it("are rejected if they are 100,000 pixels wide or a single frame lasts a day", async () => {
    const line = path.join(site.folder, "line.mkv");
    const wide = ["-f", "lavfi", "-i", "color=gray:size=100000x2:rate=1:duration=1"];
    ffmpeg([...wide, "-vf", "format=gray,crop=100000:1", "-c:v", "ffv1", line]);
    await expect(probe(line)).rejects.toMatchObject({ status: 422 });
    const endless = tiny("endless");
    const bytes = fs.readFileSync(endless);
    const header = bytes.indexOf("mvhd", 0, "latin1") + 4;
    bytes.writeUInt32BE(0xfffffff0, header + 16);
    fs.writeFileSync(endless, bytes);
    await endsWell(endless);
  });

  it("don't become an hour long because of an hour-long gap in their timestamps", async () => {
    const parts = [tiny("first", "mkv"), path.join(site.folder, "late.mkv")] as const;
    ffmpeg(["-i", parts[0], "-vf", "setpts=PTS+if(gte(T\\,1)\\,3600/TB\\,0)", parts[1]]);
    const found = await probe(parts[1]).catch((error) => error);
    if (!(found instanceof Error)) expect(found.durationSeconds).toBeGreaterThan(1);
    else expect(found).toBeInstanceOf(RefusedFileError);
  });
});
