import autocannon from "autocannon";
import { cpuSeconds, residentBytes } from "../process-figures";
import { SiteProcess } from "../site-process";
import { UNCACHED_COOKIE } from "../uncached-cookie";
import { median, type Report } from "./report";

const CONNECTIONS = 16;
const SECONDS = 3;
const ROUNDS = 5;
/** Prometheus asks each 15 seconds; this is worse. */
const SCRAPE_EVERY_MS = 1_000;
/** What a page costs more, in milliseconds of processor; a page that is rendered takes 8. */
const MOST_ADDED_MS = 0.1;
const MOST_RENDERED = 1.1;
const MOST_SCRAPE_MS = 50;
const SCRAPES = 50;

/** Pages of a site whose metrics are asked for each second, beside those of one where nobody asks. */
export async function run(report: Report): Promise<void> {
  const sites = { without: new SiteProcess(), with: new SiteProcess() };
  const scrape = () => fetch(`${sites.with.url}/metrics`).then((answer) => answer.text());
  let timer: NodeJS.Timeout | undefined;
  try {
    for (const site of Object.values(sites)) {
      await site.start();
      for (let index = 0; index < 50; index++) site.addVideo({ title: `Evening ${index}` });
      await load(site, {});
    }
    const before = mebibytesOf(sites.with);
    await scrape();
    report.figure("memory that the first scrape takes", mebibytesOf(sites.with) - before, "MiB");
    timer = setInterval(() => void scrape(), SCRAPE_EVERY_MS);
    // A cookie that means nothing makes the page be rendered.
    const cases = { cached: {}, rendered: { cookie: UNCACHED_COOKIE } };
    for (const [name, headers] of Object.entries(cases)) {
      const ratios: number[] = [];
      const costs: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        // By turns, so that what else the machine does meets both.
        const without = await load(sites.without, headers);
        const withMetrics = await load(sites.with, headers);
        ratios.push(withMetrics / without);
        costs.push(without);
      }
      report.figure(`${name} page without metrics`, median(costs), "ms of processor");
      const ratio = median(ratios);
      const what = `${name} page with metrics beside without`;
      if (name === "rendered") report.atMost(what, ratio, MOST_RENDERED);
      else {
        report.figure(what, ratio, "times");
        report.atMost("added to it", (ratio - 1) * median(costs), MOST_ADDED_MS, "ms");
      }
    }
    clearInterval(timer);
    const times: number[] = [];
    for (let index = 0; index < SCRAPES; index++) {
      const started = performance.now();
      await scrape();
      times.push(performance.now() - started);
    }
    report.atMost("a scrape takes", median(times), MOST_SCRAPE_MS, "ms");
  } finally {
    clearInterval(timer);
    for (const site of Object.values(sites)) await site.remove();
  }
}

function mebibytesOf({ child }: SiteProcess): number {
  return residentBytes(child!.pid!) / 1024 ** 2;
}

/** Milliseconds of processor that the site takes for a page, whatever else the machine does. */
async function load({ url, child }: SiteProcess, headers: Record<string, string>) {
  const before = cpuSeconds(child!.pid!);
  const options = { url: `${url}/`, headers, connections: CONNECTIONS, duration: SECONDS };
  const { requests } = await autocannon(options);
  return ((cpuSeconds(child!.pid!) - before) * 1_000) / requests.total;
}
