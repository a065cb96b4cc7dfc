import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyWithIndexInFront } from "~/media/encode/faststart.server";
import { box, OtherLayoutError, rewriteIndex } from "~/media/encode/mp4-index";
import { ffmpegAvailable } from "~/media/ffmpeg.server";
import { mp4Layout } from "~/media/mp4-boxes.server";
import { ffmpeg, ffprobe, makeClip, rotate } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const quietly = () => ({ signal: new AbortController().signal, report: () => {} });
const target = () => path.join(site.folder, "copied.mp4");
const copy = (file: string) => copyWithIndexInFront(file, target(), quietly());

/** Every packet with its times and the hash of its bytes, as a demuxer finds them. */
const packets = (file: string) =>
  ffprobe(file, [
    ...["-show_packets", "-show_data_hash", "md5", "-of", "csv=p=0"],
    ...["-show_entries", "packet=codec_type,pts,dts,duration,size,flags,data_hash"],
  ]);
const pictures = (file: string) => ffmpeg(["-i", file, "-map", "0", "-f", "framemd5", "-"]);

/** The boxes of a small file side by side, by their types. */
function boxesOf(bytes: Buffer): Map<string, Buffer> {
  const all = new Map<string, Buffer>();
  for (let start = 0; start < bytes.length; start += bytes.readUInt32BE(start)) {
    const whole = bytes.subarray(start, start + bytes.readUInt32BE(start));
    all.set(whole.toString("latin1", 4, 8), whole);
  }
  return all;
}
const spanOf = (bytes: Buffer, type: string) => {
  const start = bytes.indexOf(boxesOf(bytes).get(type)!);
  return { start: start + 8, end: start + boxesOf(bytes).get(type)!.length };
};

describe.runIf(ffmpegAvailable())("the copy of an MP4 with its index in front", () => {
  it.each([
    ["picture and sound", {}],
    ["a silent film", { audio: false }],
    ["pictures out of order", { video: ["libx264", "-bf", "3", "-pix_fmt", "yuv420p"] }],
    ["AV1 and Opus", { video: ["libsvtav1", "-preset", "12"], audio: ["libopus"] }],
    ["larger than a block", { seconds: 20, size: "640x360" }],
  ] as const)("has the same packets and plays the same: %s", async (_, clip) => {
    const file = makeClip(site.folder, "film", clip as object);
    expect((await mp4Layout(file)).moovFirst).toBe(false);
    expect(await copy(file)).toBe(true);
    expect(await mp4Layout(target())).toEqual({ moovFirst: true, fragmented: false });
    expect(packets(target())).toBe(packets(file));
    const theirs = path.join(site.folder, "theirs.mp4");
    ffmpeg(["-i", file, "-c", "copy", "-movflags", "+faststart", theirs]);
    expect(pictures(target())).toBe(pictures(theirs));
    expect(fs.statSync(target()).size - fs.statSync(file).size).toBeLessThan(8_192);
  });

  it("stays turned, and forgets who made it, when and where", async () => {
    const told = ["-metadata", "location=+47.3-122.2/", "-metadata", "title=Anna's"];
    const named = ["-metadata:s:v:0", "handler_name=Anna's phone"];
    const dated = ["-metadata", "creation_time=2026-01-02T03:04:05Z"];
    const clip = makeClip(site.folder, "film", { output: [...told, ...named, ...dated] });
    const file = rotate(clip, 90);
    expect(fs.readFileSync(file, "latin1")).toContain("Anna's");
    expect(await copy(file)).toBe(true);
    expect(fs.readFileSync(target(), "latin1")).not.toMatch(/Anna's|47\.3/);
    const entries = "stream_side_data=rotation:format_tags:stream_tags";
    const said = ffprobe(target(), ["-show_entries", entries, "-of", "json"]);
    expect(said).not.toContain("creation_time");
    expect(JSON.parse(said).streams[0].side_data_list[0].rotation).toBe(-90);
  });

  it("finds the samples wherever they stand between the borders of the disk's blocks", async () => {
    const file = makeClip(site.folder, "film", { seconds: 4 });
    const bytes = fs.readFileSync(file);
    const all = boxesOf(bytes);
    for (const gap of [8, 9, 4_047, 4_048, 4_049, 8_191, 70_001]) {
      const moved = path.join(site.folder, `moved-${gap}.mp4`);
      const index = rewriteIndex(all.get("moov")!, spanOf(bytes, "mdat"), gap - 8, false);
      const parts = [all.get("ftyp")!, box("free", Buffer.alloc(gap - 8)), all.get("mdat")!, index];
      fs.writeFileSync(moved, Buffer.concat(parts));
      expect(packets(moved), `${gap}`).toBe(packets(file));
      expect(await copy(moved)).toBe(true);
      expect(packets(target()), `${gap}`).toBe(packets(file));
      fs.rmSync(target());
    }
  });

  it("is left to ffmpeg where the file is built otherwise, and nothing is left", async () => {
    const film = makeClip(site.folder, "film");
    const words = path.join(site.folder, "words.srt");
    fs.writeFileSync(words, "1\n00:00:00,000 --> 00:00:01,000\nword\n");
    const make = (name: string, args: string[]) => {
      const file = path.join(site.folder, `${name}.mp4`);
      ffmpeg([...["-i", film, "-i", words], ...args, file]);
      return file;
    };
    const others = {
      fragments: make("fragments", ["-c", "copy", "-movflags", "frag_keyframe+empty_moov"]),
      "a track of text": make("text", ["-map", "0", "-map", "1", "-c", "copy", "-c:s", "mov_text"]),
      "two sounds": make("two", ["-map", "0", "-map", "0:a", "-c", "copy"]),
      "a track that is off": path.join(site.folder, "off.mp4"),
      "no index": path.join(site.folder, "cut.mp4"),
    };
    const off = fs.readFileSync(film);
    const flags = off.indexOf("tkhd") + 7;
    off[flags]! &= ~1;
    fs.writeFileSync(others["a track that is off"], off);
    fs.writeFileSync(others["no index"], fs.readFileSync(film).subarray(0, 20_000));
    for (const [name, file] of Object.entries(others)) {
      expect(await copy(file), name).toBe(false);
      expect(fs.existsSync(target())).toBe(false);
    }
  });

  it("ends when it is told to, and leaves nothing", async () => {
    const file = makeClip(site.folder, "film", { seconds: 20, size: "640x360" });
    const controller = new AbortController();
    const told = { signal: controller.signal, report: () => controller.abort() };
    await expect(copyWithIndexInFront(file, target(), told)).rejects.toThrow();
    expect(fs.existsSync(target())).toBe(false);
  });
});

describe.runIf(ffmpegAvailable())("the index", () => {
  const FAR = 0x1_0000_0000;

  it("names places behind 4 GiB in 64 bits, and refuses to cut them off", () => {
    const bytes = fs.readFileSync(makeClip(site.folder, "film"));
    const moov = boxesOf(bytes).get("moov")!;
    const span = spanOf(bytes, "mdat");
    expect(() => rewriteIndex(moov, span, FAR, false)).toThrow(OtherLayoutError);
    const wide = rewriteIndex(moov, span, FAR, true);
    expect(wide.toString("latin1")).toContain("co64");
    expect(wide.toString("latin1")).not.toContain("stco");
    expect(rewriteIndex(moov, span, 0, true)).toHaveLength(wide.length);
    // And back again, which is the same but for what the first way has left out.
    const far = { start: span.start + FAR, end: span.end + FAR };
    expect(rewriteIndex(wide, far, -FAR, false)).toEqual(rewriteIndex(moov, span, 0, true));
  });

  it("with any byte of it changed is rewritten or refused, and nothing else happens", () => {
    const bytes = fs.readFileSync(makeClip(site.folder, "film", { seconds: 1 }));
    const moov = boxesOf(bytes).get("moov")!;
    const span = spanOf(bytes, "mdat");
    fc.assert(
      fc.property(fc.nat(moov.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const spoilt = Buffer.from(moov);
        spoilt[at]! ^= change;
        try {
          expect(rewriteIndex(spoilt, span, 1_000, false).length).toBeLessThan(moov.length * 2);
        } catch (error) {
          if (!(error instanceof OtherLayoutError)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
