import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { audioLabel } from "~/media/captions/languages";
import { copyHasAllTracks, transcode } from "~/media/encode/transcode.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { probe } from "~/media/probe/probe.server";
import { createLadder, encodeArguments, playableEncodeArguments } from "../encode-library";
import { ffmpeg, ffprobe, makeClip } from "../media-clips";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const tone = (seconds: number, hertz = 440) =>
  `sine=frequency=${hertz}:sample_rate=48000:duration=${seconds}`;
/** The duration of one frame plus one AAC packet. */
const LEEWAY_SECONDS = 0.07;

/** Returns the start of a stream's last packet, in seconds from the first frame. */
function endOf(file: string, stream: "v" | "a"): number {
  const packets = (which: string) =>
    ffprobe(file, ["-select_streams", which, "-show_entries", "packet=pts_time", "-of", "csv=p=0"])
      .split("\n")
      .map((line) => Number.parseFloat(line))
      .filter((time) => !Number.isNaN(time));
  return Math.max(...packets(stream)) - Math.min(...packets("v"));
}

/** Returns the path of the master playlist, which has a single rendition. */
const masterOf = (ladder: string) => path.join(ladder, "master.m3u8");

/** Creates and probes a video with several audio tracks, each with a different tone and its own metadata. */
function probeOf(
  name: string,
  tracks: { codec: string; channels?: number; metadata?: string[] }[],
) {
  const clip = path.join(site.folder, name);
  ffmpeg([
    ...["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=3"],
    ...tracks.flatMap((_, index) => ["-f", "lavfi", "-i", tone(3, 300 * (index + 1))]),
    ...["-map", "0", ...tracks.flatMap((_, index) => ["-map", String(index + 1)])],
    ...["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"],
    ...tracks.flatMap(({ codec, channels = 2, metadata = [] }, index) => [
      ...[`-c:a:${index}`, codec, `-ac:a:${index}`, String(channels)],
      ...metadata.flatMap((each) => [`-metadata:s:a:${index}`, each]),
    ]),
    clip,
  ]);
  return clip;
}

/** Returns the frequency of the tone in a file, in hertz. */
function toneOf(file: string): number {
  const raw = `${file}.pcm`;
  ffmpeg(["-i", file, "-ac", "1", "-ar", "48000", "-f", "s16le", raw]);
  const bytes = fs.readFileSync(raw);
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  const second = samples.subarray(48_000, 96_000);
  const rises = second.filter((sample, at) => at > 0 && sample >= 0 && second[at - 1]! < 0);
  return Math.round(rises.length / 10) * 10;
}

const audioTags = (ladder: string) =>
  fs.readFileSync(masterOf(ladder), "utf8").match(/^#EXT-X-MEDIA:.*$/gm) ?? [];

describe.runIf(ffmpegAvailable())("the audio of the adaptive stream", () => {
  it.each([
    ["is padded to the end of the video if it is shorter", "mp4", 6, tone(2)],
    ["ends with the video if it is longer", "mp4", 2, tone(9)],
    ["is padded to the end of the video in a file without stream durations", "mkv", 6, tone(2)],
  ])("%s", async (_, as, seconds, audioSource) => {
    const ladder = await createLadder(
      makeClip(site.folder, "video", { extension: as, seconds, audioSource }),
    );
    const file = masterOf(ladder);
    expect(endOf(file, "v")).toBeCloseTo(seconds, 0);
    expect(Math.abs(endOf(file, "a") - endOf(file, "v"))).toBeLessThan(LEEWAY_SECONDS);
    for (const name of ["180p", "audio-1", "audio-1-low"]) {
      const playlist = fs.readFileSync(path.join(ladder, `${name}.m3u8`), "utf8");
      const lengths = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map((match) => Number(match[1]));
      expect(Math.abs(lengths.reduce((sum, each) => sum + each) - seconds)).toBeLessThan(
        LEEWAY_SECONDS,
      );
    }
  });

  it("is available in every language of the video, and in surround if the video has surround audio", async () => {
    const ladder = await createLadder(
      probeOf("languages.mkv", [
        { codec: "aac", metadata: ["language=ger"] },
        { codec: "ac3", channels: 6, metadata: ["language=ger", "title=Dolby Digital 5.1"] },
        { codec: "libmp3lame", metadata: ["language=eng", "title=Ada's commentary"] },
      ]),
    );
    expect(audioTags(ladder)).toEqual([
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="stereo",NAME="German",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio-1.m3u8"',
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="stereo",NAME="English (Commentary)",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="audio-2.m3u8"`,
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="German",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio-1-low.m3u8"',
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="English (Commentary)",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="audio-2-low.m3u8"`,
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="surround",NAME="German",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="6",URI="audio-1-surround.m3u8"',
    ]);
    const tones = ["audio-1", "audio-1-surround", "audio-2"].map((name) =>
      toneOf(path.join(ladder, `${name}.mp4`)),
    );
    expect(tones).toEqual([300, 600, 900]);
    const entries = ["-show_entries", "stream=codec_name,channels", "-of", "csv=p=0"];
    expect(ffprobe(path.join(ladder, "audio-1-surround.mp4"), entries).trim()).toMatch(/^ac3,6\b/);
    expect(ffprobe(path.join(ladder, "audio-2.mp4"), entries).trim()).toMatch(/^aac,2\b/);
    const master = fs.readFileSync(masterOf(ladder), "utf8");
    expect(master).toMatch(/CODECS="avc1\.\w+,ac-3",[^\n]*AUDIO="surround"\n180p\.m3u8\n/);
  });

  it("has no surround version if the surround track is shorter than the video", async () => {
    const clip = makeClip(site.folder, "short", {
      ...{ extension: "mkv", seconds: 6, audioSource: tone(2) },
      audio: ["ac3", "-ac", "6"],
    });
    const ladder = await createLadder(clip);
    expect(audioTags(ladder).join("\n")).not.toContain("surround");
    expect(fs.readdirSync(ladder).join()).not.toContain("surround");
  });

  it("is omitted, along with its audio groups, if the video is silent", async () => {
    const ladder = await createLadder(makeClip(site.folder, "silent", { audio: false }));
    expect(audioTags(ladder)).toEqual([]);
    expect(fs.readFileSync(masterOf(ladder), "utf8")).not.toMatch(/AUDIO|mp4a/);
  });

  it("is encoded even if one of several tracks can't be decoded", async () => {
    const clip = probeOf("broken.mp4", [{ codec: "aac" }, { codec: "aac" }]);
    const bytes = fs.readFileSync(clip);
    // This is AC-4, which ffmpeg recognizes but can't decode.
    bytes.write("ac-4", bytes.lastIndexOf("mp4a", bytes.length, "latin1"), "latin1");
    bytes.write("free", bytes.lastIndexOf("esds", bytes.length, "latin1"), "latin1");
    fs.writeFileSync(clip, bytes);
    const ladder = await createLadder(clip);
    const tags = audioTags(ladder);
    expect(tags).toHaveLength(2);
    expect(fs.readdirSync(ladder).join()).not.toContain("audio-2");
    for (const tag of tags) expect(tag).toContain("DEFAULT=YES");
  });

  it.each([
    ["AC-3, which is also in the copy", "ac3", ["aac", "ac3"], true],
    ["E-AC-3, for which the original is kept", "eac3", ["aac"], false],
  ])("keeps a second language when a copy replaces the file: %s", async (...row) => {
    const [, codec, inCopy, isAll] = row;
    const metadata = ["language=ger"];
    const clip = probeOf(`${codec}.mp4`, [{ codec: "aac" }, { codec, channels: 6, metadata }]);
    const [source, found, task] = await encodeArguments(clip);
    expect(found.playable).toBe(true);
    expect((await transcode(source, found, task)).replacement).toBe("playable.mp4");
    const copy = (await probe(path.join(site.folder, "playable.mp4")))!;
    expect(copy.audioTracks.map(({ codec }) => codec)).toEqual(inCopy);
    if (isAll) expect(audioLabel(copy.audioTracks[1]!)).toBe("German");
    expect(copy.playable).toBe(true);
    expect(copyHasAllTracks(found)).toBe(isAll);
  });

  it("is padded to the video's length if it is re-encoded for the playable copy", async () => {
    const short = {
      extension: "avi",
      seconds: 4,
      audioSource: tone(1),
      video: ["mpeg4"],
      audio: ["ac3"],
    };
    const clip = makeClip(site.folder, "video", short);
    const { moves } = await transcode(...(await playableEncodeArguments(clip)));
    const file = path.join(site.folder, moves[0]!.from);
    expect(Math.abs(endOf(file, "a") - 4)).toBeLessThan(LEEWAY_SECONDS);
  });
});
