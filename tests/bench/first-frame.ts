import fs from "node:fs";
import type { Browser, Page } from "playwright";
import { makeClip } from "../media-clips";
import { SiteProcess } from "../site-process";
import { launchBrowser } from "./browser";
import { median, type Report } from "./report";

interface Line {
  name: string;
  /** Milliseconds. */
  latency: number;
  bytesPerSecond: number;
  /** From the press on play to a picture that moves, in seconds, at most. */
  mostWaited: number;
  /** Seconds that have to be seen of the seconds after it. */
  leastPlayed: number;
}

const LINES: Line[] = [
  { name: "5 Mbit/s", latency: 40, bytesPerSecond: 625_000, mostWaited: 1, leastPlayed: 6 },
  { name: "1.6 Mbit/s", latency: 300, bytesPerSecond: 200_000, mostWaited: 2, leastPlayed: 6 },
];
const VIDEO_SECONDS = 12;
const VIDEO_BITRATE = 12_000_000;
const WATCHED_SECONDS = 8;
const ROUNDS = 3;

interface Watched {
  /** From the request of the page to a picture that moves, in seconds. */
  first: number;
  /** From the moment that play could be pressed, and was. */
  press: number;
  /** Seconds of video that were seen in the seconds after the first picture. */
  played: number;
}

/**
 * How soon a video of 12 Mbit/s plays over slow lines, and whether it goes on: as a stream of this
 * site, by the page's address and from its card, and as the plain file.
 */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess({ ENCODER_CONCURRENCY: "1", ENCODER_PRESET: "superfast" });
  const browser = await launchBrowser();
  try {
    await site.start();
    const { stream, file } = await addVideoWithFile(site);
    for (const line of LINES) {
      const ways = {
        "this site": () => watch(browser, line, `${site.url}/video/${stream}`),
        "this site, from its card": () => watchFromCard(browser, line, site.url, stream),
        "plain file": () => watch(browser, line, `${site.url}/video/${file}`),
      };
      await compare(report, line, ways);
    }
  } finally {
    await browser.close();
    await site.remove();
  }
}

async function compare(
  report: Report,
  line: Line,
  ways: Record<string, () => Promise<Watched>>,
): Promise<void> {
  const results = new Map<string, Watched[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, watchOnce] of Object.entries(ways)) {
      results.set(name, [...(results.get(name) ?? []), await watchOnce()]);
    }
  }
  const middle = (name: string, key: keyof Watched) =>
    median(results.get(name)!.map((one) => one[key]));
  for (const name of results.keys()) {
    report.figure(`${line.name}, ${name}: first picture`, middle(name, "first"), "s");
    report.figure(`${line.name}, ${name}: after the press`, middle(name, "press"), "s");
    report.figure(
      `${line.name}, ${name}: played in ${WATCHED_SECONDS} s`,
      middle(name, "played"),
      "s",
    );
  }
  for (const name of ["this site", "this site, from its card"]) {
    const press = middle(name, "press");
    report.atMost(`${line.name}, ${name}: play starts`, press, line.mostWaited, "s");
    const played = middle(name, "played");
    report.atLeast(`${line.name}, ${name}: goes on`, played, line.leastPlayed, "s");
  }
  const ratio = middle("this site", "first") / middle("plain file", "first");
  report.atMost(`${line.name}, first picture beside the plain file`, ratio, 1);
}

/** The same video twice, once with its renditions. */
async function addVideoWithFile(site: SiteProcess): Promise<{ stream: string; file: string }> {
  const rate = ["-b:v", "12M", "-minrate", "12M", "-maxrate", "12M", "-bufsize", "12M"];
  const clip = makeClip(site.folder, "video", {
    picture: `testsrc2=size=1920x1080:rate=30:duration=${VIDEO_SECONDS},noise=alls=40:allf=t`,
    seconds: VIDEO_SECONDS,
    video: ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "60", ...rate],
    output: ["-movflags", "+faststart"],
  });
  if (fs.statSync(clip).size * 8 < VIDEO_BITRATE * VIDEO_SECONDS * 0.8) {
    throw new Error("The video is too small to tell anything.");
  }
  const video_url = site.addFile("videos", "u/1700000000000.mp4", fs.readFileSync(clip));
  const stream = site.addVideo({ title: "Stream", video_url });
  const database = site.database();
  database
    .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'ladder', 40)")
    .run(stream);
  const isEncoded = database.prepare("SELECT 1 FROM videos WHERE hls_url IS NOT NULL");
  while (!isEncoded.get()) await new Promise((next) => setTimeout(next, 200));
  const copy = site.addFile("videos", "u/1700000000001.mp4", fs.readFileSync(clip));
  const file = site.addVideo({ title: "File", video_url: copy });
  return { stream, file };
}

/** A page with nothing in its cache, on the line. */
async function openPage(browser: Browser, line: Line): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: line.latency,
    downloadThroughput: line.bytesPerSecond,
    uploadThroughput: 125_000,
  });
  return page;
}

/** Opens the page by its address, and plays as soon as the player is there. */
async function watch(browser: Browser, line: Line, address: string): Promise<Watched> {
  const page = await openPage(browser, line);
  await page.goto(address, { waitUntil: "commit" });
  const watched = await page.evaluate<Watched>(play(0));
  await page.context().close();
  return watched;
}

/** Opens the list, and the video by its card; the clock runs from the click. */
async function watchFromCard(
  browser: Browser,
  line: Line,
  origin: string,
  id: string,
): Promise<Watched> {
  const page = await openPage(browser, line);
  await page.goto(origin, { waitUntil: "networkidle" });
  const card = page.locator(`#video-${id} a`);
  // As a hand does it: the pointer is there a moment before the press.
  await card.hover();
  await page.waitForTimeout(300);
  const clicked = await page.evaluate<number>("performance.now()");
  await card.click({ noWaitAfter: true });
  const watched = await page.evaluate<Watched>(play(clicked));
  await page.context().close();
  return watched;
}

/** As text: what builds this script would add names to functions that the page does not know. */
const play = (from: number) => `(async () => {
  const until = async (met) => {
    while (!met()) await new Promise((next) => setTimeout(next, 10));
  };
  await until(() => document.querySelector("[data-seek-bar]"));
  const video = document.querySelector(".player-video");
  const pressed = performance.now();
  video.muted = true;
  // Another source takes a play that was asked of the one before back.
  const play = () => video.paused && video.play().catch(() => {});
  play();
  const again = setInterval(play, 50);
  await until(() => video.currentTime > 0.05);
  const now = performance.now();
  const from = video.currentTime;
  await new Promise((next) => setTimeout(next, ${WATCHED_SECONDS} * 1000));
  clearInterval(again);
  const played = video.currentTime - from;
  return { first: (now - ${from}) / 1000, press: (now - pressed) / 1000, played };
})()`;
