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
import { clockFile, type Disruption, disruptions, mountDisk, unmountDisk } from "./disruptions";
import { isRising, medianOf, percentileOf, trendOf } from "./trend";

/** The extent of a run. */
export interface Scale {
  crowd: Crowd;
  videos: number;
  /** The duration of the first part, which has no disruptions. */
  steadyMs: number;
  /** The number of readings, one per second, between two garbage collections. */
  collectEvery: number;
  /** The duration of each disruption and of the pause after it. */
  disruptionMs: number;
  recoveryMs: number;
  diskMegabytes: number;
  /** Whether slow pages count as a fault. */
  isTimed: boolean;
}

/** The load that two CPU cores must be able to handle. */
const LONG: Scale = {
  crowd: { viewers: 500, readers: 100, streams: 1_000, uploads: 5, pace: 1 },
  videos: 4,
  steadyMs: 30 * 60_000,
  collectEvery: 60,
  disruptionMs: 10_000,
  recoveryMs: 10_000,
  diskMegabytes: 4_096,
  isTimed: true,
};
const VIDEOS = 200;
const UPLOADED = 201;
const READING_INTERVAL_MS = 1_000;
/**
 * The fraction of the readings to ignore at the beginning, because a process's memory use levels off only after many
 * requests.
 */
const WARM_UP = 0.2;
const MEMORY_WARM_UP = 0.5;
/**
 * The number of garbage collections per measurement. The lowest result counts, because requests in progress keep some
 * memory.
 */
const COLLECTIONS = 3;
/**
 * The number of readings that the site needs to catch up with the requests that arrived while a garbage collection
 * blocked it.
 */
const RECOVERY_READINGS = 5;
const MAX_P99_MS = 500;
const MAX_BYTES_PER_HOUR = 1024 * 1024;
const MAX_HANDLES_PER_HOUR = 5;
const MAX_MEMORY_BYTES = 300 * 1024 * 1024;
const PRELOADED = ["clock.mjs", "collect.mjs"].map(
  (name) => `--import=${fileURLToPath(new URL(name, import.meta.url))}`,
);

export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  return runLoad(seed, minutes === undefined ? LONG : { ...LONG, steadyMs: minutes * 60_000 });
}

/**
 * Simulates many clients that visit a site, first without disruptions, and then during one disruption after another.
 */
export async function runLoad(seed: string, scale: Scale): Promise<Faults> {
  const { crowd, diskMegabytes } = scale;
  const random = createRandom(seed);
  const limits = imageEnvironment();
  const site = new SiteProcess({ ...limits, PUBLIC_URL: "http://site.example" });
  const isOwnDisk = mountDisk(site, diskMegabytes);
  if (!isOwnDisk) console.log("Skipping the full disk: this user may not mount one.");
  const faults: Faults = [];
  try {
    await site.start({
      NODE_OPTIONS: [limits.NODE_OPTIONS, ...PRELOADED].join(" "),
      CLOCK_OFFSET_FILE: clockFile(site),
      ENCODER_CONCURRENCY: "1",
      ENCODER_FREE_BYTES: "1",
    });
    const cookie = await signInTo(site);
    const videos = await addVideosWithFiles(site, cookie, random, scale.videos);
    const paths = pagesOf(site, videos);
    const tally = newTally();
    const end = startCrowd(site.url, crowd, { videos, paths, cookie, random, tally });
    faults.push(...(await runUndisturbed(site, tally, scale)));
    for (const disruption of disruptions(isOwnDisk))
      faults.push(...(await disrupt(site, disruption, { tally, cookie, random, scale })));
    await end();
    if (tally.uploaded === 0) faults.push("No upload of the crowd was accepted");
    faults.push(...takeFaults(tally, "during disruptions"));
  } finally {
    await site.stop("SIGKILL");
    if (isOwnDisk) unmountDisk(site);
    await site.remove();
  }
  return faults;
}

/**
 * Runs the first part, during which neither memory use nor the number of open handles may grow. Memory is measured
 * after garbage collections. Between collections, memory use varies by 40 MiB, depending on when V8 collects garbage.
 */
async function runUndisturbed(
  site: SiteProcess,
  tally: Tally,
  { steadyMs, collectEvery, isTimed }: Scale,
): Promise<Faults> {
  const memory: number[] = [];
  const collected: number[] = [];
  const handles: number[] = [];
  const pid = site.child!.pid!;
  const readings = Math.ceil(steadyMs / READING_INTERVAL_MS);
  const first = Math.floor(readings * WARM_UP);
  const firstRetained = Math.floor(readings * MEMORY_WARM_UP);
  for (let reading = 0; reading < readings; reading++) {
    // The first collection starts after the warm-up, because clients open more connections while a collection blocks
    // the site.
    const sinceCollection =
      reading >= first ? (reading - first) % collectEvery : Number.POSITIVE_INFINITY;
    const isCollecting = sinceCollection < COLLECTIONS;
    tally.isDelayed = sinceCollection < COLLECTIONS + RECOVERY_READINGS;
    if (isCollecting) process.kill(pid, "SIGUSR2");
    await pause(READING_INTERVAL_MS);
    if (site.child?.exitCode !== null) return [`The site exited:\n${site.log.slice(-2_000)}`];
    memory.push(residentBytes(pid));
    if (isCollecting) collected.push(anonymousBytes(pid));
    // The clients' connections are subtracted, because clients open more of them when they have to wait longer.
    if (reading >= first) handles.push(openHandles(pid) - openHandles(process.pid));
  }
  tally.isDelayed = false;
  const p99 = percentileOf(tally.pageMs, 0.99);
  const peak = Math.max(...memory);
  const retained: number[] = [];
  for (let at = 0; at < collected.length; at += COLLECTIONS)
    retained.push(Math.min(...collected.slice(at, at + COLLECTIONS)));
  const settled = retained.slice(Math.ceil((firstRetained - first) / collectEvery));
  const bytes = trendOf(settled, collectEvery * READING_INTERVAL_MS, 1);
  const open = trendOf(handles, READING_INTERVAL_MS);
  const megabytes = (value: number) => (value / 1024 ** 2).toFixed(1);
  console.log(
    `${tally.requests} requests, ${tally.uploaded} uploads; pages p50 ${medianOf(tally.pageMs).toFixed(0)}, ` +
      `p99 ${p99.toFixed(0)} ms; memory ${megabytes(medianOf(memory))} MiB, ${megabytes(peak)} at most; ` +
      `${medianOf(handles)} handles, ${open.perHour.toFixed(1)} ± ${open.margin.toFixed(1)} per hour`,
  );
  console.log(
    `Memory after garbage collections: ${retained.map(megabytes).join(", ")} MiB; ` +
      `trend of the last ${settled.length}: ${megabytes(bytes.perHour)} ± ${megabytes(bytes.margin)} MiB per hour`,
  );
  const faults = takeFaults(tally, "undisturbed");
  if (isTimed && p99 > MAX_P99_MS) faults.push(`1 in 100 pages took ${p99.toFixed(0)} ms`);
  if (peak > MAX_MEMORY_BYTES) faults.push(`The process used ${megabytes(peak)} MiB`);
  if (isRising(bytes, MAX_BYTES_PER_HOUR))
    faults.push(`Memory grows by ${megabytes(bytes.perHour)} MiB per hour`);
  if (isRising(open, MAX_HANDLES_PER_HOUR))
    faults.push(`Open handles grow by ${open.perHour.toFixed(1)} per hour`);
  return faults;
}

function openHandles(pid: number): number {
  return fs.readdirSync(`/proc/${pid}/fd`).length;
}

interface DisruptOptions {
  tally: Tally;
  cookie: string;
  random: Random;
  scale: Scale;
}

/** Causes a disruption. Afterward, the site must work as before. */
async function disrupt(
  site: SiteProcess,
  disruption: Disruption,
  { tally, cookie, random, scale }: DisruptOptions,
): Promise<Faults> {
  tally.refusals = disruption.refusals;
  const before = tally.requests;
  const faults: Faults = [];
  const upload = async (allowed: readonly number[], when: string) => {
    const { bytes } = newVideo(random, `${when}${random.below(1e9)}`);
    const { status } = await sendVideo(site.url, 0, cookie, `A video ${when}`, bytes);
    if (!allowed.includes(status))
      faults.push(`${disruption.name}: an upload ${when} returned ${status}`);
  };
  const allowed = disruption.expected ? [disruption.expected] : [UPLOADED, ...disruption.refusals];
  await disruption.run(site, scale.disruptionMs, () => upload(allowed, "meanwhile"));
  await pause(scale.recoveryMs);
  tally.refusals = [];
  faults.push(...takeFaults(tally, disruption.name));
  if (site.child?.exitCode !== null)
    return [...faults, `${disruption.name}: the site exited:\n${site.log.slice(-2_000)}`];
  const health = await fetch(`${site.url}/healthz`);
  if (health.status !== 200)
    faults.push(
      `${disruption.name}: afterward, /healthz returned ${health.status} ${await health.text()}`,
    );
  await upload([UPLOADED], "afterward");
  console.log(`${disruption.name}: ${tally.requests - before} requests, ${faults.length} faults`);
  return faults;
}

/** Returns the faults that the clients have found so far, and clears them. */
function takeFaults(tally: Tally, when: string): Faults {
  const faults = [...tally.faults].map(([what, times]) => `${when}: ${what}, ${times} times`);
  tally.faults.clear();
  return faults;
}

/** Adds videos for the viewers, and waits until they are converted. */
async function addVideosWithFiles(
  site: SiteProcess,
  cookie: string,
  random: Random,
  count: number,
): Promise<Video[]> {
  for (let video = 0; video < count; video++) {
    const name = `video-${video}`;
    const picture = `testsrc2=size=640x360:rate=25:duration=12,hue=h=${90 * video + random.below(40)}`;
    const clip = makeClip(site.folder, name, { videoSource: picture, seconds: 12 });
    const { status } = await sendVideo(
      site.url,
      0,
      cookie,
      `Video ${video}`,
      fs.readFileSync(clip),
    );
    if (status !== UPLOADED) throw new Error(`An upload returned ${status}`);
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

/** Returns the first rendition's segments (RFC 8216, §4.3.2.2). */
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
