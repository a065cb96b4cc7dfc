import fs from "node:fs";
import type { Browser, Page } from "playwright";
import { makeClip } from "../media-clips";
import { SiteProcess } from "../site-process";
import { launchBrowser } from "./browser";
import { median, type Report } from "./report";

interface Connection {
  name: string;
  /** Milliseconds. */
  latency: number;
  bytesPerSecond: number;
  /** The maximum time in seconds from pressing play until the video plays. */
  maxStartSeconds: number;
  /** How many seconds of video must be played within `WATCHED_SECONDS` of the first frame. */
  minPlayedSeconds: number;
}

const CONNECTIONS: Connection[] = [
  {
    name: "5 Mbit/s",
    latency: 40,
    bytesPerSecond: 625_000,
    maxStartSeconds: 1,
    minPlayedSeconds: 6,
  },
  {
    name: "1.6 Mbit/s",
    latency: 300,
    bytesPerSecond: 200_000,
    maxStartSeconds: 2,
    minPlayedSeconds: 6,
  },
];
const VIDEO_SECONDS = 12;
const VIDEO_BITRATE = 12_000_000;
const WATCHED_SECONDS = 8;
const ROUNDS = 3;

interface Watched {
  /** The time in seconds from requesting the page until the video plays. */
  first: number;
  /** The time in seconds from pressing play until the video plays. The benchmark presses play as soon as it can. */
  press: number;
  /** How many seconds of video were played within `WATCHED_SECONDS` of the first frame. */
  played: number;
}

/**
 * Measures how soon a 12 Mbit/s video plays over slow connections, and whether it continues without stalling. The video
 * is played as a plain file and as a stream, the stream once on a page that is opened by URL and once after clicking
 * the video's card.
 */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess({ ENCODER_CONCURRENCY: "1", ENCODER_PRESET: "superfast" });
  const browser = await launchBrowser();
  try {
    await site.start();
    const { stream, file } = await addVideoWithFile(site);
    for (const connection of CONNECTIONS) {
      const methods = {
        "by URL": () => watch(browser, connection, `${site.url}/video/${stream}`),
        "from its card": () => watchFromCard(browser, connection, site.url, stream),
        "plain file": () => watch(browser, connection, `${site.url}/video/${file}`),
      };
      await compare(report, connection, methods);
    }
  } finally {
    await browser.close();
    await site.remove();
  }
}

async function compare(
  report: Report,
  connection: Connection,
  methods: Record<string, () => Promise<Watched>>,
): Promise<void> {
  const results = new Map<string, Watched[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, watchOnce] of Object.entries(methods)) {
      results.set(name, [...(results.get(name) ?? []), await watchOnce()]);
    }
  }
  const middle = (name: string, key: keyof Watched) =>
    median(results.get(name)!.map((one) => one[key]));
  for (const name of results.keys()) {
    report.figure(`${connection.name}, ${name}: first frame`, middle(name, "first"), "s");
    report.figure(
      `${connection.name}, ${name}: first frame after pressing play`,
      middle(name, "press"),
      "s",
    );
    report.figure(
      `${connection.name}, ${name}: played in ${WATCHED_SECONDS} s`,
      middle(name, "played"),
      "s",
    );
  }
  for (const name of ["by URL", "from its card"]) {
    const press = middle(name, "press");
    report.atMost(
      `${connection.name}, ${name}: play starts`,
      press,
      connection.maxStartSeconds,
      "s",
    );
    const played = middle(name, "played");
    report.atLeast(
      `${connection.name}, ${name}: continues`,
      played,
      connection.minPlayedSeconds,
      "s",
    );
  }
  const ratio = middle("by URL", "first") / middle("plain file", "first");
  report.atMost(`${connection.name}, first frame / first frame of the plain file`, ratio, 1);
}

/** Adds the same video twice, once with renditions. */
async function addVideoWithFile(site: SiteProcess): Promise<{ stream: string; file: string }> {
  const rate = ["-b:v", "12M", "-minrate", "12M", "-maxrate", "12M", "-bufsize", "12M"];
  const clip = makeClip(site.folder, "video", {
    videoSource: `testsrc2=size=1920x1080:rate=30:duration=${VIDEO_SECONDS},noise=alls=40:allf=t`,
    seconds: VIDEO_SECONDS,
    video: ["libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "60", ...rate],
    output: ["-movflags", "+faststart"],
  });
  if (fs.statSync(clip).size * 8 < VIDEO_BITRATE * VIDEO_SECONDS * 0.8) {
    throw new Error("The video is too small for this benchmark.");
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

/** Opens a page with an empty cache over the given connection. */
async function openPage(browser: Browser, connection: Connection): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: connection.latency,
    downloadThroughput: connection.bytesPerSecond,
    uploadThroughput: 125_000,
  });
  return page;
}

/** Opens the page by its URL, and starts playback as soon as the player is ready. */
async function watch(browser: Browser, connection: Connection, address: string): Promise<Watched> {
  const page = await openPage(browser, connection);
  await page.goto(address, { waitUntil: "commit" });
  const watched = await page.evaluate<Watched>(play(0));
  await page.context().close();
  return watched;
}

/** Opens the list, and then opens the video from its card. The time is measured from the click. */
async function watchFromCard(
  browser: Browser,
  connection: Connection,
  origin: string,
  id: string,
): Promise<Watched> {
  const page = await openPage(browser, connection);
  await page.goto(origin, { waitUntil: "networkidle" });
  const card = page.locator(`#video-${id} a`);
  // People hover briefly before they click.
  await card.hover();
  await page.waitForTimeout(300);
  const clicked = await page.evaluate<number>("performance.now()");
  await card.click({ noWaitAfter: true });
  const watched = await page.evaluate<Watched>(play(clicked));
  await page.context().close();
  return watched;
}

/** The script is a string, because the bundler would wrap functions in helpers that don't exist on the page. */
const play = (from: number) => `(async () => {
  const until = async (met) => {
    while (!met()) await new Promise((next) => setTimeout(next, 10));
  };
  await until(() => document.querySelector("[data-seek-bar]"));
  const video = document.querySelector(".player-video");
  const pressed = performance.now();
  video.muted = true;
  // Changing the source cancels the previous call to play().
  const play = () => video.paused && video.play().catch(() => {});
  play();
  const timer = setInterval(play, 50);
  await until(() => video.currentTime > 0.05);
  const now = performance.now();
  const from = video.currentTime;
  await new Promise((next) => setTimeout(next, ${WATCHED_SECONDS} * 1000));
  clearInterval(timer);
  const played = video.currentTime - from;
  return { first: (now - ${from}) / 1000, press: (now - pressed) / 1000, played };
})()`;
