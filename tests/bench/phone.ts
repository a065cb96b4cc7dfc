import fs from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright";
import sharp from "sharp";
import { ffmpeg, makeClip } from "../media-clips";
import { SiteProcess } from "../site-process";
import { launchBrowser } from "./browser";
import { median, type Report } from "./report";

/**
 * A cheap phone on a mediocre network. The network is as slow as the one that Lighthouse simulates, but has twice the
 * latency.
 */
const CPU_SLOWDOWN = 4;
const NETWORK = { latency: 300, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

const ROUNDS = 3;
const VIDEO_SECONDS = 20;
const CARDS = 12;

const MAX_PLAYBACK_START_S = 8;
/** The thresholds for "good" from https://web.dev/articles/vitals */
const MAX_LCP_S = 2.5;
const MAX_INP_MS = 200;

interface Visit {
  /**
   * The time in seconds from requesting the home page until the dialog, the list and the player appear, and until the
   * video plays.
   */
  dialog: number;
  list: number;
  player: number;
  playback: number;
  /** The number of milliseconds from the tap on play to the next paint. */
  tap: number;
}

/**
 * Measures how long a new visitor on such a phone waits until a video plays, compared with the same visit when the
 * video is a plain file. The visitor has an empty cache, starts on the home page with its age gate, and taps Enter, a
 * card and play. Also measures the largest contentful paint.
 */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess({
    AGE_GATE: "on",
    ENCODER_CONCURRENCY: "1",
    ENCODER_PRESET: "superfast",
  });
  const browser = await launchBrowser();
  try {
    await site.start();
    const { stream, file } = await addVideosWithFiles(site);
    const visits: Visit[] = [];
    const plain: Visit[] = [];
    const largest = { home: [] as number[], video: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      visits.push(await visit(browser, site.url, stream));
      plain.push(await visit(browser, site.url, file));
      largest.home.push(await largestPaint(browser, site.url));
      largest.video.push(await largestPaint(browser, `${site.url}/video/${stream}`));
    }
    const middle = (list: Visit[], key: keyof Visit) => median(list.map((one) => one[key]));
    report.figure("age dialog appears", middle(visits, "dialog"), "s");
    report.figure("cards can be tapped", middle(visits, "list"), "s");
    report.figure("play can be tapped", middle(visits, "player"), "s");
    report.figure("the plain file plays", middle(plain, "playback"), "s");
    report.atMost("the video plays", middle(visits, "playback"), MAX_PLAYBACK_START_S, "s");
    report.atMost("tap on play to its next paint", middle(visits, "tap"), MAX_INP_MS, "ms");
    report.atMost("home: largest paint", median(largest.home), MAX_LCP_S, "s");
    report.atMost("video page: largest paint", median(largest.video), MAX_LCP_S, "s");
  } finally {
    await browser.close();
    await site.remove();
  }
}

/**
 * Adds one video twice, once as a stream and once as a file, and other videos below these two in the list. All posters
 * are like those of uploaded videos, and their smaller versions already exist, as if they had been requested before.
 */
async function addVideosWithFiles(site: SiteProcess): Promise<{ stream: string; file: string }> {
  const clip = makeClip(site.folder, "video", {
    videoSource: `testsrc2=size=1280x720:rate=30:duration=${VIDEO_SECONDS},noise=alls=10:allf=t`,
    seconds: VIDEO_SECONDS,
    video: ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-b:v", "3M", "-g", "60"],
    output: ["-movflags", "+faststart"],
  });
  const source = fs.readFileSync(clip);
  const poster = await drawPoster(site.folder);
  const add = async (index: number, minutesAgo: number) => {
    const name = `u/${1_700_000_000_000 + index}`;
    const thumbnail_url = site.addFile("thumbnails", `${name}.webp`, poster);
    const id = site.addVideo({
      title: `Evening by the sea, part ${index}`,
      duration: "0:20",
      created_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
      video_url: site.addFile("videos", `${name}.mp4`, source),
      thumbnail_url,
    });
    for (const width of [480, 720]) {
      const address = `${site.url}${thumbnail_url}?w=${width}`;
      const small = async () => (await fetch(address)).arrayBuffer();
      await until(async () => (await small()).byteLength < poster.length);
    }
    return id;
  };
  for (let index = 2; index < CARDS; index++) await add(index, 10 + index);
  const file = await add(1, 2);
  const stream = await add(0, 1);
  const database = site.database();
  database
    .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'ladder', 40)")
    .run(stream);
  const isEncoded = database.prepare("SELECT 1 FROM videos WHERE hls_url IS NOT NULL");
  await until(() => isEncoded.get() !== undefined);
  return { stream, file };
}

async function until(met: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await met())) await new Promise((next) => setTimeout(next, 100));
}

/** Returns an image with as much detail as a photo. */
async function drawPoster(folder: string): Promise<Buffer> {
  const file = path.join(folder, "poster.png");
  const source = "mandelbrot=size=1280x720:start_scale=0.5";
  ffmpeg(["-f", "lavfi", "-i", source, "-frames:v", "1", file]);
  return sharp(file).webp({ quality: 80 }).toBuffer();
}

/** Opens a page on such a phone with an empty cache. */
async function openPhone(browser: Browser): Promise<Page> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", { offline: false, ...NETWORK });
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  return page;
}

async function visit(browser: Browser, origin: string, id: string): Promise<Visit> {
  const page = await openPhone(browser);
  const start = performance.now();
  const since = () => (performance.now() - start) / 1_000;
  await page.goto(origin, { waitUntil: "commit" });
  const enter = page.getByRole("button", { name: "Enter" });
  await enter.waitFor();
  const dialog = since();
  await enter.tap({ noWaitAfter: true });
  const card = page.locator(`#video-${id} a`).first();
  await card.waitFor();
  const list = since();
  await card.tap({ noWaitAfter: true });
  await page.locator("[data-seek-bar]").waitFor({ state: "attached" });
  const player = since();
  await page.evaluate(OBSERVE_TAPS);
  await page.locator(".player-video").tap({ noWaitAfter: true });
  await page.evaluate(UNTIL_PLAYING);
  const playback = since();
  const tap = await page.evaluate<number>("window.slowestTap");
  await page.context().close();
  return { dialog, list, player, playback, tap };
}

/** Returns the largest contentful paint in seconds for a visitor who has already confirmed their age. */
async function largestPaint(browser: Browser, address: string): Promise<number> {
  const page = await openPhone(browser);
  await page.context().addCookies([{ name: "age", value: "18", url: address }]);
  await page.goto(address, { waitUntil: "networkidle" });
  const ms = await page.evaluate<number>(LARGEST_PAINT);
  await page.context().close();
  return ms / 1_000;
}

// The scripts are strings, because the bundler would wrap functions in helpers that don't exist on the page.

/** Event Timing rounds durations to 8 ms and doesn't report durations below 16 ms. */
const OBSERVE_TAPS = `{
  window.slowestTap = 0;
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId) window.slowestTap = Math.max(window.slowestTap, duration);
    }
  }).observe({ type: "event", durationThreshold: 16 });
}`;

const UNTIL_PLAYING = `(async () => {
  while (!(document.querySelector(".player-video").currentTime > 0.05)) {
    await new Promise((next) => setTimeout(next, 10));
  }
})()`;

const LARGEST_PAINT = `new Promise((found) =>
  new PerformanceObserver((list) => found(list.getEntries().at(-1).startTime)).observe({
    type: "largest-contentful-paint",
    buffered: true,
  }))`;
