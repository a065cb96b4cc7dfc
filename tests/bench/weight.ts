import type { Page } from "playwright";
import { SiteProcess } from "../site-process";
import { launchBrowser } from "./browser";
import type { Report } from "./report";

const MAX_SCRIPT_KB = { "/": 128, "/video/v1": 152 };
const MAX_STYLE_KB = 16;
const VIDEOS = 40;
const PHONE = { width: 360, height: 740 };

/**
 * Measures the scripts, styles, requests to other hosts, and layout shifts of the home page and a video page on a
 * phone.
 */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess();
  const browser = await launchBrowser();
  try {
    await site.start();
    for (let index = 0; index < VIDEOS; index++) {
      site.addVideo({ id: `v${index}`, title: `Evening by the sea, part ${index}` });
    }
    for (const [name, address] of [
      ["home", "/"],
      ["video page", "/video/v1"],
    ] as const) {
      const maxScript = MAX_SCRIPT_KB[address];
      const page = await browser.newPage({ viewport: PHONE });
      const { bytes, others, shift } = await open(page, site.url, address);
      report.atMost(`${name}: script`, (bytes.get("script") ?? 0) / 1000, maxScript, "KB");
      report.atMost(`${name}: styles`, (bytes.get("stylesheet") ?? 0) / 1000, MAX_STYLE_KB, "KB");
      report.atMost(`${name}: requests to other hosts`, others, 0);
      report.atMost(`${name}: layout shift`, shift, 0);
      await page.close();
    }
  } finally {
    await browser.close();
    await site.remove();
  }
}

async function open(page: Page, origin: string, address: string) {
  const bytes = new Map<string, number>();
  const sizes: Promise<void>[] = [];
  let others = 0;
  page.on("requestfinished", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) others++;
    const type = request.resourceType();
    const size = request.sizes().then(({ responseBodySize }) => {
      bytes.set(type, (bytes.get(type) ?? 0) + responseBodySize);
    });
    sizes.push(size);
  });
  await page.addInitScript(() => {
    const seen = window as { shift?: number };
    seen.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        seen.shift = (seen.shift ?? 0) + (entry as unknown as { value: number }).value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(origin + address, { waitUntil: "networkidle" });
  await page.mouse.wheel(0, 2_000);
  await page.waitForLoadState("networkidle");
  await Promise.all(sizes);
  const shift = await page.evaluate(() => (window as { shift?: number }).shift ?? Number.NaN);
  return { bytes, others, shift };
}
