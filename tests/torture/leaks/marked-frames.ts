import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { clip } from "../../clips";
import { freePort } from "../../free-port";
import { MULTIPART, multipartParts, sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import type { Faults } from "../options";
import { listsWith } from "./hidden-requests";

type Color = readonly [red: number, green: number, blue: number];

/**
 * The colors of the two halves of every frame in the marked video, and the mix of both colors that scaling produces.
 */
const LEFT: Color = [200, 30, 140];
const RIGHT: Color = [120, 200, 20];
const MARKS: readonly Color[] = [LEFT, RIGHT, [160, 115, 80]];
/** The tolerance per channel, slightly more than the changes caused by encoding and scaling. */
const TOLERANCE = 16;
/** The fraction of an image's pixels that must be close to a marker. */
const MIN_SHARE = 0.1;
/**
 * The width and height in pixels that images are scaled to. This is large enough to examine each tile of a storyboard.
 */
const GRID_SIZE = 64;
const SECONDS = 12;
const CONVERSION_TIMEOUT_MS = 120_000;

/** The media and pages that the site served to a visitor. */
interface Seen {
  /** For each URL, whether the image or video shows a marker. */
  media: ReadonlyMap<string, boolean>;
  /** Pages that contain one of the marker's colors. */
  pagesWithColor: readonly string[];
}

export interface FramesOptions {
  /** Whether the video is deliberately left public. The run must detect this. */
  keepPublic?: boolean;
}

/**
 * Uploads, converts and hides a video in which every frame has the marker's colors. Then collects the URLs that the
 * public pages contain now or used to contain, and checks that no image or video at these URLs shows the colors.
 */
export async function runFrames({ keepPublic = false }: FramesOptions = {}) {
  const faults: Faults = [];
  const site = new SiteProcess({
    ENCODER_CONCURRENCY: "1",
    ENCODER_MAX_HEIGHT: "240",
    ENCODER_FREE_BYTES: "1",
  });
  try {
    site.url = `http://127.0.0.1:${await freePort()}`;
    await site.start({ PUBLIC_URL: site.url });
    const cookie = await signInTo(site);
    const known = await upload(site, cookie, "An evening that stays", ordinaryVideo());
    const marked = await upload(site, cookie, "An evening that goes", markedVideo());
    await waitUntilConverted(site);

    const before = await findMedia(site, [known, marked]);
    const shown = [...before.media].filter(([, marks]) => marks).map(([url]) => url);
    for (const kind of [
      /\.mp4$/,
      /\.m3u8$/,
      /^\/media\/thumbnails\//,
      /storyboard[^/]*\/\d+\.webp$/,
    ]) {
      const path = (url: string) => url.replace(/[?#].*/, "");
      if (!shown.some((url) => kind.test(path(url))))
        faults.push(`No ${kind} shows the mark while the video is public: ${shown.join(" ")}`);
    }

    if (!keepPublic) await hide(site, cookie, marked);
    const after = await findMedia(site, [known]);
    if (![...after.media.values()].includes(false))
      faults.push("No image without the mark was found");
    for (const [url, marks] of after.media) {
      if (marks) faults.push(`${url} shows the mark of a hidden video`);
    }
    for (const page of after.pagesWithColor) faults.push(`${page} names a color of a hidden video`);
    for (const url of shown) {
      const { status } = await sendRequest(site, "GET", url);
      if (status !== 404) faults.push(`${url} of a hidden video returns ${status}`);
    }
    return { faults, media: before.media.size + after.media.size };
  } finally {
    await site.remove();
  }
}

const H264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 25 -movflags +faststart";

function markedVideo(): string {
  const half = ([red, green, blue]: Color) => {
    const hex = [red, green, blue].map((value) => value.toString(16).padStart(2, "0")).join("");
    return ["-f", "lavfi", "-i", `color=0x${hex}:size=160x180:rate=25:duration=${SECONDS}`];
  };
  return clip("mp4", [
    ...[...half(LEFT), ...half(RIGHT)],
    ...["-filter_complex", "hstack"],
    ...H264.split(" "),
  ]);
}

function ordinaryVideo(): string {
  const source = `smptebars=size=320x180:rate=25:duration=${SECONDS}`;
  return clip("mp4", ["-f", "lavfi", "-i", source, ...H264.split(" ")]);
}

async function upload(
  site: SiteProcess,
  cookie: string,
  title: string,
  video: string,
): Promise<string> {
  const texts = {
    title,
    description: "By the sea.",
    category: "desi",
    tags: "evening",
    duration: "",
  };
  const { before, after } = multipartParts({ ...texts, intent: "publish" });
  const body = Buffer.concat([Buffer.from(before), fs.readFileSync(video), Buffer.from(after)]);
  const headers = { ...MULTIPART, Cookie: cookie };
  const { status, body: text } = await sendRequest(site, "POST", "/admin/publish", headers, body);
  if (status !== 201) throw new Error(`An upload returned ${status}: ${text.slice(0, 300)}`);
  const sql = "SELECT id FROM videos WHERE title = ?";
  return site.database().prepare(sql).pluck().get(title) as string;
}

/** Waits until all jobs have finished. */
async function waitUntilConverted(site: SiteProcess): Promise<void> {
  const until = Date.now() + CONVERSION_TIMEOUT_MS;
  const pending = site.database().prepare(`SELECT kind, state, reason FROM jobs
    WHERE state NOT IN ('done', 'failed') AND kind <> 'cleanup'`);
  while (pending.all().length > 0) {
    if (Date.now() > until) throw new Error(`Not converted: ${JSON.stringify(pending.all())}`);
    await new Promise((next) => setTimeout(next, 200));
  }
}

async function hide(site: SiteProcess, cookie: string, id: string): Promise<void> {
  const headers = { Cookie: cookie, "Content-Type": "application/x-www-form-urlencoded" };
  const fields = new URLSearchParams({ intent: "toggle", id, expectedStatus: "published" });
  const { status } = await sendRequest(site, "POST", "/admin", headers, fields.toString());
  if (status >= 400) throw new Error(`Hiding returned ${status}`);
}

/** Requests the public pages and the pages of `videos`, and decodes all media that they link to. */
async function findMedia(site: SiteProcess, videos: readonly string[]): Promise<Seen> {
  const pages = videos.flatMap((id) => listsWith({ id }));
  const media = new Map<string, boolean>();
  const pagesWithColor: string[] = [];
  const pending = [...new Set(pages)];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const { body } = await sendRequest(site, "GET", path);
    if (MARKS.some((mark) => colorsOf(body).some((color) => isNear(color, mark))))
      pagesWithColor.push(path);
    for (const source of sourcesIn(body, path)) {
      if (media.has(source)) continue;
      media.set(source, showsMark(source.startsWith("/") ? site.url + source : source));
      if (/\.vtt\b/.test(source)) pending.push(source);
    }
  }
  return { media, pagesWithColor };
}

/** Returns the URLs of media files and the data URLs of images in a page, a feed, data or a storyboard. */
function sourcesIn(text: string, path: string): string[] {
  const plain = text.replaceAll("\\u0026", "&").replaceAll("&amp;", "&").replaceAll("\\/", "/");
  const beside = path.slice(0, path.lastIndexOf("/") + 1);
  const relative = path.includes(".vtt") ? (plain.match(/^[\w.-]+\.webp/gm) ?? []) : [];
  return [
    ...(plain.match(/\/media\/[\w./-]+(?:\?[\w=&.-]+)?/g) ?? []),
    ...(plain.match(/data:image\/[\w+.-]+;base64,[\w+/=]+/g) ?? []),
    ...relative.map((name) => beside + name),
  ];
}

/** Returns the colors used in styles and attributes. */
function colorsOf(text: string): Color[] {
  const hex = [...text.matchAll(/#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\b/gi)];
  const rgb = [...text.matchAll(/rgba?\((\d{1,3})[,\s]+(\d{1,3})[,\s]+(\d{1,3})/g)];
  return [
    ...hex.map(([, ...parts]) => parts.map((part) => Number.parseInt(part, 16))),
    ...rgb.map(([, ...parts]) => parts.map(Number)),
  ] as unknown as Color[];
}

function isNear(color: Color, mark: Color): boolean {
  return color.every((value, channel) => Math.abs(value - mark[channel]!) <= TOLERANCE);
}

/** Returns whether an image, or one of the first frames of a video, has the marker's colors. */
function showsMark(source: string): boolean {
  const size = `scale=${GRID_SIZE}:${GRID_SIZE}:flags=neighbor`;
  const output = ["-an", "-frames:v", "3", "-vf", size, "-pix_fmt", "rgb24", "-f", "rawvideo", "-"];
  const { stdout } = spawnSync("ffmpeg", ["-v", "error", "-nostdin", "-i", source, ...output]);
  let near = 0;
  for (let at = 0; at + 2 < stdout.length; at += 3) {
    const color: Color = [stdout[at]!, stdout[at + 1]!, stdout[at + 2]!];
    if (MARKS.some((mark) => isNear(color, mark))) near += 1;
  }
  return near * 3 > stdout.length * MIN_SHARE;
}
