import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { imageEnvironment } from "../image-environment";
import { residentBytes } from "../process-figures";
import { signInTo } from "../site-client";
import { SiteProcess } from "../site-process";
import { catalogueDatabase } from "./catalogue/catalogue-database";
import { generatedVideos, randomFrom } from "./catalogue/generated-videos";
import type { Report } from "./report";

const VIDEOS = 100_000;
const REQUESTS = Number(process.env.BENCH_REQUESTS || 100_000);
const CONNECTIONS = 8;
const READINGS = 10;
const MAX_MIB = 300;
const MIB = 1024 ** 2;
const FILES = 50;
const FILE_BYTES = 512 * 1024;

interface MeasuredSite {
  site: SiteProcess;
  cookie: string;
  readings: number[];
}

/**
 * Measures the memory of a site with 100,000 videos before and after 100,000 requests of all kinds, both with the
 * image's memory settings and with the defaults of Node and malloc.
 */
export async function run(report: Report): Promise<void> {
  const paths = requestPaths();
  const names: [string, Record<string, string>][] = [
    ["with the settings of the image", { ...imageEnvironment() }],
    ["with the defaults", {}],
  ];
  const agent = new http.Agent({ keepAlive: true, maxSockets: 2 * CONNECTIONS });
  const after: number[] = [];
  try {
    for (const [name, environment] of names) {
      const { site, cookie, readings } = await open(environment);
      try {
        readings.push(memory(site));
        for (let reading = 0; reading < READINGS; reading += 1) {
          await visit({ site, cookie, readings }, paths, agent);
          readings.push(memory(site));
        }
      } finally {
        await site.remove();
      }
      after.push(readings.at(-1) ?? Number.NaN);
      console.log(`        ${name}: ${readings.map((mib) => mib.toFixed(0)).join(", ")} MiB`);
    }
  } finally {
    agent.destroy();
  }
  const [ours = Number.NaN, defaults = Number.NaN] = after;
  report.figure("memory / memory with the defaults", ours / defaults, "");
  report.atMost(`memory after ${REQUESTS} requests`, ours, MAX_MIB, "MiB");
}

const memory = (site: SiteProcess) => residentBytes(site.child!.pid!) / MIB;

async function open(environment: Record<string, string>): Promise<MeasuredSite> {
  const site = new SiteProcess(environment);
  fs.mkdirSync(path.dirname(site.databasePath), { recursive: true });
  fs.copyFileSync(catalogueDatabase(VIDEOS), site.databasePath);
  // Records that the site's files have been compared with the catalogue, which every site does when it starts for the
  // first time.
  site.database().prepare("UPDATE storage SET checked_at = ?").run(new Date().toISOString());
  const setFile = site.database().prepare("UPDATE videos SET video_url = ? WHERE id = ?");
  for (const [index, id] of publishedIds(FILES).entries()) {
    setFile.run(site.addFile("videos", `u/${index}.mp4`, Buffer.alloc(FILE_BYTES, "v")), id);
  }
  await site.start();
  return { site, cookie: await signInTo(site), readings: [] };
}

function publishedIds(count: number): string[] {
  const ids: string[] = [];
  for (const { id, status } of generatedVideos(VIDEOS)) {
    if (status === "published") ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

interface SentRequest {
  path: string;
  headers?: Record<string, string>;
  signedIn?: boolean;
}

/** Returns a function that returns the next request of an endless series, which is the same in every run. */
function requestPaths(): () => SentRequest {
  const random = randomFrom(7);
  const below = (limit: number) => Math.floor(random() * limit);
  const videos = [...generatedVideos(VIDEOS)].filter(({ status }) => status === "published");
  const words = [...new Set(videos.flatMap(({ title }) => title.split(" ")))];
  const video = () => videos[below(videos.length)]!;
  const word = () => encodeURIComponent(words[below(words.length)]!);
  const files = Math.floor(FILE_BYTES / 1024);
  const kinds: (() => SentRequest)[] = [
    () => ({ path: "/" }),
    () => ({ path: "/trending", headers: { "Accept-Encoding": "gzip" } }),
    () => ({ path: `/?page=${1 + below(20)}`, headers: { "Accept-Encoding": "gzip" } }),
    () => ({ path: `/categories/desi?page=${1 + below(2_000)}` }),
    () => ({ path: `/?page=${1 + below(12_000)}`, headers: { "Accept-Encoding": "gzip" } }),
    () => ({ path: `/?search=${word()}`, headers: { "Accept-Encoding": "gzip" } }),
    () => ({ path: `/?search=${word()}&_routes=routes%2Fhome`.replace("/?", "/_root.data?") }),
    () => ({ path: `/video/${video().id}` }),
    () => ({ path: `/video/${video().id}`, headers: { "Accept-Encoding": "gzip" } }),
    range,
    range,
    range,
    range,
    range,
    () => ({ path: "/feed.xml" }),
    () => ({ path: `/admin?tab=manage&page=${1 + below(5_000)}`, signedIn: true }),
    () => ({ path: `/admin?tab=manage&search=${word()}`, signedIn: true }),
    () => ({ path: `/admin/tags?search=${word()}`, signedIn: true }),
    () => ({ path: `/admin/trash?search=${word()}`, signedIn: true }),
  ];
  function range(): SentRequest {
    const start = below(files) * 1024;
    return { path: `/media/videos/u/${below(FILES)}.mp4`, headers: { Range: `bytes=${start}-` } };
  }
  return () => kinds[below(kinds.length)]!();
}

async function visit({ site, cookie }: MeasuredSite, next: () => SentRequest, agent: http.Agent) {
  let remaining = Math.floor(REQUESTS / READINGS);
  const visitor = async () => {
    while (remaining > 0) {
      remaining -= 1;
      const { path: requested, headers, signedIn } = next();
      const all = { ...headers, ...(signedIn && { Cookie: cookie }) };
      const status = await get(site.url + requested, all, agent);
      if (status >= 400) throw new Error(`${requested} returned status ${status}:\n${site.log}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, visitor));
}

function get(url: string, headers: Record<string, string>, agent: http.Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers, agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}
