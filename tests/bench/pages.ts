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
const ANEW = { cookie: UNCACHED_COOKIE };
const MIN_RENDERED = 0.5;
const MIN_CACHED = 0.6;
const MIN_BESIDE_STOCK = 1.3;

/** A page with nothing to load but its frame, and an answer that is a constant text. */
const EMPTY_PAGE = "/privacy";
const CONSTANT = "/media/nothing";

const PAGES = { home: "/", search: "/?search=evening", video: "/video/v7" };

/** Whole pages through remix-serve, rendered anew and from the page cache, beside what the framework itself costs. */
export async function run(report: Report): Promise<void> {
  const site = new SiteProcess();
  try {
    await site.start();
    addVideos(site);
    await load(site.url + EMPTY_PAGE, ANEW);
    const empty = await measure(site.url + EMPTY_PAGE, ANEW);
    const constant = await measure(site.url + CONSTANT);
    report.figure("a page with an empty loader", empty.rate, "requests/s");
    report.figure("a constant text", constant.rate, "requests/s");
    for (const [name, path] of Object.entries(PAGES)) {
      const anew = await measure(site.url + path, ANEW);
      const cached = await measure(site.url + path);
      report.figure(`${name} rendered anew`, anew.rate, `requests/s, p99 ${anew.p99} ms`);
      report.atLeast(`${name} anew beside the empty page`, anew.rate / empty.rate, MIN_RENDERED);
      report.figure(`${name} from the cache`, cached.rate, `requests/s, p99 ${cached.p99} ms`);
      report.atLeast(
        `${name} from the cache beside the constant`,
        cached.rate / constant.rate,
        MIN_CACHED,
      );
    }
    await compareWithStock(report, site);
  } finally {
    await site.remove();
  }
}

/** Beside the same pages as the framework renders them by itself. */
async function compareWithStock(report: Report, own: SiteProcess): Promise<void> {
  const stock = await siteWithStockRendering();
  try {
    await stock.start();
    addVideos(stock);
    for (const [name, path] of Object.entries(PAGES)) {
      await load(stock.url + path, ANEW);
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await cpuPerPage(own, path));
        theirs.push(await cpuPerPage(stock, path));
      }
      const [mine, other] = [median(ours), median(theirs)];
      report.figure(`${name} rendered anew, processor`, mine * 1_000, "ms");
      report.figure(`${name} in the framework's own way`, other * 1_000, "ms");
      report.atLeast(`${name} beside it, pages in the same time`, other / mine, MIN_BESIDE_STOCK);
    }
  } finally {
    await stock.remove();
  }
}

/** Seconds. */
async function cpuPerPage(site: SiteProcess, path: string): Promise<number> {
  const pid = site.child!.pid!;
  const before = cpuSeconds(pid);
  const { requests, non2xx } = await load(site.url + path, ANEW);
  if (non2xx > 0) throw new Error(`${non2xx} answers were no pages`);
  return (cpuSeconds(pid) - before) / requests.total;
}

function addVideos(site: SiteProcess): void {
  for (let index = 0; index < VIDEOS; index++) {
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
