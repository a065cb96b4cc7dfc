import autocannon from "autocannon";
import { cpuSeconds } from "../process-figures";
import { SiteProcess } from "../site-process";
import { UNCACHED_COOKIE } from "../uncached-cookie";
import { median, type Report } from "./report";
import { siteWithStockRendering } from "./stock/stock-site";

const VIDEOS = 200;
const CONNECTIONS = 16;
const SECONDS = 3;
const ROUNDS = 3;
const UNCACHED = { cookie: UNCACHED_COOKIE };
const MIN_RENDERED_RATIO = 0.5;
const MIN_CACHED_RATIO = 0.6;
const MIN_STOCK_RATIO = 1.3;
/** The number of different pages that crawlers and visitors of a large site keep requesting. */
const CYCLED_PAGES = 2_000;
const MIN_CYCLED_RATIO = 20;

/** A page whose loader doesn't load any data. */
const EMPTY_PAGE = "/privacy";
/** A URL whose response is constant text. */
const CONSTANT = "/media/nothing";

const PAGES = { home: "/", search: "/?search=evening", video: "/video/v7" };

/** Measures the cost of serving rendered pages and cached pages, compared with the cost of the framework itself. */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess();
  try {
    await site.start();
    addVideos(site);
    await load(site.url + EMPTY_PAGE, UNCACHED);
    const empty = await measure(site.url + EMPTY_PAGE, UNCACHED);
    const constant = await measure(site.url + CONSTANT);
    report.figure("a page with an empty loader", empty.rate, "requests/s");
    report.figure("a constant text", constant.rate, "requests/s");
    for (const [name, path] of Object.entries(PAGES)) {
      const rendered = await measure(site.url + path, UNCACHED);
      const cached = await measure(site.url + path);
      report.figure(`${name} rendered`, rendered.rate, `requests/s, p99 ${rendered.p99} ms`);
      const ratio = rendered.rate / empty.rate;
      report.atLeast(`${name} rendered, rate / empty page`, ratio, MIN_RENDERED_RATIO);
      report.figure(`${name} from the cache`, cached.rate, `requests/s, p99 ${cached.p99} ms`);
      report.atLeast(
        `${name} from the cache, rate / constant text`,
        cached.rate / constant.rate,
        MIN_CACHED_RATIO,
      );
    }
    await compareWithStock(report, site);
    await cyclePages(report, site);
  } finally {
    await site.remove();
  }
}

/** Compares the cost of pages with that of the same pages rendered by the framework's stock renderer. */
async function compareWithStock(report: Report, site: SiteProcess): Promise<void> {
  const stock = await siteWithStockRendering();
  try {
    await stock.start();
    addVideos(stock);
    for (const [name, path] of Object.entries(PAGES)) {
      await load(stock.url + path, UNCACHED);
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await cpuPerPage(site, path));
        theirs.push(await cpuPerPage(stock, path));
      }
      const [ownCpu, stockCpu] = [median(ours), median(theirs)];
      report.figure(`${name} rendered, CPU`, ownCpu * 1_000, "ms");
      report.figure(`${name} with the stock renderer, CPU`, stockCpu * 1_000, "ms");
      report.atLeast(
        `${name}, CPU of the stock renderer / own`,
        stockCpu / ownCpu,
        MIN_STOCK_RATIO,
      );
    }
  } finally {
    await stock.remove();
  }
}

/** Each connection requests the pages of many videos one after the other, from the cache and rendered. */
async function cyclePages(report: Report, site: SiteProcess): Promise<void> {
  addVideos(site, VIDEOS, CYCLED_PAGES);
  const requests = Array.from({ length: CYCLED_PAGES }, (_, id) => ({ path: `/video/v${id}` }));
  const cycle = (options: object, headers = {}) =>
    autocannon({
      ...{ url: site.url, connections: CONNECTIONS, requests, ...options },
      // Like browsers and crawlers.
      headers: { "accept-encoding": "gzip", ...headers },
    });
  await cycle({ connections: 1, amount: CYCLED_PAGES });
  const cached = await cycle({ duration: SECONDS });
  const rendered = await cycle({ duration: SECONDS }, UNCACHED);
  const [rate, renderedRate] = [cached.requests.average, rendered.requests.average];
  report.figure(`${CYCLED_PAGES} video pages from the cache`, rate, "requests/s");
  report.figure(`${CYCLED_PAGES} video pages rendered`, renderedRate, "requests/s");
  const name = `${CYCLED_PAGES} video pages, rate from the cache / rendered`;
  report.atLeast(name, rate / renderedRate, MIN_CYCLED_RATIO);
}

/** Returns the CPU time per page, in seconds. */
async function cpuPerPage(site: SiteProcess, path: string): Promise<number> {
  const pid = site.child!.pid!;
  const before = cpuSeconds(pid);
  const { requests, non2xx } = await load(site.url + path, UNCACHED);
  if (non2xx > 0) throw new Error(`${non2xx} responses were errors`);
  return (cpuSeconds(pid) - before) / requests.total;
}

function addVideos(site: SiteProcess, from = 0, to = VIDEOS): void {
  for (let index = from; index < to; index++) {
    site.addVideo({
      id: `v${index}`,
      title: `${index % 2 ? "Evening" : "Morning"} by the sea, part ${index}`,
      tags: JSON.stringify(["sea", index % 3 ? "slow" : "night"]),
      views: index * 731,
      duration: `${index % 60}:30`,
    });
  }
}

async function measure(url: string, headers?: Record<string, string>) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await load(url, headers));
  return {
    rate: median(rounds.map(({ requests }) => requests.average)),
    p99: median(rounds.map(({ latency }) => latency.p99)),
  };
}

function load(url: string, headers: Record<string, string> = {}) {
  return autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS });
}
