import fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { imageEnvironment } from "../../image-environment";
import { makeClip } from "../../media-clips";
import { anonymousBytes, residentBytes, until } from "../../process-figures";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { newVideo } from "../crash/videos";
import type { Faults, TortureOptions } from "../options";
import { createRandom, type Random } from "../random";
import { type Crowd, newTally, sendVideo, startCrowd, type Tally, type Video } from "./clients";
import { clockFile, type Mishap, mishaps, mountDisk, unmountDisk } from "./mishaps";
import { medianOf, percentileOf, rises, trendOf } from "./steadiness";

/** How much of it there is. */
export interface Scale {
  crowd: Crowd;
  videos: number;
  /** Of the first part, in which nothing goes wrong. */
  steadyMs: number;
  /** Garbage is collected at each of so many readings, one a second. */
  collectsEvery: number;
  /** For how long each thing goes wrong, and for how long nothing does afterwards. */
  wrongMs: number;
  afterMs: number;
  diskMegabytes: number;
  /** Whether how long pages take is a fault. */
  isTimed: boolean;
}

/** What two processors have to carry. */
const LONG: Scale = {
  crowd: { viewers: 500, readers: 100, streams: 1_000, uploads: 5, pace: 1 },
  videos: 4,
  steadyMs: 30 * 60_000,
  collectsEvery: 60,
  wrongMs: 10_000,
  afterMs: 10_000,
  diskMegabytes: 4_096,
  isTimed: true,
};
const VIDEOS = 200;
const UPLOADED = 201;
const LOOK_EVERY_MS = 1_000;
/** What a process loads at first is no trend; what it keeps at once at most is known after many requests. */
const WARM_UP = 0.2;
const WARM_UP_OF_MEMORY = 0.5;
/** The least that is held after so many collections: requests that are under way hold some. */
const COLLECTIONS = 3;
/** The site stands still while each thread collects; what has waited is answered in so many seconds after the last. */
const RECOVERY = 5;
const MOST_P99_MS = 500;
const MAX_BYTES_PER_HOUR = 1024 * 1024;
const MAX_HANDLES_PER_HOUR = 5;
const MAX_BYTES = 300 * 1024 * 1024;
const PRELOADED = ["clock.mjs", "collect.mjs"].map(
  (name) => `--import=${fileURLToPath(new URL(name, import.meta.url))}`,
);

export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  return carry(seed, minutes === undefined ? LONG : { ...LONG, steadyMs: minutes * 60_000 });
}

/** Lets a crowd visit a site, first undisturbed, then while one thing after the other goes wrong around it. */
export async function carry(seed: string, scale: Scale): Promise<Faults> {
  const { crowd, diskMegabytes } = scale;
  const random = createRandom(seed);
  const bounds = imageEnvironment();
  const site = new SiteProcess({ ...bounds, PUBLIC_URL: "http://site.example" });
  const isOwnDisk = mountDisk(site, diskMegabytes);
  if (!isOwnDisk) console.log("The disk is not filled: this user may not mount one.");
  const faults: Faults = [];
  try {
    await site.start({
      NODE_OPTIONS: [bounds.NODE_OPTIONS, ...PRELOADED].join(" "),
      CLOCK_OFFSET_FILE: clockFile(site),
      ENCODER_CONCURRENCY: "1",
      ENCODER_FREE_BYTES: "1",
    });
    const cookie = await signInTo(site);
    const videos = await addVideosWithFiles(site, cookie, random, scale.videos);
    const paths = pagesOf(site, videos);
    const tally = newTally();
    const end = startCrowd(site.url, crowd, { videos, paths, cookie, random, tally });
    faults.push(...(await steady(site, tally, scale)));
    for (const mishap of mishaps(isOwnDisk))
      faults.push(...(await disturbed(site, mishap, { tally, cookie, random, scale })));
    await end();
    if (tally.uploaded === 0) faults.push("No upload of the crowd was accepted");
    faults.push(...said(tally, "while things went wrong"));
  } finally {
    await site.stop("SIGKILL");
    if (isOwnDisk) unmountDisk(site);
    await site.remove();
  }
  return faults;
}

/**
 * The first part: nothing goes wrong, and nothing grows. Of the memory that is what stays when garbage has been
 * collected: between two collections it follows what V8 has put off, which differs by 40 MiB.
 */
async function steady(
  site: SiteProcess,
  tally: Tally,
  { steadyMs, collectsEvery, isTimed }: Scale,
): Promise<Faults> {
  const memory: number[] = [];
  const collected: number[] = [];
  const handles: number[] = [];
  const pid = site.child!.pid!;
  const readings = Math.ceil(steadyMs / LOOK_EVERY_MS);
  const first = Math.floor(readings * WARM_UP);
  const firstHeld = Math.floor(readings * WARM_UP_OF_MEMORY);
  for (let reading = 0; reading < readings; reading++) {
    // From the first reading that counts on: visitors open more connections while the site stands still.
    const sinceCollection =
      reading >= first ? (reading - first) % collectsEvery : Number.POSITIVE_INFINITY;
    const collects = sinceCollection < COLLECTIONS;
    tally.isDelayed = sinceCollection < COLLECTIONS + RECOVERY;
    if (collects) process.kill(pid, "SIGUSR2");
    await pause(LOOK_EVERY_MS);
    if (site.child?.exitCode !== null) return [`The site has ended:\n${site.log.slice(-2_000)}`];
    memory.push(residentBytes(pid));
    if (collects) collected.push(anonymousBytes(pid));
    // Without the connections of the crowd, which opens more whenever it waits longer.
    if (reading >= first) handles.push(openHandles(pid) - openHandles(process.pid));
  }
  tally.isDelayed = false;
  const p99 = percentileOf(tally.pageMs, 0.99);
  const most = Math.max(...memory);
  const held: number[] = [];
  for (let at = 0; at < collected.length; at += COLLECTIONS)
    held.push(Math.min(...collected.slice(at, at + COLLECTIONS)));
  const settled = held.slice(Math.ceil((firstHeld - first) / collectsEvery));
  const bytes = trendOf(settled, collectsEvery * LOOK_EVERY_MS, 1);
  const open = trendOf(handles, LOOK_EVERY_MS);
  const megabytes = (value: number) => (value / 1024 ** 2).toFixed(1);
  console.log(
    `${tally.requests} requests, ${tally.uploaded} uploads; pages p50 ${medianOf(tally.pageMs).toFixed(0)}, ` +
      `p99 ${p99.toFixed(0)} ms; memory ${megabytes(medianOf(memory))} MiB, ${megabytes(most)} at most; ` +
      `${medianOf(handles)} handles of its own, ${open.perHour.toFixed(1)} ± ${open.offBy.toFixed(1)} an hour`,
  );
  console.log(
    `What stays when garbage has been collected: ${held.map(megabytes).join(", ")} MiB; ` +
      `of the last ${settled.length} readings ${megabytes(bytes.perHour)} ± ${megabytes(bytes.offBy)} MiB an hour`,
  );
  const faults = said(tally, "undisturbed");
  if (isTimed && p99 > MOST_P99_MS) faults.push(`One page in a hundred took ${p99.toFixed(0)} ms`);
  if (most > MAX_BYTES) faults.push(`The process came to ${megabytes(most)} MiB`);
  if (rises(bytes, MAX_BYTES_PER_HOUR))
    faults.push(`Memory grows by ${megabytes(bytes.perHour)} MiB an hour`);
  if (rises(open, MAX_HANDLES_PER_HOUR))
    faults.push(`${open.perHour.toFixed(1)} more handles are open each hour`);
  return faults;
}

function openHandles(pid: number): number {
  return fs.readdirSync(`/proc/${pid}/fd`).length;
}

interface Disturbed {
  tally: Tally;
  cookie: string;
  random: Random;
  scale: Scale;
}

/** One thing goes wrong; afterwards the site is as before. */
async function disturbed(
  site: SiteProcess,
  mishap: Mishap,
  { tally, cookie, random, scale }: Disturbed,
): Promise<Faults> {
  tally.refusals = mishap.refusals;
  const before = tally.requests;
  const faults: Faults = [];
  const upload = async (allowed: readonly number[], when: string) => {
    const { bytes } = newVideo(random, `${when}${random.below(1e9)}`);
    const { status } = await sendVideo(site.url, 0, cookie, `A video ${when}`, bytes);
    if (!allowed.includes(status))
      faults.push(`${mishap.name}: an upload ${when} was answered ${status}`);
  };
  const allowed = mishap.answer ? [mishap.answer] : [UPLOADED, ...mishap.refusals];
  await mishap.run(site, scale.wrongMs, () => upload(allowed, "meanwhile"));
  await pause(scale.afterMs);
  tally.refusals = [];
  faults.push(...said(tally, mishap.name));
  if (site.child?.exitCode !== null)
    return [...faults, `${mishap.name}: the site has ended:\n${site.log.slice(-2_000)}`];
  const health = await fetch(`${site.url}/healthz`);
  if (health.status !== 200)
    faults.push(`${mishap.name}: /healthz says afterwards ${health.status} ${await health.text()}`);
  await upload([UPLOADED], "afterwards");
  console.log(`${mishap.name}: ${tally.requests - before} requests, ${faults.length} faults`);
  return faults;
}

/** What the clients have met since the last time. */
function said(tally: Tally, when: string): Faults {
  const faults = [...tally.faults].map(([what, times]) => `${when}: ${what}, ${times} times`);
  tally.faults.clear();
  return faults;
}

/** Videos that are converted, which the viewers watch. */
async function addVideosWithFiles(
  site: SiteProcess,
  cookie: string,
  random: Random,
  count: number,
): Promise<Video[]> {
  for (let video = 0; video < count; video++) {
    const name = `video-${video}`;
    const picture = `testsrc2=size=640x360:rate=25:duration=12,hue=h=${90 * video + random.below(40)}`;
    const clip = makeClip(site.folder, name, { picture, seconds: 12 });
    const { status } = await sendVideo(
      site.url,
      0,
      cookie,
      `Video ${video}`,
      fs.readFileSync(clip),
    );
    if (status !== UPLOADED) throw new Error(`A video was answered ${status}`);
  }
  const rows = site
    .database()
    .prepare("SELECT id, hls_url AS url FROM videos WHERE hls_url IS NOT NULL");
  await until(() => rows.all().length === count);
  return Promise.all(
    (rows.all() as { id: string; url: string }[]).map(async ({ id, url }) => ({
      id,
      segments: await segmentsOf(site.url, url),
    })),
  );
}

/** Those of the first rendition (RFC 8216, §4.3.2.2). */
async function segmentsOf(site: string, master: string): Promise<Video["segments"]> {
  const text = async (path: string) => (await fetch(site + path)).text();
  const beside = (path: string, name: string) => new URL(name, `${site}${path}`).pathname;
  const [first] = (await text(master)).split("\n").filter((line) => /^[\w.-]+\.m3u8$/.test(line));
  const playlist = beside(master, first!);
  const segments = (await text(playlist)).matchAll(/^#EXT-X-BYTERANGE:(\d+)@(\d+)\n(\S+)$/gm);
  const found = [...segments].map(([, bytes, from, name]) => ({
    ...{ path: beside(playlist, name!), from: Number(from), bytes: Number(bytes) },
  }));
  if (found.length === 0) throw new Error(`${playlist} names no segment`);
  return found;
}

function pagesOf(site: SiteProcess, videos: readonly Video[]): string[] {
  for (let index = 0; index < VIDEOS; index++)
    site.addVideo({ title: `Evening ${index}`, tags: '["sea"]', views: index });
  const pages = ["/", "/?search=evening", "/?page=3", "/trending", "/categories/desi", "/tags/sea"];
  return [...pages, ...videos.map(({ id }) => `/video/${id}`)];
}
