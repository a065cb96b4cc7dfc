import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { residentBytes } from "../../process-figures";
import { ask, MULTIPART, multipartParts, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { filesOf, lasting, type Row, readRows } from "../crash/checks";
import type { Faults, TortureOptions } from "../options";
import { createRandom, type Random } from "../random";
import { corpus } from "./corpus";
import { mutatedVideo } from "./mutate-video";
import { startNeighbour } from "./neighbour";

const VIDEOS_OF_A_RUN = 1_000;
/** Then another site begins: each look at all of it stays short. */
const VIDEOS_OF_A_SITE = 60;
const VIDEOS_BETWEEN_LOOKS = 15;
/** One second of a video of 96 by 64; the machine may be busy with other things. */
const ENDED_WITHIN_MS = 120_000;
const MAX_BYTES = 300 * 1024 * 1024;
const NEIGHBOUR_WAITS_MS = 1_000;
const ACCEPTED = 201;
/** A file that can't be read, and one that is in the catalogue already. */
const REFUSED = [409, 415, 422];

export function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? undefined : Date.now() + minutes * 60_000;
  return sendVideos(seed, until === undefined ? VIDEOS_OF_A_RUN : Number.POSITIVE_INFINITY, until);
}

/** What became of the videos of a run. */
interface Tally {
  sent: number;
  accepted: number;
  converted: number;
  failed: number;
  mostBytes: number;
  slowestMs: number;
}

/** Uploads damaged videos to a site that converts them, while somebody else looks at home. */
export async function sendVideos(
  seed: string,
  most: number,
  until = Number.POSITIVE_INFINITY,
  waitsMs = NEIGHBOUR_WAITS_MS,
): Promise<Faults> {
  const faults: Faults = [];
  const random = createRandom(seed);
  const videos = corpus();
  const tally: Tally = {
    sent: 0,
    accepted: 0,
    converted: 0,
    failed: 0,
    mostBytes: 0,
    slowestMs: 0,
  };
  while (tally.sent < most && Date.now() < until) {
    const count = Math.min(VIDEOS_OF_A_SITE, most - tally.sent);
    const found = await oneSite(random, videos, count, until, tally);
    for (const fault of found) console.log(`FAULT  ${fault}`);
    faults.push(...found);
  }
  if (tally.slowestMs > waitsMs)
    faults.push(`Somebody else waited ${Math.round(tally.slowestMs)} ms for home`);
  console.log(
    `${tally.sent} videos, ${tally.accepted} accepted, ${tally.converted} with a stream, ${tally.failed} jobs failed; ` +
      `somebody else waited ${Math.round(tally.slowestMs)} ms at most, ` +
      `the process took ${Math.round(tally.mostBytes / 1024 ** 2)} MiB`,
  );
  return faults;
}

async function oneSite(
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
    const neighbour = startNeighbour(site);
    const sent = new Map<string, string>();
    for (let video = 1; video <= count && Date.now() < until; video++) {
      const title = `Video ${tally.sent}`;
      const bytes = mutatedVideo(random, videos);
      tally.sent += 1;
      sent.set(title, createHash("sha256").update(bytes).digest("hex"));
      const fault = await upload(site, cookie, title, bytes, tally);
      if (fault) faults.push(fault);
      tally.mostBytes = Math.max(tally.mostBytes, residentBytes(site.child!.pid!));
      if (video % VIDEOS_BETWEEN_LOOKS === 0 || video === count)
        faults.push(...(await look(site, sent, tally)));
    }
    if (tally.mostBytes > MAX_BYTES)
      faults.push(`The process took ${Math.round(tally.mostBytes / 1024 ** 2)} MiB`);
    const other = await neighbour.stop();
    tally.slowestMs = Math.max(tally.slowestMs, other.slowestMs);
    faults.push(...other.faults.slice(0, 5));
    tally.converted += countOf(site, "SELECT count(*) FROM videos WHERE hls_url IS NOT NULL");
    tally.failed += countOf(site, "SELECT count(*) FROM jobs WHERE state = 'failed'");
    if (site.child?.exitCode !== null)
      faults.push(`The site has ended:\n${site.log.slice(-2_000)}`);
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
    const answer = await ask(site, "POST", "/admin/publish", headers, body);
    if (answer.status === ACCEPTED) tally.accepted += 1;
    else if (!REFUSED.includes(answer.status))
      return `${title} was answered ${answer.status} ${answer.body.slice(0, 300)}`;
    return undefined;
  } catch (error) {
    return `${title} was not answered: ${String(error)}`;
  }
}

/** Waits for what is being made of the videos, and looks at all that there is of them. */
async function look(
  site: SiteProcess,
  sent: ReadonlyMap<string, string>,
  { sent: last }: Tally,
): Promise<Faults> {
  const until = Date.now() + ENDED_WITHIN_MS;
  // What failed is tried again later, with all that waits behind it; so is removed what is not needed any more.
  const busy = `SELECT count(*) FROM jobs
    WHERE state = 'running' OR (state = 'waiting' AND attempts = 0 AND kind <> 'cleanup' AND NOT EXISTS (
      SELECT 1 FROM jobs AS first WHERE first.video_id = jobs.video_id AND first.kind = 'transcode'
        AND first.state = 'waiting' AND first.attempts > 0))`;
  while (countOf(site, busy) > 0) {
    if (Date.now() > until) return [`Jobs have not ended by video ${last}: ${described(site)}`];
    await new Promise((next) => setTimeout(next, 200));
  }
  const sqlite = site.database();
  const faults = await lasting(
    () => readRows(sqlite),
    (rows) => filesOf({ site }, rows),
  );
  const integrity = sqlite.pragma("integrity_check", { simple: true });
  if (integrity !== "ok") faults.push(`integrity_check: ${integrity}`);
  for (const row of readRows(sqlite).live) {
    faults.push(...(await answers(site, row, sent.get(row.title))));
  }
  return faults;
}

/**
 * The page of a video, the file that it plays, and its stream. Without both there is no page yet, and what
 * could not be measured is left to an editor.
 */
export async function answers(
  site: SiteProcess,
  row: Row,
  sha256: string | undefined,
): Promise<Faults> {
  const { status } = await fetch(`${site.url}/video/${row.id}`);
  const isShown = row.status === "published" && (row.video_url || row.hls_url);
  if (status !== (isShown ? 200 : 404)) return [`${row.title}: its page answers ${status}`];
  if (!isShown) return [];
  const faults: Faults = [];
  if (row.video_url) {
    const answer = await fetch(site.url + row.video_url);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isAsSent = createHash("sha256").update(bytes).digest("hex") === sha256;
    if (answer.status !== 200 || !(isAsSent || isVideo("-", bytes)))
      faults.push(`${row.title}: ${row.video_url} answers ${answer.status}, and no video`);
  }
  if (row.hls_url && !isVideo(site.url + row.hls_url))
    faults.push(`${row.title}: its stream is none`);
  return faults;
}

/** Whether a picture can be seen of it; what was damaged may be so in what was made of it. */
function isVideo(source: string, input?: Buffer): boolean {
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

function described(site: SiteProcess): string {
  const sql = "SELECT kind, state, attempts, reason, video_id FROM jobs WHERE state <> 'done'";
  return JSON.stringify(site.database().prepare(sql).all());
}
