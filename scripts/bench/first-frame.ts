import fs from "node:fs";
import type { Browser } from "playwright";
import { makeClip } from "../../tests/media-clips";
import { SiteProcess } from "../../tests/site-process";
import { launchBrowser } from "./browser";
import { median, type Report } from "./report";

/** 5 Mbit/s, 40 ms away: a phone on a mediocre network. */
const LINE = {
  offline: false,
  latency: 40,
  downloadThroughput: 625_000,
  uploadThroughput: 125_000,
};
const FILM_SECONDS = 12;
const FILM_BITRATE = 12_000_000;
const WATCHED_SECONDS = 8;
const ROUNDS = 3;
const LEAST_PLAYED = 0.75;

interface Watched {
  /** From the request of the page to a picture that moves, in seconds. */
  first: number;
  /** Seconds of film that were seen in the seconds after that. */
  played: number;
}

/**
 * How soon a film of 12 Mbit/s plays over a line of 5 Mbit/s, and whether it goes on: as a stream
 * that fits the line, and as the plain file.
 */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess({ ENCODER_CONCURRENCY: "1", ENCODER_PRESET: "superfast" });
  const browser = await launchBrowser();
  try {
    await site.start();
    const { stream, file } = await addFilm(site);
    const streams: Watched[] = [];
    const files: Watched[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      streams.push(await watch(browser, `${site.url}/video/${stream}`));
      files.push(await watch(browser, `${site.url}/video/${file}`));
    }
    const middle = (list: Watched[], key: keyof Watched) => median(list.map((one) => one[key]));
    report.figure("first picture of the plain file", middle(files, "first"), "s");
    report.figure("first picture of the stream", middle(streams, "first"), "s");
    report.figure(`played of the plain file in ${WATCHED_SECONDS} s`, middle(files, "played"), "s");
    report.atMost(
      "first picture of the stream beside the plain file",
      middle(streams, "first") / middle(files, "first"),
      1,
    );
    report.atLeast(
      `played of the stream in ${WATCHED_SECONDS} s`,
      middle(streams, "played"),
      WATCHED_SECONDS * LEAST_PLAYED,
      "s",
    );
  } finally {
    await browser.close();
    await site.remove();
  }
}

/** The same film twice, once with its renditions. */
async function addFilm(site: SiteProcess): Promise<{ stream: string; file: string }> {
  const rate = ["-b:v", "12M", "-minrate", "12M", "-maxrate", "12M", "-bufsize", "12M"];
  const clip = makeClip(site.folder, "film", {
    picture: `testsrc2=size=1920x1080:rate=30:duration=${FILM_SECONDS},noise=alls=40:allf=t`,
    seconds: FILM_SECONDS,
    video: ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "60", ...rate],
    output: ["-movflags", "+faststart"],
  });
  if (fs.statSync(clip).size * 8 < FILM_BITRATE * FILM_SECONDS * 0.8) {
    throw new Error("The film is too small to tell anything.");
  }
  const video_url = site.addFile("videos", "u/1700000000000.mp4", fs.readFileSync(clip));
  const stream = site.addVideo({ title: "Stream", video_url });
  const database = site.database();
  database
    .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'ladder', 40)")
    .run(stream);
  const made = database.prepare("SELECT 1 FROM videos WHERE hls_url IS NOT NULL");
  while (!made.get()) await new Promise((next) => setTimeout(next, 200));
  const copy = site.addFile("videos", "u/1700000000001.mp4", fs.readFileSync(clip));
  return { stream, file: site.addVideo({ title: "File", video_url: copy }) };
}

/** Opens the page with nothing in the cache, and plays as soon as the player is there. */
async function watch(browser: Browser, address: string): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Network.setCacheDisabled", { cacheDisabled: true });
  await protocol.send("Network.emulateNetworkConditions", LINE);
  await page.goto(address, { waitUntil: "commit" });
  const watched = await page.evaluate<Watched>(PLAY);
  await context.close();
  return watched;
}

/** As text: what builds this script would add names to functions that the page does not know. */
const PLAY = `(async () => {
  const until = async (met) => {
    while (!met()) await new Promise((next) => setTimeout(next, 10));
  };
  await until(() => document.querySelector("[data-seek-bar]"));
  const video = document.querySelector("video");
  video.muted = true;
  // Another source takes a play that was asked of the one before back.
  const play = setInterval(() => video.paused && video.play().catch(() => {}), 50);
  await until(() => video.currentTime > 0.05);
  const first = performance.now() / 1000;
  const from = video.currentTime;
  await new Promise((next) => setTimeout(next, ${WATCHED_SECONDS} * 1000));
  clearInterval(play);
  return { first, played: video.currentTime - from };
})()`;
