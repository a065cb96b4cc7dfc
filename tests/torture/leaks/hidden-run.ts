import { freePort } from "../../free-port";
import { type Answer, ask, signInTo } from "../../site-client";
import { SiteProcess } from "../../site-process";
import type { Faults } from "../options";
import { createRandom, type Random } from "../random";
import { type Asked, listsWith, requestsFor } from "./hidden-requests";
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
import { silentEvents } from "./silent-events";
import { compareTimes } from "./timing";

const HIDDEN_WITHIN_MS = 20_000;
/** A page holds the time twice, as one number when both are of the same millisecond: then it is asked again. */
const MAX_ATTEMPTS = 20;
/** Letters that this may change; more is another answer. */
const MAX_OF_TIMES = 100;

/** A site with hidden videos, and somebody who is not signed in. */
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
  /** Of the requests that are more than an address; by chance. */
  share?: number;
  /** Pairs of requests that are timed; none in a test. */
  pairs?: number;
  /** A state that is left public, to see that this is found. */
  leaves?: State;
}

/** Looks for hidden videos at every address, and compares each answer with that about a video that never was. */
export async function runHidden(
  seed: string,
  { states = STATES, share = 1, pairs = 0, leaves }: HiddenOptions = {},
) {
  const site = new SiteProcess();
  try {
    site.url = `http://127.0.0.1:${await freePort()}`;
    await site.start({ PUBLIC_URL: site.url });
    const hidden = await newSite(site, createRandom(`hidden ${seed}`), states);
    const etags = await whilePublic(hidden);
    const hiding = hidden.videos.filter(({ state }) => state !== leaves);
    for (const video of hiding) await hide(site, hidden.cookie, video);
    await untilHidden(site, hiding);
    await asNeverThere(hidden, etags, share);
    await inNoList(hidden, etags);
    await silentEvents(hidden);
    const times = pairs > 0 ? await compareTimes(hidden, pairs) : [];
    return { faults: [...new Set(hidden.faults)], requests: hidden.requests, times };
  } finally {
    await site.remove();
  }
}

async function newSite(
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

/** As somebody who is not signed in, each time from another address, so that no limit is met. */
async function askAsVisitor(hidden: HiddenSite, asked: Asked): Promise<Answer> {
  const number = ++hidden.requests;
  const from = `203.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  const headers = { "X-Forwarded-For": from, ...asked.headers };
  return ask(hidden.site, asked.method ?? "GET", asked.path, headers, asked.body);
}

/** What a visitor and a shared cache hold of videos while they are public: the tags of their answers. */
async function whilePublic(hidden: HiddenSite): Promise<Map<string, string>> {
  const { videos, faults, marks, known } = hidden;
  const etags = new Map<string, string>();
  const remember = async (path: string) => {
    const answer = await askAsVisitor(hidden, { path });
    const { etag, "cache-control": cache = "" } = answer.headers;
    if (etag) etags.set(path, etag);
    const names = marksIn(marks, Buffer.from(answer.body)).length > 0;
    if (names && !/\b(?:private|no-store|no-cache)\b/.test(cache))
      faults.push(
        `${path} may be passed on by a shared cache after the video is hidden: "${cache}"`,
      );
    return { ...answer, names };
  };
  for (const video of videos.filter(({ wasPublic }) => wasPublic)) {
    for (const path of new Set(requestsFor(video, etags).map((asked) => asked.path))) {
      await remember(path);
    }
    for (const path of [`/video/${video.id}`, ...filesOf(video)]) {
      const { status, names } = await remember(path);
      if (status !== 200) faults.push(`${path} answers ${status} while it is public`);
      if (!names) faults.push(`${path} of a public video holds no mark`);
    }
  }
  let naming = 0;
  for (const path of listsWith(known)) naming += Number((await remember(path)).names);
  if (naming < 10) faults.push(`Only ${naming} lists name a video while it is public`);
  return etags;
}

async function untilHidden(site: SiteProcess, videos: readonly HiddenVideo[]): Promise<void> {
  const until = Date.now() + HIDDEN_WITHIN_MS;
  while (videos.some((video) => isPublic(site, video))) {
    if (Date.now() > until) throw new Error("Not every video was hidden");
    await new Promise((next) => setTimeout(next, 100));
  }
}

/** Each answer is, to the byte, the one about a video that never was, but for the name that was asked for. */
async function asNeverThere(
  hidden: HiddenSite,
  etags: ReadonlyMap<string, string>,
  share: number,
): Promise<void> {
  const { videos, random, faults, marks } = hidden;
  for (const [index, video] of videos.entries()) {
    const never = newVideo(random, 500 + index);
    const others = requestsFor(never, new Map());
    for (const [at, asked] of requestsFor(video, etags).entries()) {
      const isPlain = asked.headers === undefined && asked.method === undefined;
      if (!isPlain && !random.chance(share)) continue;
      const what = `${video.state}: ${asked.method ?? "GET"} ${asked.path} ${JSON.stringify(asked.headers ?? {})}`;
      let different = "";
      for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
        const again = (path: string) =>
          tries === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}again=${tries}`;
        const answer = await askAsVisitor(hidden, { ...asked, path: again(asked.path) });
        const other = { ...asked, body: others[at]!.body, path: again(others[at]!.path) };
        const is = described(answer, video);
        const wanted = described(await askAsVisitor(hidden, other), never);
        for (const mark of marksIn(marks, Buffer.from(is))) faults.push(`${what} tells ${mark}`);
        different = is === wanted ? "" : difference(is, wanted);
        if (!different || Math.abs(is.length - wanted.length) > MAX_OF_TIMES) break;
      }
      if (different) faults.push(`${what} differs from a video that never was: ${different}`);
    }
  }
}

/** An answer without what it repeats of the question, and without what differs each time. */
function described({ status, headers, body }: Answer, { id, base, word }: Video): string {
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

function difference(is: string, wanted: string): string {
  let at = 0;
  while (at < is.length && is[at] === wanted[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80));
  return `${around(is)} instead of ${around(wanted)}`;
}

/** No list, feed or search names one, also for who holds what it was when the video was public. */
async function inNoList(hidden: HiddenSite, etags: ReadonlyMap<string, string>): Promise<void> {
  const { known, marks, faults } = hidden;
  for (const path of listsWith(known)) {
    const etag = etags.get(path);
    const ways: Record<string, string>[] = [{}, { Cookie: "age=18" }];
    if (etag) ways.push({ "If-None-Match": etag });
    for (const headers of ways) {
      const answer = await askAsVisitor(hidden, { path, headers });
      const text = `${JSON.stringify(answer.headers)}\n${answer.body}`;
      for (const mark of marksIn(marks, Buffer.from(text))) faults.push(`${path} tells ${mark}`);
    }
  }
}
