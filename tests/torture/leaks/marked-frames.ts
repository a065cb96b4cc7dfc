import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { clip } from "../../clips";
import { freePort } from "../../free-port";
import { ask, MULTIPART, multipartParts, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import type { Faults } from "../options";
import { listsWith } from "./hidden-requests";

type Colour = readonly [red: number, green: number, blue: number];

/** The two halves of every frame of the marked video, and what blurring them into each other gives. */
const LEFT: Colour = [200, 30, 140];
const RIGHT: Colour = [120, 200, 20];
const MARKS: readonly Colour[] = [LEFT, RIGHT, [160, 115, 80]];
/** Of each channel: what encoding and scaling changes, and a little more. */
const NEAR = 16;
/** Points of a picture that have to be near a mark. */
const SHARE = 0.1;
/** In each direction; a picture of many small ones has points of each of them. */
const POINTS = 64;
const SECONDS = 12;
const CONVERTED_WITHIN_MS = 120_000;

/** What a visitor was given: an address, and whether it shows the mark. */
interface Seen {
  pictures: ReadonlyMap<string, boolean>;
  /** Pages that name a colour of the mark. */
  coloured: readonly string[];
}

export interface FramesOptions {
  /** Left public, to see that this is found. */
  leaves?: boolean;
}

/**
 * A video whose every frame has the colours of the mark is uploaded, converted, and hidden: from then on
 * nothing that can be decoded at any address that the public pages give, or gave before, shows them.
 */
export async function runFrames({ leaves = false }: FramesOptions = {}) {
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
    await converted(site);

    const before = await look(site, [known, marked]);
    const shown = [...before.pictures].filter(([, marks]) => marks).map(([address]) => address);
    for (const kind of [
      /\.mp4$/,
      /\.m3u8$/,
      /^\/media\/thumbnails\//,
      /storyboard[^/]*\/\d+\.webp$/,
    ]) {
      const path = (address: string) => address.replace(/[?#].*/, "");
      if (!shown.some((address) => kind.test(path(address))))
        faults.push(`No ${kind} shows the mark while the video is public: ${shown.join(" ")}`);
    }

    if (!leaves) await hide(site, cookie, marked);
    const after = await look(site, [known]);
    if (![...after.pictures.values()].includes(false)) faults.push("No picture was found");
    for (const [address, marks] of after.pictures) {
      if (marks) faults.push(`${address} shows the mark of a hidden video`);
    }
    for (const page of after.coloured) faults.push(`${page} names a colour of a hidden video`);
    for (const address of shown) {
      const { status } = await ask(site, "GET", address);
      if (status !== 404) faults.push(`${address} of a hidden video answers ${status}`);
    }
    return { faults, pictures: before.pictures.size + after.pictures.size };
  } finally {
    await site.remove();
  }
}

const H264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 25 -movflags +faststart";

function markedVideo(): string {
  const half = ([red, green, blue]: Colour) => {
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
  const { status, body: text } = await ask(site, "POST", "/admin/publish", headers, body);
  if (status !== 201) throw new Error(`An upload answered ${status}: ${text.slice(0, 300)}`);
  const sql = "SELECT id FROM videos WHERE title = ?";
  return site.database().prepare(sql).pluck().get(title) as string;
}

/** Until the site has made all that it makes of videos. */
async function converted(site: SiteProcess): Promise<void> {
  const until = Date.now() + CONVERTED_WITHIN_MS;
  const open = site.database().prepare(`SELECT kind, state, reason FROM jobs
    WHERE state NOT IN ('done', 'failed') AND kind <> 'cleanup'`);
  while (open.all().length > 0) {
    if (Date.now() > until) throw new Error(`Not converted: ${JSON.stringify(open.all())}`);
    await new Promise((next) => setTimeout(next, 200));
  }
}

async function hide(site: SiteProcess, cookie: string, id: string): Promise<void> {
  const headers = { Cookie: cookie, "Content-Type": "application/x-www-form-urlencoded" };
  const fields = new URLSearchParams({ intent: "toggle", id, shown: "published" });
  const { status } = await ask(site, "POST", "/admin", headers, fields.toString());
  if (status >= 400) throw new Error(`Hiding answered ${status}`);
}

/** Everything that the public pages and those of `videos` lead to, looked at as a browser would show it. */
async function look(site: SiteProcess, videos: readonly string[]): Promise<Seen> {
  const pages = videos.flatMap((id) => listsWith({ id }));
  const pictures = new Map<string, boolean>();
  const coloured: string[] = [];
  const open = [...new Set(pages)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const { body } = await ask(site, "GET", path);
    if (MARKS.some((mark) => coloursOf(body).some((colour) => isNear(colour, mark))))
      coloured.push(path);
    for (const source of sourcesIn(body, path)) {
      if (pictures.has(source)) continue;
      pictures.set(source, showsMark(source.startsWith("/") ? site.url + source : source));
      if (/\.vtt\b/.test(source)) open.push(source);
    }
  }
  return { pictures, coloured };
}

/** Addresses of media files and pictures inside a page, a feed, data or a storyboard. */
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

/** The colours that a style or an attribute names. */
function coloursOf(text: string): Colour[] {
  const hex = [...text.matchAll(/#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\b/gi)];
  const rgb = [...text.matchAll(/rgba?\((\d{1,3})[,\s]+(\d{1,3})[,\s]+(\d{1,3})/g)];
  return [
    ...hex.map(([, ...parts]) => parts.map((part) => Number.parseInt(part, 16))),
    ...rgb.map(([, ...parts]) => parts.map(Number)),
  ] as unknown as Colour[];
}

function isNear(colour: Colour, mark: Colour): boolean {
  return colour.every((value, channel) => Math.abs(value - mark[channel]!) <= NEAR);
}

/** Whether a picture or the first frames of a video, decoded, have the colours of the mark. */
function showsMark(source: string): boolean {
  const size = `scale=${POINTS}:${POINTS}:flags=neighbor`;
  const output = ["-an", "-frames:v", "3", "-vf", size, "-pix_fmt", "rgb24", "-f", "rawvideo", "-"];
  const { stdout } = spawnSync("ffmpeg", ["-v", "error", "-nostdin", "-i", source, ...output]);
  let near = 0;
  for (let at = 0; at + 2 < stdout.length; at += 3) {
    const colour: Colour = [stdout[at]!, stdout[at + 1]!, stdout[at + 2]!];
    if (MARKS.some((mark) => isNear(colour, mark))) near += 1;
  }
  return near * 3 > stdout.length * SHARE;
}
