import fs from "node:fs";
import type { Browser, CDPSession, Page } from "playwright";
import { makeClip } from "../media-clips";
import { SiteProcess } from "../site-process";
import { launchBrowser } from "./browser";
import { median, type Report } from "./report";

const CPU_SLOWDOWN = 6;
const SECONDS = 4;
const ROUNDS = 3;
const VIDEO_SECONDS = 60;
const FRAME_MS = 1_000 / 60;
/** The minimum ratio of the player's frame rate to that of the bare page. */
const MIN_FRAME_RATIO = 0.85;

interface Measured {
  /** The number of frames per second. */
  rate: number;
  /** The number of completed seeks per second. */
  seeks: number;
  /**
   * The time per frame, in milliseconds, that the page spends on scripts (`script`) and on styles and layout
   * (`layout`).
   */
  script: number;
  layout: number;
}

/**
 * Measures the page's frame rate while someone drags along the seek bar, with the CPU throttled by a factor of 6. The
 * baseline is a bare page with only a video and a slider that seeks in the same way. It shows how much time the browser
 * itself needs for loading and decoding.
 */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess({ ENCODER_CONCURRENCY: "1", ENCODER_PRESET: "auto" });
  const browser = await launchBrowser();
  try {
    await site.start();
    const { id, url } = await addVideoWithFile(site);
    const ours = await open(browser, `${site.url}/video/${id}`);
    const bare = await open(browser, `${site.url}/bare`, barePage(url));
    const rest: Measured[] = [];
    const hovering: Measured[] = [];
    const seeking: Measured[] = [];
    const plain: Measured[] = [];
    await measure(ours, drag);
    await measure(bare, drag);
    for (let round = 0; round < ROUNDS; round++) {
      rest.push(await measure(ours, ({ page }) => page.waitForTimeout(SECONDS * 1_000)));
      hovering.push(await measure(ours, move));
      seeking.push(await measure(ours, drag));
      plain.push(await measure(bare, drag));
    }
    const middle = (list: Measured[], key: keyof Measured) => median(list.map((one) => one[key]));
    report.figure("frame rate at rest", middle(rest, "rate"), "fps");
    report.figure("frame rate while hovering over the seek bar", middle(hovering, "rate"), "fps");
    report.figure("frame rate while dragging", middle(seeking, "rate"), "fps");
    report.figure("frame rate while dragging on a bare page", middle(plain, "rate"), "fps");
    report.figure("seeks while dragging", middle(seeking, "seeks"), "per second");
    report.figure("seeks on the bare page", middle(plain, "seeks"), "per second");
    report.figure("scripts per frame while dragging", middle(seeking, "script"), "ms");
    report.figure("styles and layout per frame", middle(seeking, "layout"), "ms");
    report.atMost(
      "scripts, styles and layout per frame while dragging",
      middle(seeking, "script") + middle(seeking, "layout"),
      FRAME_MS,
      "ms",
    );
    report.atLeast(
      "frame rate while dragging / bare page",
      middle(seeking, "rate") / middle(plain, "rate"),
      MIN_FRAME_RATIO,
    );
  } finally {
    await browser.close();
    await site.remove();
  }
}

interface Opened {
  page: Page;
  protocol: CDPSession;
}

/** @param html the HTML to return for the URL instead of the site's response. */
async function open(browser: Browser, address: string, html?: string): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  if (html) {
    await page.route(address, (route) => route.fulfill({ contentType: "text/html", body: html }));
  }
  await page.goto(address);
  if (html) await page.unrouteAll();
  await page.locator("[data-seek-bar]:enabled").waitFor();
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Performance.enable");
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  return { page, protocol };
}

/** Returns a page that contains a video as large as the player and performs one seek at a time. */
function barePage(video: string): string {
  return `<!doctype html><body style="margin:0;background:#000">
    <video src="${video}" preload="metadata" style="width:850px;height:478px"></video>
    <div class="player-seek" style="width:800px;height:24px">
      <input data-seek-bar type="range" min="0" max="${VIDEO_SECONDS}" step="0.1"
        style="width:100%;height:24px;margin:0">
    </div>
    <script>
      const video = document.querySelector("video"), slider = document.querySelector("input");
      let next;
      slider.oninput = () => {
        if (video.seeking) next = slider.valueAsNumber;
        else video.currentTime = slider.valueAsNumber;
      };
      video.onseeked = () => {
        if (next !== undefined) video.currentTime = next;
        next = undefined;
      };
    </script>`;
}

/** Adds an HD video with its storyboard. */
async function addVideoWithFile(site: SiteProcess): Promise<{ id: string; url: string }> {
  const clip = makeClip(site.folder, "video", {
    videoSource: `testsrc2=size=1280x720:rate=30:duration=${VIDEO_SECONDS}`,
    seconds: VIDEO_SECONDS,
    output: ["-g", "60", "-movflags", "+faststart"],
  });
  const video_url = site.addFile("videos", "u/1700000000000.mp4", fs.readFileSync(clip));
  const id = site.addVideo({ title: "Video", video_url });
  const database = site.database();
  database
    .prepare("INSERT INTO jobs (video_id, kind, priority) VALUES (?, 'storyboard', 20)")
    .run(id);
  const artifact = database.prepare("SELECT 1 FROM videos WHERE storyboard_url IS NOT NULL");
  while (!artifact.get()) await new Promise((next) => setTimeout(next, 100));
  return { id, url: video_url };
}

async function drag(opened: Opened): Promise<void> {
  const { page } = opened;
  const { left, middle } = await seekBarBox(page);
  await page.mouse.move(left, middle);
  await page.mouse.down();
  await move(opened);
  await page.mouse.up();
}

/** Moves the mouse back and forth over the seek bar for a few seconds, once per frame. */
async function move({ page }: Opened): Promise<void> {
  const { left, width, middle } = await seekBarBox(page);
  const start = performance.now();
  for (;;) {
    const elapsed = (performance.now() - start) / 1_000;
    if (elapsed > SECONDS) return;
    const part = 0.5 - 0.5 * Math.cos((elapsed / 2) * Math.PI);
    await page.mouse.move(left + width * part, middle);
    await new Promise((next) => setTimeout(next, FRAME_MS));
  }
}

async function seekBarBox(page: Page) {
  const box = await page.locator(".player-seek").boundingBox();
  if (!box) throw new Error("The seek bar is not on screen");
  return { left: box.x, width: box.width, middle: box.y + box.height - 10 };
}

/** The script is a string, because the bundler would wrap functions in helpers that don't exist on the page. */
const COUNT_FRAMES = `{
  let frames = 0, seeks = 0, on = true;
  const video = document.querySelector("video");
  video.addEventListener("seeked", () => { if (on) seeks++; });
  const count = () => { frames++; if (on) requestAnimationFrame(count); };
  requestAnimationFrame(count);
  window.stopCounting = () => { on = false; return { frames, seeks }; };
}`;

/** Counts frames and seeks, and measures how busy the page's main thread is, during `work`. */
async function measure(opened: Opened, work: (opened: Opened) => Promise<void>): Promise<Measured> {
  const { page, protocol } = opened;
  await page.bringToFront();
  const metrics = async () => {
    const { metrics } = await protocol.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1_000]));
  };
  await page.evaluate(COUNT_FRAMES);
  const before = await metrics();
  const start = performance.now();
  await work(opened);
  const seconds = (performance.now() - start) / 1_000;
  const after = await metrics();
  const { frames, seeks } = await page.evaluate<{ frames: number; seeks: number }>(
    "window.stopCounting()",
  );
  const perFrame = (name: string) => (after[name]! - before[name]!) / frames;
  return {
    rate: frames / seconds,
    seeks: seeks / seconds,
    script: perFrame("ScriptDuration"),
    layout: perFrame("LayoutDuration") + perFrame("RecalcStyleDuration"),
  };
}
