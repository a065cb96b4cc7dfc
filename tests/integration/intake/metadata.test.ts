import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { publicFile } from "~/media/serve/public-file.server";
import { receiveUpload } from "~/studio/upload/receive-upload.server";
import { sqliteHandle } from "~db/client.server";
import { workUntilIdle } from "../../encode-library";
import { ffmpeg, ffprobe, makeClip } from "../../media-clips";
import { makeUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, uploadRequest } from "../../upload-requests";

/** What phones and cameras write into their files, and nobody is to see. */

const TOLD = {
  ...{ title: "My bedroom", artist: "Ada Secret", author: "Ada Secret", comment: "for Bob only" },
  ...{ location: "+52.5200+013.4050/", make: "Phonemaker", model: "Phone 15" },
  ...{ creation_time: "2026-01-02T03:04:05Z", date: "2026-01-02" },
};
const TAGS = [
  ...Object.entries(TOLD).flatMap(([name, value]) => ["-metadata", `${name}=${value}`]),
  ...["-metadata:s:v:0", "title=Ada's camera", "-metadata:s:v:0", "handler_name=Ada's camera"],
  ...["-metadata:s:a:0", "title=Ada's voice", "-metadata:s:a:0", "handler_name=Ada's voice"],
];
const TELLS = /bedroom|Secret|Bob|52\.5|Phone ?15|Phonemaker|Ada's|2026-01-02|2026:01:02/;
const hasExiftool = spawnSync("exiftool", ["-ver"]).status === 0;

let site: ReturnType<typeof useTemporarySite>;
let user: string;
beforeEach(() => {
  site = useTemporarySite();
  user = makeUser().id;
});
afterEach(() => site.remove());

const VP8 = { video: ["libvpx", "-deadline", "realtime"], audio: ["libvorbis"] };
const chapters = () => {
  const file = path.join(site.folder, "chapters.txt");
  fs.writeFileSync(
    file,
    ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=900\ntitle=My bedroom\n",
  );
  return file;
};

interface Video {
  status: string;
  video_url: string;
  source_url: string | null;
}

async function upload(file: string): Promise<Video> {
  const outcome = await receiveUpload(uploadRequest(fileBlob(file), {}), user);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return row();
}

const row = () =>
  sqliteHandle().prepare("SELECT status, video_url, source_url FROM videos").get() as Video;

/** The file that anyone gets at an address. */
function publicAt(url: string): string | undefined {
  const found = publicFile(url);
  return found && path.join(site.uploads, found.replace(/^\/media\//, ""));
}

/** What the tools that read metadata find in a file. */
function toldBy(file: string): string {
  const entries = "format_tags:stream_tags:chapter_tags";
  const exif = hasExiftool
    ? execFileSync("exiftool", ["-a", "-ee", "-u", "-G1", "--System:all", "--FileName", file])
    : "";
  return `${ffprobe(file, ["-show_entries", entries])}\n${exif}\n${fs.readFileSync(file, "latin1")}`;
}

function expectClean(url: string): void {
  const file = publicAt(url);
  if (!file) throw new Error(`Nobody gets ${url}.`);
  expect(toldBy(file)).not.toMatch(TELLS);
  ffmpeg(["-i", file, "-f", "null", "-"]);
}

describe.runIf(ffmpegAvailable())("what a file tells about who made it, and where", () => {
  it.each([
    ["an MP4 of a phone", { output: [...TAGS, "-movflags", "+faststart+use_metadata_tags"] }],
    ["an MP4 with its index at the end", { output: TAGS }],
    ["a MOV", { as: "mov", output: [...TAGS, "-movflags", "use_metadata_tags"] }],
    ["a WebM", { as: "webm", ...VP8, output: TAGS }],
    ["a Matroska", { as: "mkv", output: TAGS }],
  ])("is not in %s, from the first second on", async (_, clip) => {
    const file = makeClip(site.folder, "film", clip);
    expect(toldBy(file)).toMatch(TELLS);
    const { video_url, source_url } = await upload(file);
    if (video_url) expectClean(video_url);
    else expect(publicAt(source_url!)).toBeUndefined();
    await workUntilIdle();
    expectClean(row().video_url);
    expect(publicAt(source_url ?? row().video_url)).toBe(publicAt(row().video_url));
  });

  it.each<[string, (film: string) => string[]]>([
    ["the time of day in a track", (film) => ["-i", film, "-timecode", "01:02:03:04"]],
    ["named chapters", (film) => ["-i", film, "-i", chapters(), "-map_chapters", "1"]],
  ])("is not in a file with %s, which is public when a copy is there", async (_, input) => {
    const film = makeClip(site.folder, "film", { output: [...TAGS, "-movflags", "+faststart"] });
    const file = path.join(site.folder, "more.mp4");
    ffmpeg([...input(film), "-map", "0:v", "-map", "0:a", "-c", "copy", file]);
    const before = await upload(file);
    expect(before).toMatchObject({ status: "published", video_url: "" });
    expect(publicAt(before.source_url!)).toBeUndefined();
    await workUntilIdle();
    const { video_url, source_url } = row();
    expectClean(video_url);
    // The original stays in the studio.
    expect(publicAt(source_url!)).toBe(publicAt(video_url));
    expect(toldBy(path.join(site.uploads, source_url!.replace("/media/", "")))).toMatch(TELLS);
  });
});
