import { freePort } from "../../free-port";
import { type SiteResponse, sendRequest, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import type { Faults } from "../options";
import { createRandom, type Random } from "../random";
import { checkEvents } from "./events";
import { listsWith, requestsFor, type VideoRequest } from "./hidden-requests";
import {
  addVideosWithFiles,
  addVideoWithFile,
  filesOf,
  type HiddenVideo,
  hide,
  isPublic,
  newVideo,
  STATES,
  type State,
  type Video,
} from "./hidden-videos";
import { type Marks, marksIn, marksOf } from "./marks";
import { compareTimes } from "./timing";

const HIDE_TIMEOUT_MS = 20_000;
/**
 * A page contains two timestamps, which are serialized only once if they fall into the same millisecond. A response
 * that differs for that reason is requested again.
 */
const MAX_ATTEMPTS = 20;
/** The number of characters by which the lengths of responses with such timestamps may differ. */
const MAX_LENGTH_DIFFERENCE = 100;

/** A site with hidden videos, as seen by visitors. */
export interface HiddenSite {
  site: SiteProcess;
  random: Random;
  cookie: string;
  videos: readonly HiddenVideo[];
  /** A video that stays public. */
  known: Video;
  marks: Marks;
  faults: Faults;
  requests: number;
}

interface HiddenOptions {
  states?: readonly State[];
  /** The share of the requests other than plain GET requests that is sent. Those requests are chosen at random. */
  share?: number;
  /** The number of pairs of requests that are timed, or 0 in a test. */
  pairs?: number;
  /** A state whose video stays public, which the run must detect. */
  keepPublic?: State;
}

/**
 * Searches every URL for hidden videos, and compares each response with the response for a video that never existed.
 */
export async function runHidden(
  seed: string,
  { states = STATES, share = 1, pairs = 0, keepPublic }: HiddenOptions = {},
) {
  const site = new SiteProcess();
  try {
    site.url = `http://127.0.0.1:${await freePort()}`;
    await site.start({ PUBLIC_URL: site.url });
    const hidden = await createSite(site, createRandom(`hidden ${seed}`), states);
    const etags = await requestWhilePublic(hidden);
    const hiding = hidden.videos.filter(({ state }) => state !== keepPublic);
    for (const video of hiding) await hide(site, hidden.cookie, video);
    await waitUntilHidden(site, hiding);
    await compareWithUnknown(hidden, etags, share);
    await searchLists(hidden, etags);
    await checkEvents(hidden);
    const times = pairs > 0 ? await compareTimes(hidden, pairs) : [];
    return { faults: [...new Set(hidden.faults)], requests: hidden.requests, times };
  } finally {
    await site.remove();
  }
}

async function createSite(
  site: SiteProcess,
  random: Random,
  states: readonly State[],
): Promise<HiddenSite> {
  const known = newVideo(random, 0);
  addVideoWithFile(site, known, { status: "published" });
  const videos = addVideosWithFiles(site, random, states);
  const database = site.database();
  database.exec(`INSERT INTO series (id, title, slug, visibility) VALUES (1, 'Evenings', 'evenings', 'public');
    INSERT INTO series_slugs (slug, series_id) VALUES ('evenings', 1);`);
  const add = database.prepare("INSERT INTO series_videos VALUES (1, ?, ?)");
  for (const [position, { id }] of [known, ...videos].entries()) add.run(id, position);
  const cookie = await signInTo(site);
  const words = videos.flatMap(({ state, word, id, base }) => [
    [state, word] as const,
    [`the id of ${state}`, id] as const,
    [`the files of ${state}`, base] as const,
  ]);
  const marks = marksOf(new Map(words));
  return { site, random, cookie, videos, known, marks, faults: [], requests: 0 };
}

/** Sends a request as a visitor, each time from a different IP address, so that no rate limit is reached. */
async function requestAsVisitor(hidden: HiddenSite, request: VideoRequest): Promise<SiteResponse> {
  const number = ++hidden.requests;
  const from = `203.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  const headers = { "X-Forwarded-For": from, ...request.headers };
  return sendRequest(hidden.site, request.method ?? "GET", request.path, headers, request.body);
}

/** Requests the videos while they are public. Returns the ETags that a visitor or a shared cache would know. */
async function requestWhilePublic(hidden: HiddenSite): Promise<Map<string, string>> {
  const { videos, faults, marks, known } = hidden;
  const etags = new Map<string, string>();
  const remember = async (path: string) => {
    const response = await requestAsVisitor(hidden, { path });
    const { etag, "cache-control": cache = "" } = response.headers;
    if (etag) etags.set(path, etag);
    const names = marksIn(marks, Buffer.from(response.body)).length > 0;
    if (names && !/\b(?:private|no-store|no-cache)\b/.test(cache))
      faults.push(`${path} may be served by a shared cache after the video is hidden: "${cache}"`);
    return { ...response, names };
  };
  for (const video of videos.filter(({ wasPublic }) => wasPublic)) {
    for (const path of new Set(requestsFor(video, etags).map((request) => request.path))) {
      await remember(path);
    }
    for (const path of [`/video/${video.id}`, ...filesOf(video)]) {
      const { status, names } = await remember(path);
      if (status !== 200) faults.push(`${path} returns ${status} while the video is public`);
      if (!names) faults.push(`${path} of a public video contains no mark`);
    }
  }
  let naming = 0;
  for (const path of listsWith(known)) naming += Number((await remember(path)).names);
  if (naming < 10) faults.push(`Only ${naming} lists name a public video`);
  return etags;
}

async function waitUntilHidden(site: SiteProcess, videos: readonly HiddenVideo[]): Promise<void> {
  const until = Date.now() + HIDE_TIMEOUT_MS;
  while (videos.some((video) => isPublic(site, video))) {
    if (Date.now() > until) throw new Error("Not every video was hidden");
    await new Promise((next) => setTimeout(next, 100));
  }
}

/**
 * Checks that each response is identical to the response for a video that never existed, except for the requested name.
 */
async function compareWithUnknown(
  hidden: HiddenSite,
  etags: ReadonlyMap<string, string>,
  share: number,
): Promise<void> {
  const { videos, random, faults, marks } = hidden;
  for (const [index, video] of videos.entries()) {
    const unknown = newVideo(random, 500 + index);
    const others = requestsFor(unknown, new Map());
    for (const [at, request] of requestsFor(video, etags).entries()) {
      const isPlain = request.headers === undefined && request.method === undefined;
      if (!isPlain && !random.chance(share)) continue;
      const what = `${video.state}: ${request.method ?? "GET"} ${request.path} ${JSON.stringify(request.headers ?? {})}`;
      let different = "";
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const again = (path: string) =>
          attempts === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}again=${attempts}`;
        const response = await requestAsVisitor(hidden, { ...request, path: again(request.path) });
        const other = { ...request, body: others[at]!.body, path: again(others[at]!.path) };
        const actual = normalize(response, video);
        const expected = normalize(await requestAsVisitor(hidden, other), unknown);
        for (const mark of marksIn(marks, Buffer.from(actual)))
          faults.push(`${what} reveals ${mark}`);
        different = actual === expected ? "" : difference(actual, expected);
        if (!different || Math.abs(actual.length - expected.length) > MAX_LENGTH_DIFFERENCE) break;
      }
      if (different) faults.push(`${what} differs from a video that never existed: ${different}`);
    }
  }
}

/** Returns a response without the parts that repeat the request or differ each time. */
function normalize({ status, headers, body }: SiteResponse, { id, base, word }: Video): string {
  const { date: _, ...rest } = headers;
  const neutral = (text: string) =>
    [id, id.toUpperCase(), base, word, word.slice(0, 8), word.slice(0, 6)]
      .reduce((left, own, index) => left.replaceAll(own, `OWN${index}`), text)
      .replaceAll(encodeURIComponent(id), "OWN0")
      .replace(/'sha256-[^']+'/g, "'sha256'")
      .replace(/\b17\d{11}\b/g, "NOW");
  const lines = Object.entries(rest).map(([name, value]) => {
    const text = String(value);
    if (name === "etag") return `etag: ${text.replace(/"[^"]*"/, '""')}`;
    return `${name}: ${name === "set-cookie" ? text.replace(/=[^;]*/, "=") : neutral(text)}`;
  });
  const page = neutral(body)
    .replace(/("formId\\?",\\?")[\w-]+/g, "$1")
    .replace(/(name="form" value=")[\w-]+/g, "$1");
  return `${status}\n${lines.sort().join("\n")}\n\n${page}`;
}

function difference(actual: string, expected: string): string {
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
  return `${around(actual)} instead of ${around(expected)}`;
}

/**
 * Checks that no list, feed or search contains a hidden video, even if the request has the ETag from when the video was
 * public.
 */
async function searchLists(hidden: HiddenSite, etags: ReadonlyMap<string, string>): Promise<void> {
  const { known, marks, faults } = hidden;
  for (const path of listsWith(known)) {
    const etag = etags.get(path);
    const variants: Record<string, string>[] = [{}, { Cookie: "age=18" }];
    if (etag) variants.push({ "If-None-Match": etag });
    for (const headers of variants) {
      const response = await requestAsVisitor(hidden, { path, headers });
      const text = `${JSON.stringify(response.headers)}\n${response.body}`;
      for (const mark of marksIn(marks, Buffer.from(text))) faults.push(`${path} reveals ${mark}`);
    }
  }
}
