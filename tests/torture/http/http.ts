import fs from "node:fs";
import { imageEnvironment } from "../../image-environment";
import { residentBytes } from "../../process-figures";
import { signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import { addressesOf, ROUTES } from "../leaks/walk";
import type { Faults, TortureOptions } from "../options";
import { createRandom } from "../random";
import { startNeighbour } from "../videos/neighbour";
import { readAnswers } from "./answers";
import { converse, type Outcome } from "./connection";
import { type Exchange, type Known, nextExchange } from "./exchanges";

const EXCHANGES_OF_A_RUN = 100_000;
const AT_ONCE = 16;
const MARKED_FILES = 20;
const MAX_BYTES = 300 * 1024 * 1024;
const NEIGHBOUR_WAITS_MS = 1_000;
/** The site itself ends what it is asked to end; the machine may be busy with other things. */
const ENDED_WITHIN_MS = 30_000;
const HANDLES_WITHIN_MS = 30_000;
const MAX_FAULTS = 20;
/** Not implemented, too busy, no space: what the site says on purpose. */
const DOCUMENTED = [501, 503, 507];

export function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? undefined : Date.now() + minutes * 60_000;
  return sendBytes(
    seed,
    until === undefined ? EXCHANGES_OF_A_RUN : Number.POSITIVE_INFINITY,
    until,
  );
}

/** Sends what no browser would send to a site, while somebody else looks at home and at a video. */
export async function sendBytes(
  seed: string,
  most: number,
  until = Number.POSITIVE_INFINITY,
  waitsMs = NEIGHBOUR_WAITS_MS,
): Promise<Faults> {
  const faults: Faults = [];
  const statuses: Record<number, number> = {};
  const site = new SiteProcess(imageEnvironment());
  try {
    await site.start();
    const known = await fill(site);
    const pid = site.child!.pid!;
    const handles = openHandles(pid);
    const neighbour = startNeighbour(site, ["/", known.files[0]!.path]);
    let sent = 0;
    let mostBytes = 0;
    const one = async () => {
      while (sent < most && Date.now() < until && faults.length < MAX_FAULTS) {
        const number = ++sent;
        const { exchange, from } = connectionOf(seed, number, known);
        const outcome = await converse(site.url, exchange, from, ENDED_WITHIN_MS);
        for (const fault of judge(exchange, outcome, statuses))
          faults.push(
            `Connection ${number}: ${fault}; sent ${JSON.stringify(exchange.pieces.join("").slice(0, 600))}`,
          );
        if (site.child?.exitCode !== null || site.child.signalCode) return;
        if (sent % 100 === 0) mostBytes = Math.max(mostBytes, residentBytes(pid));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    const other = await neighbour.stop();
    faults.push(...other.faults.slice(0, 5));
    if (other.slowestMs > waitsMs)
      faults.push(`Somebody else waited ${Math.round(other.slowestMs)} ms`);
    if (mostBytes > MAX_BYTES)
      faults.push(`The process took ${Math.round(mostBytes / 1024 ** 2)} MiB`);
    faults.push(...(await ended(site, handles)));
    console.log(
      `${sent} connections; answers by status ${JSON.stringify(statuses)}; somebody else waited ` +
        `${Math.round(other.slowestMs)} ms at most, the process took ${Math.round(mostBytes / 1024 ** 2)} MiB`,
    );
  } finally {
    await site.remove();
  }
  return faults;
}

/** What a connection sends follows from its number, whichever of those at once comes to it first. */
export function connectionOf(seed: string, number: number, known: Known) {
  const random = createRandom(`${seed}/${number}`);
  // Limits count by address, and are not what is tried here.
  const from = `127.0.${random.below(250)}.${2 + random.below(250)}`;
  return { from, exchange: nextExchange(random, known) };
}

/** Videos with a mark in their bytes, and the addresses of every route. */
async function fill(site: SiteProcess): Promise<Known> {
  const files = Array.from({ length: MARKED_FILES }, (_, index) => {
    const mark = `mark-${index}-of-a-video`;
    const path = site.addFile("videos", `u/${1795000000000 + index}.mp4`, `<${mark}>`);
    return { path, mark, id: site.addVideo({ title: `Video ${index}`, video_url: path }) };
  });
  const { id, path } = files[0]!;
  const known = { id, file: path.slice("/media/".length), category: "desi", tag: "a", slug: "a" };
  const paths = ROUTES.flatMap((route) => addressesOf(route, "none", known));
  return { files, paths, cookie: await signInTo(site) };
}

/** What is wrong with the answers to an exchange. */
export function judge(
  { pieces, ending, marks, forbidden }: Exchange,
  { bytes, endedBySite }: Outcome,
  statuses: Record<number, number> = {},
): Faults {
  const sent = pieces.join("");
  try {
    const answers = readAnswers(bytes, /HEAD/i.test(sent));
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
    const faults = answers
      .filter(({ status }) => status >= 500 && !DOCUMENTED.includes(status))
      .map(({ status, body }) => `Answered ${status} ${body.slice(0, 200)}`);
    // Each request names its version, but one that no version was read of.
    const requests = 1 + sent.split(/HTTP\//i).length;
    if (answers.length > requests) faults.push(`${answers.length} answers`);
    if (forbidden && answers.some(({ body }) => body.includes(forbidden)))
      faults.push("Answered a request that stands in a body");
    if (!marks) return faults;
    if (ending === "wait" && !endedBySite) faults.push("The connection was not ended");
    const got = answers.map(({ body }) => /<(.*)>/.exec(body)?.[1]);
    if (answers.some(({ isWhole }) => !isWhole) || String(got) !== String(marks))
      faults.push(`Answered ${got} for ${marks}`);
    return faults;
  } catch (error) {
    return [(error as Error).message];
  }
}

/** That the process lives, has said nothing of what nobody caught, and has let go of every connection. */
async function ended(site: SiteProcess, handles: number): Promise<Faults> {
  const faults: Faults = [];
  const uncaught = /.*(?:unhandled|uncaught|MaxListenersExceeded).*/i.exec(site.log);
  if (uncaught) faults.push(`The log says ${uncaught[0]}`);
  if (site.child?.exitCode !== null || site.child.signalCode)
    return [...faults, `The site has ended:\n${site.log.slice(-2_000)}`];
  const until = Date.now() + HANDLES_WITHIN_MS;
  let open = openHandles(site.child.pid!);
  while (open > handles && Date.now() < until) {
    await new Promise((next) => setTimeout(next, 100));
    open = openHandles(site.child.pid!);
  }
  if (open > handles) faults.push(`${open} handles are open, which were ${handles}`);
  return faults;
}

/** Connections and files that visitors have opened; the site's own database and pipes may come and go. */
function openHandles(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return fs.readdirSync(folder).filter((handle) => {
    try {
      return /^socket:|\/uploads\//.test(fs.readlinkSync(`${folder}/${handle}`));
    } catch {
      // Closed since the folder was read.
      return false;
    }
  }).length;
}
