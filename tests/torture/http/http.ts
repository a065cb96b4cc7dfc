import fs from "node:fs";
import { imageEnvironment } from "../../image-environment";
import { residentBytes } from "../../process-figures";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { ROUTES, urlsOf } from "../leaks/walk";
import type { Faults, TortureOptions } from "../options";
import { createRandom } from "../random";
import { startOtherClient } from "../videos/other-client";
import { type Outcome, sendExchange } from "./connection";
import { type Exchange, type Known, nextExchange } from "./exchanges";
import { parseResponses } from "./responses";

const EXCHANGES = 100_000;
const CONCURRENCY = 16;
const MARKED_FILES = 20;
const MAX_MEMORY_BYTES = 300 * 1024 * 1024;
const MAX_WAIT_MS = 1_000;
/**
 * How soon the site must close a connection. The limit is generous, because the machine may be busy with other work.
 */
const CLOSE_TIMEOUT_MS = 30_000;
const HANDLES_TIMEOUT_MS = 30_000;
const MAX_FAULTS = 20;
/** Error statuses that the site sends on purpose: not implemented, too busy, and no space. */
const EXPECTED_ERRORS = [501, 503, 507];

export function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? undefined : Date.now() + minutes * 60_000;
  return sendBytes(seed, until === undefined ? EXCHANGES : Number.POSITIVE_INFINITY, until);
}

/** Sends the site requests that no browser would send, while another client requests the home page and a video. */
export async function sendBytes(
  seed: string,
  maxConnections: number,
  until = Number.POSITIVE_INFINITY,
  maxWaitMs = MAX_WAIT_MS,
): Promise<Faults> {
  const faults: Faults = [];
  const statuses: Record<number, number> = {};
  const site = new SiteProcess(imageEnvironment());
  try {
    await site.start();
    const known = await addContent(site);
    const pid = site.child!.pid!;
    const handles = openHandles(pid);
    const otherClient = startOtherClient(site, ["/", known.files[0]!.path]);
    let sent = 0;
    let peakBytes = 0;
    const sendConnections = async () => {
      while (sent < maxConnections && Date.now() < until && faults.length < MAX_FAULTS) {
        const number = ++sent;
        const { exchange, from } = connectionOf(seed, number, known);
        const outcome = await sendExchange(site.url, exchange, from, CLOSE_TIMEOUT_MS);
        for (const fault of findFaults(exchange, outcome, statuses))
          faults.push(
            `Connection ${number}: ${fault}; sent ${JSON.stringify(exchange.pieces.join("").slice(0, 600))}`,
          );
        if (site.child?.exitCode !== null || site.child.signalCode) return;
        if (sent % 100 === 0) peakBytes = Math.max(peakBytes, residentBytes(pid));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, sendConnections));
    const waits = await otherClient.stop();
    faults.push(...waits.faults.slice(0, 5));
    if (waits.slowestMs > maxWaitMs)
      faults.push(`Another client waited ${Math.round(waits.slowestMs)} ms`);
    if (peakBytes > MAX_MEMORY_BYTES)
      faults.push(`The process used ${Math.round(peakBytes / 1024 ** 2)} MiB`);
    faults.push(...(await checkProcess(site, handles)));
    console.log(
      `${sent} connections; responses by status ${JSON.stringify(statuses)}; another client waited ` +
        `at most ${Math.round(waits.slowestMs)} ms, the process used ${Math.round(peakBytes / 1024 ** 2)} MiB`,
    );
  } finally {
    await site.remove();
  }
  return faults;
}

/**
 * Returns the data that a connection sends. It depends only on the connection's number, not on the order of concurrent
 * connections.
 */
export function connectionOf(seed: string, number: number, known: Known) {
  const random = createRandom(`${seed}/${number}`);
  // Rate limits apply per IP address, and aren't tested here.
  const from = `127.0.${random.below(250)}.${2 + random.below(250)}`;
  return { from, exchange: nextExchange(random, known) };
}

/** Adds videos whose files contain a marker. Returns these files and the URLs for every route. */
async function addContent(site: SiteProcess): Promise<Known> {
  const files = Array.from({ length: MARKED_FILES }, (_, index) => {
    const mark = `mark-${index}-of-a-video`;
    const path = site.addFile("videos", `u/${1795000000000 + index}.mp4`, `<${mark}>`);
    return { path, mark, id: site.addVideo({ title: `Video ${index}`, video_url: path }) };
  });
  const { id, path } = files[0]!;
  const known = { id, file: path.slice("/media/".length), category: "desi", tag: "a", slug: "a" };
  const paths = ROUTES.flatMap((route) => urlsOf(route, "none", known));
  return { files, paths, cookie: await signInTo(site) };
}

/** Returns the faults in the responses to an exchange. */
export function findFaults(
  { pieces, ending, marks, forbidden }: Exchange,
  { bytes, closedBySite }: Outcome,
  statuses: Record<number, number> = {},
): Faults {
  const sent = pieces.join("");
  try {
    const responses = parseResponses(bytes, /HEAD/i.test(sent));
    for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
    const faults = responses
      .filter(({ status }) => status >= 500 && !EXPECTED_ERRORS.includes(status))
      .map(({ status, body }) => `Responded with ${status} ${body.slice(0, 200)}`);
    // Every request contains its HTTP version, but the version of one request may be unreadable.
    const requests = 1 + sent.split(/HTTP\//i).length;
    if (responses.length > requests) faults.push(`${responses.length} responses`);
    if (forbidden && responses.some(({ body }) => body.includes(forbidden)))
      faults.push("Responded to a request inside a body");
    if (!marks) return faults;
    if (ending === "wait" && !closedBySite) faults.push("The site didn't close the connection");
    const got = responses.map(({ body }) => /<(.*)>/.exec(body)?.[1]);
    if (responses.some(({ isWhole }) => !isWhole) || String(got) !== String(marks))
      faults.push(`Responded with ${got} instead of ${marks}`);
    return faults;
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Checks that the process is alive, has logged no uncaught error, and has closed all connections. */
async function checkProcess(site: SiteProcess, handles: number): Promise<Faults> {
  const faults: Faults = [];
  const uncaught = /.*(?:unhandled|uncaught|MaxListenersExceeded).*/i.exec(site.log);
  if (uncaught) faults.push(`Logged: ${uncaught[0]}`);
  if (site.child?.exitCode !== null || site.child.signalCode)
    return [...faults, `The site exited:\n${site.log.slice(-2_000)}`];
  const until = Date.now() + HANDLES_TIMEOUT_MS;
  let open = openHandles(site.child.pid!);
  while (open > handles && Date.now() < until) {
    await new Promise((next) => setTimeout(next, 100));
    open = openHandles(site.child.pid!);
  }
  if (open > handles) faults.push(`${open} handles are open, up from ${handles}`);
  return faults;
}

/** Counts open sockets and open uploaded files. The site's own database files and pipes aren't counted. */
function openHandles(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return fs.readdirSync(folder).filter((handle) => {
    try {
      return /^socket:|\/uploads\//.test(fs.readlinkSync(`${folder}/${handle}`));
    } catch {
      // The descriptor was closed after the list of descriptors was read.
      return false;
    }
  }).length;
}
