import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { cpuSeconds, until } from "../process-figures";
import { hasS3Server, startS3Server } from "../s3/object-stores";
import { isStored } from "../s3/stored-video";
import { SiteProcess } from "../site-process";
import { median, type Report } from "./report";

const MIB = 1024 ** 2;
const FILE_BYTES = 256 * MIB;
const ROUNDS = 5;
const REDIRECTS = 2_000;
const MIN_DISK_RATIO = 0.6;
const MAX_REDIRECT_MS = 2;
const ON_DISK = "u/1700000000001.mp4";
const IN_STORE = "u/1700000000002.mp4";
const PART = "u/1700000000002/hls-1/v0.mp4";
/** Requests for parts of a stream are redirected to the store. Requests for complete videos aren't. */
const LONG_PART = "u/1700000000002/hls-1/v1.mp4";

/** Compares proxying a video from a store with serving it from disk, and measures the cost of a redirect. */
export async function run(report: Report): Promise<void> {
  if (!hasS3Server) throw new Error("python3-swift is not installed, and S3_TEST_URL is not set.");
  const server = await startS3Server();
  const site = new SiteProcess({ ...server.environment });
  try {
    await site.start();
    const video = randomBytes(FILE_BYTES);
    const disk = site.addFile("videos", ON_DISK, video);
    const store = site.addFile("videos", IN_STORE, video);
    const part = site.addFile("videos", PART, video.subarray(0, MIB));
    const longPart = site.addFile("videos", LONG_PART, video);
    site.addVideo({ video_url: disk });
    site.addVideo({ id: "v", video_url: store });
    // Only files that are recorded in the database are moved.
    const record = site
      .database()
      .prepare(
        "INSERT INTO media_files (bucket, path, video_id, kind, bytes) VALUES ('videos', ?, 'v', ?, 1)",
      );
    record.run(IN_STORE, "video");
    record.run("u/1700000000002", "derived");
    const inStore = [IN_STORE, PART, LONG_PART];
    await until(() => inStore.every((name) => isStored(site, name)));
    for (const name of inStore) fs.rmSync(path.join(site.uploads, "videos", name));
    const sha256 = createHash("sha256").update(video).digest("hex");
    await site.stop();
    await site.start({ STORAGE_DELIVERY: "redirect" });
    const direct = await redirectOf(site.url + longPart);
    await benchmarkRedirects(report, site, part);
    await site.stop();
    await site.start({ STORAGE_DELIVERY: "proxy" });
    await compare(report, site, { disk: site.url + disk, store: site.url + store, direct }, sha256);
  } finally {
    await site.remove();
    await server.stop();
  }
}

/** Downloads in rotation from disk, from the store through the site, and directly from the store. */
async function compare(
  report: Report,
  site: SiteProcess,
  addresses: Record<"disk" | "store" | "direct", string>,
  sha256: string,
): Promise<void> {
  const speeds = { disk: [] as number[], store: [] as number[], direct: [] as number[] };
  const cpu = { disk: [] as number[], store: [] as number[], direct: [] as number[] };
  const pid = site.child!.pid!;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const from of ["disk", "store", "direct"] as const) {
      const before = cpuSeconds(pid);
      const speed = await download(addresses[from], round === 0 ? sha256 : undefined);
      if (round === 0) continue;
      speeds[from].push(speed);
      cpu[from].push((cpuSeconds(pid) - before) / (FILE_BYTES / 1024 ** 3));
    }
  }
  const [fromDisk, fromStore] = [median(speeds.disk), median(speeds.store)];
  const direct = median(speeds.direct);
  report.figure("from the disk", fromDisk, "MiB/s");
  report.figure("from the store, through the site", fromStore, "MiB/s");
  report.figure("from the store itself", direct, "MiB/s");
  report.figure("CPU of the site, from the disk", median(cpu.disk), "s/GiB");
  report.figure("CPU of the site, from the store", median(cpu.store), "s/GiB");
  report.figure("throughput through the site / direct", fromStore / direct, "");
  report.atLeast("throughput from the store / from the disk", fromStore / fromDisk, MIN_DISK_RATIO);
}

async function redirectOf(url: string): Promise<string> {
  const { status, headers } = await fetch(url, { redirect: "manual" });
  if (status !== 302) throw new Error(`Expected a redirect, but got status ${status}.`);
  return headers.get("Location")!;
}

/** Returns the throughput in MiB/s. Verifies the digest of the bytes if one is given. */
async function download(url: string, sha256?: string): Promise<number> {
  const start = performance.now();
  const [response] = (await once(http.get(url), "response")) as [http.IncomingMessage];
  const hash = createHash("sha256");
  let received = 0;
  response.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (sha256) hash.update(chunk);
  });
  await once(response, "end");
  if (received !== FILE_BYTES) throw new Error(`Only ${received} bytes of ${url} were received.`);
  if (sha256 && hash.digest("hex") !== sha256) throw new Error(`${url} has a different digest.`);
  return FILE_BYTES / MIB / ((performance.now() - start) / 1000);
}

async function benchmarkRedirects(report: Report, site: SiteProcess, part: string): Promise<void> {
  const pid = site.child!.pid!;
  const redirect = () => redirectOf(site.url + part);
  // The first redirects warm up the process, which is still compiling code after moving the videos.
  for (let sent = 0; sent < REDIRECTS; sent++) await redirect();
  const before = cpuSeconds(pid);
  for (let sent = 0; sent < REDIRECTS; sent++) await redirect();
  const eachMs = ((cpuSeconds(pid) - before) / REDIRECTS) * 1000;
  report.atMost("CPU of the site per redirect", eachMs, MAX_REDIRECT_MS, "ms");
}
