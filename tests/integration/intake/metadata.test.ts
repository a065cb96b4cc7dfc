import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_VIEW } from "~/features/library/list/manage-address";
import { findEditable, listManaged } from "~/features/library/list/managed-list.server";
import { enqueueMissingInLibrary } from "~/features/processing/queue/enqueue.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { publicFile } from "~/features/visibility/media-access.server";
import { parseMediaUrl } from "~/media/bucket.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { requestedVersion, withVersion } from "~/media/serve/file-version.server";
import { sqliteHandle } from "~db/client.server";
import { addVideo } from "../../admin-requests";
import { workUntilIdle } from "../../encode-library";
import { ffmpeg, ffprobe, makeClip } from "../../media-clips";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, uploadRequest } from "../../upload-requests";

/** Tests how the site handles the private metadata that phones and cameras write into their files. */

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
const PRIVATE = /bedroom|Secret|Bob|52\.5|Phone ?15|Phonemaker|Ada's|2026-01-02|2026:01:02/;
const hasExiftool = spawnSync("exiftool", ["-ver"]).status === 0;

let site: ReturnType<typeof useTemporarySite>;
let user: string;
beforeEach(() => {
  site = useTemporarySite();
  user = insertUser().id;
});
afterEach(() => site.remove());

/** User data in the video stream, where camcorders store the location. */
const SEI = "h264_metadata=sei_user_data=086f3693b7b34f2c965321492feee5b8+Ada's camcorder";
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

/** Returns the file that a visitor receives from a URL. */
function publicAt(url: string): string | undefined {
  const found = publicFile(url);
  return found && path.join(site.uploads, found.replace(/^\/media\//, ""));
}

/** Returns the metadata that common tools can find in a file. */
function metadataOf(file: string): string {
  const entries = "format_tags:stream_tags:chapter_tags";
  const exif = hasExiftool
    ? execFileSync("exiftool", ["-a", "-ee", "-u", "-G1", "--System:all", "--FileName", file])
    : "";
  return `${ffprobe(file, ["-show_entries", entries])}\n${exif}\n${fs.readFileSync(file, "latin1")}`;
}

function expectClean(url: string): void {
  const file = publicAt(url);
  if (!file) throw new Error(`${url} is not public.`);
  expect(metadataOf(file)).not.toMatch(PRIVATE);
  ffmpeg(["-i", file, "-f", "null", "-"]);
}

describe.runIf(ffmpegAvailable())("private metadata", () => {
  it.each([
    ["an MP4 from a phone", { output: [...TAGS, "-movflags", "+faststart+use_metadata_tags"] }],
    ["an MP4 with its index at the end", { output: TAGS }],
    ["a MOV", { extension: "mov", output: [...TAGS, "-movflags", "use_metadata_tags"] }],
    ["a WebM", { extension: "webm", ...VP8, output: TAGS }],
    ["a Matroska file", { extension: "mkv", output: TAGS }],
    ["a camcorder's recording", { extension: "ts", output: [...TAGS, "-bsf:v", SEI] }],
  ])("is removed from %s before the file becomes public", async (_, clip) => {
    const file = makeClip(site.folder, "video", clip);
    expect(metadataOf(file)).toMatch(PRIVATE);
    const { video_url, source_url } = await upload(file);
    if (video_url) expectClean(video_url);
    else expect(publicAt(source_url!)).toBeUndefined();
    await workUntilIdle();
    expectClean(row().video_url);
    expect(publicAt(source_url ?? row().video_url)).toBe(publicAt(row().video_url));
  });

  it.each<[string, (source: string) => string[]]>([
    ["the time of day in a track", (source) => ["-i", source, "-timecode", "01:02:03:04"]],
    ["named chapters", (source) => ["-i", source, "-i", chapters(), "-map_chapters", "1"]],
  ])("stays private in a file with %s, and only a cleaned copy is published", async (_, input) => {
    const source = makeClip(site.folder, "video", { output: [...TAGS, "-movflags", "+faststart"] });
    const file = path.join(site.folder, "more.mp4");
    ffmpeg([...input(source), "-map", "0:v", "-map", "0:a", "-c", "copy", file]);
    const before = await upload(file);
    expect(before).toMatchObject({ status: "published", video_url: "" });
    expect(publicAt(before.source_url!)).toBeUndefined();
    await workUntilIdle();
    const { video_url, source_url } = row();
    expectClean(video_url);
    // The original is available only in the studio.
    expect(publicAt(source_url!)).toBe(publicAt(video_url));
    expect(metadataOf(path.join(site.uploads, source_url!.replace("/media/", "")))).toMatch(
      PRIVATE,
    );
  });
});

/** Adds a video as another tool might. */
function insertVideo(file: string, columns: Record<string, string> = {}): string {
  const name = `${path.basename(file, path.extname(file))}-${user}${path.extname(file)}`;
  fs.mkdirSync(path.join(site.uploads, "videos/tool"), { recursive: true });
  fs.copyFileSync(file, path.join(site.uploads, "videos/tool", name));
  addVideo({ id: "v", status: "published", video_url: `/media/videos/tool/${name}`, ...columns });
  return `/media/videos/tool/${name}`;
}
const hasMark = async () => (await findEditable("v"))?.hasMetadata ?? false;

describe.runIf(ffmpegAvailable())("files that another tool has added", () => {
  it.each([
    ["an MP4", { output: [...TAGS, "-movflags", "+faststart"] }],
    ["an MP4 with its index at the end", { output: TAGS }],
    ["a WebM", { extension: "webm", ...VP8, output: TAGS }],
  ])("are marked as uncleaned until the next `jobs -- --all` (%s)", async (_, clip) => {
    const file = makeClip(site.folder, "video", clip);
    const url = insertVideo(file);
    expect(await hasMark()).toBe(true);
    expect((await listManaged(DEFAULT_VIEW)).videos[0]).toMatchObject({ hasMetadata: true });
    const version = await withVersion(url);
    expect(await enqueueMissingInLibrary()).toBe(1);
    await workUntilIdle();
    expectClean(url);
    // Caches and backups identify a file by its version.
    expect(await withVersion(url)).not.toBe(version);
    expect(await hasMark()).toBe(false);
    expect(await enqueueMissingInLibrary()).toBe(0);
    // The URL of the previous version must not return the metadata either.
    const { search } = new URL(version, "http://x");
    const { path: served } = requestedVersion(parseMediaUrl(url)!, search);
    expect(metadataOf(path.join(site.uploads, "videos", served))).not.toMatch(PRIVATE);
    // Block lists contain the digest of the unmodified file.
    const sha256 = createHash("sha256").update(fs.readFileSync(file)).digest("hex");
    expect(sqliteHandle().prepare("SELECT sha256 FROM video_digests").pluck().get()).toBe(sha256);
  });

  it("are remuxed if they can't be cleaned in place, and the originals are available only in the studio", async () => {
    const clip = makeClip(site.folder, "video", { output: [...TAGS, "-movflags", "+faststart"] });
    const file = path.join(site.folder, "more.mp4");
    ffmpeg(["-i", clip, "-i", chapters(), "-map_chapters", "1", "-c", "copy", file]);
    const url = insertVideo(file);
    const version = await withVersion(url);
    await enqueueMissingInLibrary();
    await workUntilIdle();
    expectClean(url);
    expect(await hasMark()).toBe(false);
    const { source_url } = row();
    expect(source_url).toMatch(/\/private-/);
    expect(publicFile(source_url!)).toBeUndefined();
    const { search } = new URL(version, "http://x");
    const name = parseMediaUrl(url)!;
    expect(requestedVersion(name, search)).toEqual(name);
    expect(metadataOf(path.join(site.uploads, source_url!.replace("/media/", "")))).toMatch(
      PRIVATE,
    );
  });

  it("are marked again if they are replaced by the other tool", async () => {
    const file = makeClip(site.folder, "video", { output: [...TAGS, "-movflags", "+faststart"] });
    insertVideo(file);
    await enqueueMissingInLibrary();
    await workUntilIdle();
    const second = path.join(site.uploads, "videos/tool/2.mp4");
    fs.copyFileSync(file, second);
    sqliteHandle().exec("UPDATE videos SET video_url = '/media/videos/tool/2.mp4'");
    expect(await hasMark()).toBe(true);
    expect(await enqueueMissingInLibrary()).toBe(1);
    await workUntilIdle();
    expectClean("/media/videos/tool/2.mp4");
    expect(await hasMark()).toBe(false);
  });

  it("are cleaned without changing other hard links to them", async () => {
    const file = makeClip(site.folder, "video", { output: [...TAGS, "-movflags", "+faststart"] });
    const url = insertVideo(file);
    const inPlace = path.join(site.uploads, url.replace("/media/", ""));
    const other = path.join(site.folder, "other.mp4");
    fs.linkSync(inPlace, other);
    await enqueueMissingInLibrary();
    await workUntilIdle();
    expectClean(url);
    expect(fs.readFileSync(other).equals(fs.readFileSync(file))).toBe(true);
  });

  it("have private metadata removed from their thumbnails", async () => {
    const image = path.join(site.folder, "photo.jpg");
    ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=640x360", "-frames:v", "1", image]);
    tag(image);
    fs.mkdirSync(path.join(site.uploads, "thumbnails/tool"), { recursive: true });
    fs.copyFileSync(image, path.join(site.uploads, "thumbnails/tool/1.jpg"));
    const thumbnail_url = "/media/thumbnails/tool/1.jpg";
    insertVideo(makeClip(site.folder, "video", {}), { thumbnail_url });
    expect(await hasMark()).toBe(true);
    await enqueueMissingInLibrary();
    await workUntilIdle();
    expect(await hasMark()).toBe(false);
    const now = sqliteHandle().prepare("SELECT thumbnail_url FROM videos").pluck().get() as string;
    expect(metadataOf(publicThumbnail(now))).not.toMatch(PRIVATE);
    expect(publicFile(thumbnail_url)).toBeUndefined();
  });
});

const publicThumbnail = (url: string) =>
  path.join(site.uploads, publicFile(url)!.replace("/media/", ""));

/** Adds a phone's metadata to a JPEG. */
function tag(image: string): void {
  execFileSync("exiftool", [
    ...["-overwrite_original", "-GPSLatitude=52.52", "-GPSLatitudeRef=N", "-Artist=Ada Secret"],
    ...["-Make=Phonemaker", "-Model=Phone 15", "-DateTimeOriginal=2026:01:02 03:04:05"],
    ...["-XMP:Title=My bedroom", "-IPTC:By-line=Ada Secret", "-Comment=for Bob only", image],
  ]);
}

describe.runIf(hasExiftool)("an uploaded thumbnail", () => {
  it("doesn't contain the metadata from a phone's JPEG", async () => {
    const image = path.join(site.folder, "photo.jpg");
    ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=640x360", "-frames:v", "1", image]);
    tag(image);
    expect(metadataOf(image)).toMatch(PRIVATE);
    const source = makeClip(site.folder, "video");
    const request = uploadRequest(fileBlob(source), {}, fileBlob(image));
    const outcome = await receiveUpload(request, user);
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
    const url = sqliteHandle().prepare("SELECT thumbnail_url FROM videos").pluck().get() as string;
    expect(metadataOf(publicThumbnail(url))).not.toMatch(PRIVATE);
  });
});
