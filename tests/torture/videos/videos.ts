import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { residentBytes } from "../../process-figures";
import { MULTIPART, multipartParts, sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { checkFiles, checkWhileStable, type Row, readRows } from "../crash/checks";
import type { Faults, TortureOptions } from "../options";
import { createRandom, type Random } from "../random";
import { corpus } from "./corpus";
import { mutateVideo } from "./mutate-video";
import { startOtherClient } from "./other-client";

const VIDEOS = 1_000;
/** The number of videos after which the run continues with a new site, so that the checks stay fast. */
const MAX_VIDEOS_PER_SITE = 60;
const VIDEOS_PER_CHECK = 15;
/** The timeout is generous for videos of 1 s and 96 × 64 pixels, because the machine may be busy with other work. */
const JOBS_TIMEOUT_MS = 120_000;
const MAX_MEMORY_BYTES = 300 * 1024 * 1024;
const MAX_WAIT_MS = 1_000;
const ACCEPTED = 201;
/** Statuses for a file that can't be read or is already in the catalogue. */
const REFUSALS = [409, 415, 422];

export function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? undefined : Date.now() + minutes * 60_000;
  return sendVideos(seed, until === undefined ? VIDEOS : Number.POSITIVE_INFINITY, until);
}

/** The results of a run. */
interface Tally {
  sent: number;
  accepted: number;
  converted: number;
  failed: number;
  peakBytes: number;
  slowestMs: number;
}

/** Uploads damaged videos to a site that converts them, while another client is requesting the home page. */
export async function sendVideos(
  seed: string,
  maxVideos: number,
  until = Number.POSITIVE_INFINITY,
  maxWaitMs = MAX_WAIT_MS,
): Promise<Faults> {
  const faults: Faults = [];
  const random = createRandom(seed);
  const videos = corpus();
  const tally: Tally = {
    sent: 0,
    accepted: 0,
    converted: 0,
    failed: 0,
    peakBytes: 0,
    slowestMs: 0,
  };
  while (tally.sent < maxVideos && Date.now() < until) {
    const count = Math.min(MAX_VIDEOS_PER_SITE, maxVideos - tally.sent);
    const found = await runSite(random, videos, count, until, tally);
    for (const fault of found) console.log(`FAULT  ${fault}`);
    faults.push(...found);
  }
  if (tally.slowestMs > maxWaitMs)
    faults.push(`Another client waited ${Math.round(tally.slowestMs)} ms for the home page`);
  console.log(
    `${tally.sent} videos, ${tally.accepted} accepted, ${tally.converted} with a stream, ${tally.failed} jobs failed; ` +
      `another client waited at most ${Math.round(tally.slowestMs)} ms, ` +
      `the process used ${Math.round(tally.peakBytes / 1024 ** 2)} MiB`,
  );
  return faults;
}

async function runSite(
  random: Random,
  videos: readonly Buffer[],
  count: number,
  until: number,
  tally: Tally,
): Promise<Faults> {
  const faults: Faults = [];
  const site = new SiteProcess({
    ENCODER_CONCURRENCY: "1",
    ENCODER_MAX_HEIGHT: "240",
    ENCODER_FREE_BYTES: "1",
  });
  try {
    await site.start();
    const cookie = await signInTo(site);
    const otherClient = startOtherClient(site);
    const sent = new Map<string, string>();
    for (let video = 1; video <= count && Date.now() < until; video++) {
      const title = `Video ${tally.sent}`;
      const bytes = mutateVideo(random, videos);
      tally.sent += 1;
      sent.set(title, createHash("sha256").update(bytes).digest("hex"));
      const fault = await upload(site, cookie, title, bytes, tally);
      if (fault) faults.push(fault);
      tally.peakBytes = Math.max(tally.peakBytes, residentBytes(site.child!.pid!));
      if (video % VIDEOS_PER_CHECK === 0 || video === count)
        faults.push(...(await checkAll(site, sent, tally)));
    }
    if (tally.peakBytes > MAX_MEMORY_BYTES)
      faults.push(`The process used ${Math.round(tally.peakBytes / 1024 ** 2)} MiB`);
    const waits = await otherClient.stop();
    tally.slowestMs = Math.max(tally.slowestMs, waits.slowestMs);
    faults.push(...waits.faults.slice(0, 5));
    tally.converted += countOf(site, "SELECT count(*) FROM videos WHERE hls_url IS NOT NULL");
    tally.failed += countOf(site, "SELECT count(*) FROM jobs WHERE state = 'failed'");
    if (site.child?.exitCode !== null) faults.push(`The site exited:\n${site.log.slice(-2_000)}`);
  } finally {
    await site.remove();
  }
  return faults;
}

async function upload(
  site: SiteProcess,
  cookie: string,
  title: string,
  bytes: Buffer,
  tally: Tally,
): Promise<string | undefined> {
  const texts = {
    title,
    description: "A damaged video.",
    category: "desi",
    tags: "",
    duration: "",
  };
  const { before, after } = multipartParts({ ...texts, intent: "publish" });
  const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
  const headers = { ...MULTIPART, Cookie: cookie };
  try {
    const response = await sendRequest(site, "POST", "/admin/publish", headers, body);
    if (response.status === ACCEPTED) tally.accepted += 1;
    else if (!REFUSALS.includes(response.status))
      return `${title} returned ${response.status} ${response.body.slice(0, 300)}`;
    return undefined;
  } catch (error) {
    return `${title} got no response: ${String(error)}`;
  }
}

/** Waits until the videos have been processed, then checks all of them. */
async function checkAll(
  site: SiteProcess,
  sent: ReadonlyMap<string, string>,
  { sent: last }: Tally,
): Promise<Faults> {
  const until = Date.now() + JOBS_TIMEOUT_MS;
  // Ignores failed jobs (they are retried later), the jobs that wait for them, and the removal of unused files.
  const busy = `SELECT count(*) FROM jobs
    WHERE state = 'running' OR (state = 'waiting' AND attempts = 0 AND kind <> 'cleanup' AND NOT EXISTS (
      SELECT 1 FROM jobs AS first WHERE first.video_id = jobs.video_id AND first.kind = 'transcode'
        AND first.state = 'waiting' AND first.attempts > 0))`;
  while (countOf(site, busy) > 0) {
    if (Date.now() > until)
      return [`Jobs haven't finished after video ${last}: ${describeJobs(site)}`];
    await new Promise((next) => setTimeout(next, 200));
  }
  const sqlite = site.database();
  const faults = await checkWhileStable(
    () => readRows(sqlite),
    (rows) => checkFiles({ site }, rows),
  );
  const integrity = sqlite.pragma("integrity_check", { simple: true });
  if (integrity !== "ok") faults.push(`integrity_check: ${integrity}`);
  for (const row of readRows(sqlite).live) {
    faults.push(...(await checkVideo(site, row, sent.get(row.title))));
  }
  return faults;
}

/**
 * Checks a video's page, the file that it plays, and its stream. A video without a file or stream doesn't have a page
 * yet, and a video that couldn't be probed isn't published.
 */
export async function checkVideo(
  site: SiteProcess,
  row: Row,
  sha256: string | undefined,
): Promise<Faults> {
  const { status } = await fetch(`${site.url}/video/${row.id}`);
  const isShown = row.status === "published" && (row.video_url || row.hls_url);
  if (status !== (isShown ? 200 : 404)) return [`${row.title}: its page returns ${status}`];
  if (!isShown) return [];
  const faults: Faults = [];
  if (row.video_url) {
    const response = await fetch(site.url + row.video_url);
    const bytes = Buffer.from(await response.arrayBuffer());
    const isAsSent = createHash("sha256").update(bytes).digest("hex") === sha256;
    if (response.status !== 200 || !(isAsSent || isPlayable("-", bytes)))
      faults.push(`${row.title}: ${row.video_url} returns ${response.status}, but isn't playable`);
  }
  if (row.hls_url && !isPlayable(site.url + row.hls_url))
    faults.push(`${row.title}: its stream isn't playable`);
  return faults;
}

/** Returns whether any frame can be decoded. The rest may be damaged, as in the uploaded file. */
function isPlayable(source: string, input?: Buffer): boolean {
  try {
    const args = ["-v", "error", "-i", source, "-an", "-frames:v", "1", "-f", "null", "-"];
    execFileSync("ffmpeg", args, { ...(input && { input }), stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

function countOf(site: SiteProcess, sql: string): number {
  return site.database().prepare(sql).pluck().get() as number;
}

function describeJobs(site: SiteProcess): string {
  const sql = "SELECT kind, state, attempts, reason, video_id FROM jobs WHERE state <> 'done'";
  return JSON.stringify(site.database().prepare(sql).all());
}
