import fs from "node:fs";
import type { Browser, CDPSession, Page } from "playwright";
import { makeClip } from "../media-clips";
import { SiteProcess } from "../site-process";
import { launchBrowser } from "./browser";
import { median, type Report } from "./report";

const SLOWER = 6;
const SECONDS = 4;
const ROUNDS = 3;
const VIDEO_SECONDS = 60;
/** A sixtieth of a second. */
const FRAME_MS = 1_000 / 60;
/** Of the frames that the bare page has. */
const MIN_FRAMES = 0.85;

interface Measured {
  /** Frames a second. */
  rate: number;
  /** Seeks that came to their end, a second. */
  seeks: number;
  /** Milliseconds that the page works for a frame: its script, its styles, its layout. */
  script: number;
  layout: number;
}

/**
 * How smooth the page stays while somebody drags over the seek bar, on a processor 6 times slower.
 * What loading and decoding cost is the browser's own: the same video, sought in the same way by a
 * page with nothing in it but a video and a slider, says how much.
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
    report.figure("frames of the page at rest", middle(rest, "rate"), "a second");
    report.figure("frames while pointing at the seek bar", middle(hovering, "rate"), "a second");
    report.figure("frames while dragging over it", middle(seeking, "rate"), "a second");
    report.figure("frames while dragging on a bare page", middle(plain, "rate"), "a second");
    report.figure("seeks while dragging", middle(seeking, "seeks"), "a second");
    report.figure("seeks on the bare page", middle(plain, "seeks"), "a second");
    report.figure("script for a frame while dragging", middle(seeking, "script"), "ms");
    report.figure("styles and layout for a frame", middle(seeking, "layout"), "ms");
    report.atMost(
      "work for a frame while dragging",
      middle(seeking, "script") + middle(seeking, "layout"),
      FRAME_MS,
      "ms",
    );
    report.atLeast(
      "frames while dragging beside the bare page",
      middle(seeking, "rate") / middle(plain, "rate"),
      MIN_FRAMES,
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

/** @param html what the address answers, instead of the site. */
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
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  return { page, protocol };
}

/** As large as the player of a video page, one seek at a time. */
function barePage(video: string): string {
  return `<!doctype html><body style="margin:0;background:#000">
    <video src="${video}" preload="metadata" style="width:850px;height:478px"></video>
    <div class="player-seek" style="width:800px;height:24px">
      <input data-seek-bar type="range" min="0" max="${VIDEO_SECONDS}" step="0.1"
        style="width:100%;height:24px;margin:0">
    </div>
    <script>
      const video = document.querySelector("video"), slider = document.querySelector("input");
      let wish;
      slider.oninput = () => {
        if (video.seeking) wish = slider.valueAsNumber;
        else video.currentTime = slider.valueAsNumber;
      };
      video.onseeked = () => {
        if (wish !== undefined) video.currentTime = wish;
        wish = undefined;
      };
    </script>`;
}

/** A video of HD with its storyboard, paused. */
async function addVideoWithFile(site: SiteProcess): Promise<{ id: string; url: string }> {
  const clip = makeClip(site.folder, "video", {
    picture: `testsrc2=size=1280x720:rate=30:duration=${VIDEO_SECONDS}`,
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

/** To and fro over the seek bar for some seconds, one position for each frame. */
async function move({ page }: Opened): Promise<void> {
  const { left, width, middle } = await seekBarBox(page);
  const begun = performance.now();
  for (;;) {
    const passed = (performance.now() - begun) / 1_000;
    if (passed > SECONDS) return;
    const part = 0.5 - 0.5 * Math.cos((passed / 2) * Math.PI);
    await page.mouse.move(left + width * part, middle);
    await new Promise((next) => setTimeout(next, FRAME_MS));
  }
}

async function seekBarBox(page: Page) {
  const box = await page.locator(".player-seek").boundingBox();
  if (!box) throw new Error("The seek bar is not on screen");
  return { left: box.x, width: box.width, middle: box.y + box.height - 10 };
}

/** As text: what builds this script would add names to functions that the page does not know. */
const COUNT_FRAMES = `{
  let frames = 0, seeks = 0, on = true;
  const video = document.querySelector("video");
  video.addEventListener("seeked", () => { if (on) seeks++; });
  const count = () => { frames++; if (on) requestAnimationFrame(count); };
  requestAnimationFrame(count);
  window.stopCounting = () => { on = false; return { frames, seeks }; };
}`;

/** Counts frames, and what the page's one thread has done, while `work` goes on. */
async function measure(opened: Opened, work: (opened: Opened) => Promise<void>): Promise<Measured> {
  const { page, protocol } = opened;
  await page.bringToFront();
  const metrics = async () => {
    const { metrics } = await protocol.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1_000]));
  };
  await page.evaluate(COUNT_FRAMES);
  const before = await metrics();
  const begun = performance.now();
  await work(opened);
  const seconds = (performance.now() - begun) / 1_000;
  const after = await metrics();
  const { frames, seeks } = await page.evaluate<{ frames: number; seeks: number }>(
    "window.stopCounting()",
  );
  const spent = (name: string) => (after[name]! - before[name]!) / frames;
  return {
    rate: frames / seconds,
    seeks: seeks / seconds,
    script: spent("ScriptDuration"),
    layout: spent("LayoutDuration") + spent("RecalcStyleDuration"),
  };
}
