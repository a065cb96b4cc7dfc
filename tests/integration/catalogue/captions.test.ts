import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listDeletions } from "~/features/library/trash/recent-deletions.server";
import { checkLibrary } from "~/features/operations/library-check/check-library.server";
import { PRIORITIES } from "~/features/processing/queue/kinds";
import { claim } from "~/features/processing/queue/queue.server";
import { removeVideos } from "~/features/trash/remove.server";
import { restoreDeletion } from "~/features/trash/restore.server";
import { respondWithMedia } from "~/features/visibility/media-access.server";
import { findPublished } from "~/features/watch/video.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { readCaptions } from "~db/captions";
import { sqliteHandle } from "~db/client.server";
import {
  addToLibrary,
  diskPath,
  filesBelow,
  jobRows,
  jobStates,
  videoRow,
  workUntilIdle,
} from "../../encode-library";
import { ffmpeg, makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const ENGLISH = `1
00:00:00,500 --> 00:00:01,500
Rock & <i>roll</i>, 1 < 2

2
00:00:02,000 --> 00:00:03,000
The end
`;
const FRENCH = `[Script Info]
ScriptType: v4.00+
[V4+ Styles]
Format: Name, Fontname, Fontsize, Alignment, MarginL, MarginR, MarginV
Style: Default,Arial,20,2,10,10,10
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.50,0:00:01.50,Default,,0,0,0,,{\\i1}Bonjour{\\i0} le\\Nmonde
Dialogue: 1,0:00:00.50,0:00:01.50,Default,,0,0,0,,{\\i1}Bonjour{\\i0} le\\Nmonde
Dialogue: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0 100 100{\\p0}
`;

/** Creates a 4-second video with English and French captions. */
function subtitled(as: string, codecs: [string, string], options: string[] = []): string {
  const source = makeClip(site.folder, "video", { seconds: 4, video: ["mpeg4"], extension: "mkv" });
  const [english, french] = [path.join(site.folder, "e.srt"), path.join(site.folder, "f.ass")];
  fs.writeFileSync(english, ENGLISH);
  fs.writeFileSync(french, FRENCH);
  const file = path.join(site.folder, `subtitled.${as}`);
  ffmpeg([
    ...["-i", source, "-i", english, "-i", french, "-map", "0", "-map", "1", "-map", "2"],
    ...["-c", "copy", ...(as === "mp4" ? ["-c:v", "libx264", "-pix_fmt", "yuv420p"] : [])],
    ...["-c:s:0", codecs[0], "-c:s:1", codecs[1], "-metadata:s:s:0", "language=eng"],
    ...["-metadata:s:s:1", "language=fre", "-disposition:s:1", "forced", ...options, file],
  ]);
  return file;
}

const text = (url: string) => fs.readFileSync(diskPath(site.uploads, url), "utf8");
const sendRequest = (url: string) => {
  const [bucket, ...rest] = url.replace("/media/", "").split("/");
  const request = new Request(`http://localhost${url}`, { headers: { Range: "bytes=0-5" } });
  return respondWithMedia(
    request,
    { bucket: bucket as "videos", path: rest.join("/") },
    async () => false,
  );
};

describe.runIf(ffmpegAvailable())("captions embedded in the file", () => {
  it.each([
    ["SubRip and ASS in Matroska", "mkv", ["srt", "ass"], "1 &lt; 2\n"],
    // In this case, ffmpeg writes an unescaped "<", which starts a tag in WebVTT.
    ["WebVTT in Matroska", "mkv", ["webvtt", "srt"], "1\n"],
    ["timed text in MP4", "mp4", ["mov_text", "mov_text"], "1 &lt; 2\n"],
  ] as const)("are converted from %s to WebVTT for the video page", async (_, as, codecs, last) => {
    const id = await addToLibrary(site.uploads, subtitled(as, [...codecs]), as === "mp4");
    sqliteHandle().exec("DELETE FROM jobs WHERE kind NOT IN ('transcode', 'captions')");
    await workUntilIdle();
    expect(jobRows(id).filter(({ reason }) => reason)).toEqual([]);
    expect(jobStates(id)).toMatchObject({ transcode: "done", captions: "done" });

    const captions = (await findPublished(id))?.captions ?? [];
    expect(captions).toMatchObject([
      { language: "en", label: "English" },
      { language: "fr", label: "French (forced)" },
    ]);
    const [english = "", french = ""] = captions.map(({ url }) => text(url));
    expect(english).toMatch(
      /^WEBVTT\n\n00:00:00\.5\d\d --> 00:00:01\.5\d\d\nRock &amp; <i>roll<\/i>, /,
    );
    expect(english).toContain(last);
    expect(french).toContain("<i>Bonjour</i> le\nmonde\n");
    expect(french.match(/Bonjour/g)).toHaveLength(1);
    expect(french).not.toContain("m 0 0 l");
    expect(filesBelow(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("support range requests, and are hidden, counted, deleted and restored together with the video", async () => {
    const id = await addToLibrary(site.uploads, subtitled("mkv", ["srt", "ass"]), true);
    sqliteHandle().exec("DELETE FROM jobs WHERE kind <> 'captions'");
    await workUntilIdle();
    const { captions, video_url, bytes } = videoRow(id);
    const { url } = readCaptions(captions)[0]!;
    const part = await sendRequest(url);
    expect(part.status).toBe(206);
    expect(part.headers.get("Content-Type")).toBe("text/vtt; charset=utf-8");
    expect(await part.text()).toBe("WEBVTT");

    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect((await sendRequest(url)).status).toBe(404);
    sqliteHandle().exec("UPDATE videos SET status = 'published'");

    const made = filesBelow(path.join(site.uploads, "videos")).filter((name) =>
      name.endsWith(".vtt"),
    );
    const size = (name: string) => fs.statSync(path.join(site.uploads, "videos", name)).size;
    expect(bytes).toBe(made.reduce((sum, name) => sum + size(name), 0));
    expect(await checkLibrary()).toMatchObject({ stray: [], missing: [] });
    fs.renameSync(diskPath(site.uploads, url), path.join(site.folder, "aside"));
    expect((await checkLibrary()).missing).toMatchObject([{ videoId: id, url }]);
    fs.renameSync(path.join(site.folder, "aside"), diskPath(site.uploads, url));

    await removeVideos([id], "u");
    await restoreDeletion((await listDeletions())[0]!.batch, "u");
    expect(videoRow(id)).toMatchObject({ captions, video_url });
    expect((await sendRequest(url)).status).toBe(206);
  });

  it("are recorded as an empty list if the video has no captions", async () => {
    const clip = makeClip(site.folder, "plain", { output: ["-movflags", "+faststart"] });
    const id = await addToLibrary(site.uploads, clip, true);
    sqliteHandle().exec("DELETE FROM jobs WHERE kind <> 'captions'");
    await workUntilIdle();
    expect(videoRow(id).captions).toBe("[]");
    expect((await findPublished(id))?.captions).toEqual([]);
  });

  it("are limited to twenty tracks, and don't replace captions that an admin has added", async () => {
    const source = makeClip(site.folder, "video", { extension: "mkv" });
    const english = path.join(site.folder, "e.srt");
    fs.writeFileSync(english, ENGLISH);
    const many = path.join(site.folder, "many.mkv");
    const times = Array.from({ length: 25 }, () => ["-map", "1"]).flat();
    ffmpeg(["-i", source, "-i", english, "-map", "0", ...times, "-c", "copy", many]);
    const id = await addToLibrary(site.uploads, many, true);
    const added = {
      url: "/media/videos/u/1/x.vtt",
      language: "de",
      label: "Captions",
      added: true,
    };
    sqliteHandle().exec("DELETE FROM jobs WHERE kind <> 'captions'");
    sqliteHandle()
      .prepare("UPDATE videos SET captions = ?")
      .run(JSON.stringify([added]));
    await workUntilIdle();
    const captions = readCaptions(videoRow(id).captions);
    expect(captions).toHaveLength(20);
    expect(captions.at(-1)).toEqual(added);
    expect(new Set(captions.map(({ label }) => label)).size).toBe(20);
  });

  it("are extracted right after the playable copy is created, before any images", async () => {
    const clip = makeClip(site.folder, "plain");
    await addToLibrary(site.uploads, clip, true);
    expect((await claim())?.kind).toBe("transcode");
    sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind = 'transcode'");
    expect((await claim())?.kind).toBe("captions");
    expect(PRIORITIES.captions).toBeLessThan(PRIORITIES.poster);
  });
});
