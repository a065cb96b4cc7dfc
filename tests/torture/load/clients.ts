import { setMaxListeners } from "node:events";
import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { MULTIPART, multipartParts } from "../../site-client";
import { newVideo } from "../crash/videos";
import type { Random } from "../random";

/** How many of each there are at once. */
export interface Crowd {
  viewers: number;
  readers: number;
  streams: number;
  uploads: number;
  /** How long each waits between two requests, as a share of what people wait. */
  pace: number;
}

/** A video as a player reads it: pieces of a file. */
export interface Video {
  id: string;
  segments: { path: string; from: number; bytes: number }[];
}

/** What the clients have met. */
export interface Tally {
  requests: number;
  pageMs: number[];
  /** The run itself keeps the site from answering: how long pages take now is not counted. */
  isDelayed: boolean;
  uploaded: number;
  /** What was not answered as it has to be, and how often. */
  faults: Map<string, number>;
  /** Statuses that uploads may have just now, beside success. */
  refusals: readonly number[];
}

export const newTally = (): Tally => ({
  requests: 0,
  pageMs: [],
  isDelayed: false,
  uploaded: 0,
  faults: new Map(),
  refusals: [],
});

const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
/** A player asks for the next segment when one has been played. */
const SEGMENT_EVERY_MS = 4_000;
const SEEKS = 0.1;
const PAGE_EVERY_MS = 5_000;
const UPLOAD_EVERY_MS = 20_000;
const LEAVES_AFTER_MS = 30_000;
/** Whoever uploads removes what is older for good: what grows then is not the catalogue. */
const KEEPS_UPLOADS = 5;

interface Answered {
  status: number;
  bytes: number;
  /** What was answered to a request with a body. */
  text: string;
  ms: number;
}

/** Asks as somebody with an address of their own. */
function ask(
  url: string,
  client: number,
  options: http.RequestOptions = {},
  body?: Buffer | string,
): Promise<Answered> {
  const started = performance.now();
  const from = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`;
  const headers = { "X-Forwarded-For": from, ...options.headers };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, timeout: LEAVES_AFTER_MS, ...options, headers });
    request.on("timeout", () => request.destroy(new Error("no answer in 30 s")));
    request.on("error", (error: NodeJS.ErrnoException) => {
      // A kept connection may end while it is used (RFC 9112 §9.3.1): as a browser, it asks again.
      if (request.reusedSocket && error.code === "ECONNRESET" && !body)
        resolve(ask(url, client, { ...options, agent: false }));
      else reject(error);
    });
    request.on("response", (response) => {
      let bytes = 0;
      let text = "";
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (body) text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => {
        const ms = performance.now() - started;
        resolve({ status: response.statusCode ?? 0, bytes, text, ms });
      });
    });
    request.end(body);
  });
}

/** Begins everybody's visit; what is returned ends it. */
export function startCrowd(
  url: string,
  crowd: Crowd,
  { videos, paths, cookie, random, tally }: Visit,
): () => Promise<void> {
  let isEnding = false;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const wait = (ms: number) =>
    pause(ms * crowd.pace, undefined, { signal: ending.signal }).catch(() => undefined);
  const fault = (what: string) => {
    if (!isEnding) tally.faults.set(what, (tally.faults.get(what) ?? 0) + 1);
  };
  const met = async (
    what: string,
    answer: Promise<Answered>,
    isRight: (got: Answered) => boolean,
  ) => {
    tally.requests += 1;
    try {
      const got = await answer;
      if (isRight(got)) return got;
      fault(`${what} was answered ${got.status} with ${got.bytes} bytes`);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      fault(`${what} was not answered: ${code ?? message}`);
    }
    return undefined;
  };

  async function watch(client: number): Promise<void> {
    await wait(random.below(SEGMENT_EVERY_MS));
    const source = random.pick(videos);
    for (let at = 0; !isEnding; at += 1) {
      if (random.chance(SEEKS)) at = random.below(source.segments.length);
      const segment = source.segments[at % source.segments.length]!;
      const headers = { Range: `bytes=${segment.from}-${segment.from + segment.bytes - 1}` };
      await met(
        "A segment",
        ask(url + segment.path, client, { headers }),
        ({ status, bytes }) => status === 206 && bytes === segment.bytes,
      );
      await wait(SEGMENT_EVERY_MS * (0.75 + random.next() / 2));
    }
  }

  async function read(client: number): Promise<void> {
    await wait(random.below(PAGE_EVERY_MS));
    while (!isEnding) {
      const path = random.pick(paths);
      const got = await met(path, ask(url + path, client), ({ status }) => status === 200);
      if (got && !tally.isDelayed) tally.pageMs.push(got.ms);
      await wait(PAGE_EVERY_MS * (0.75 + random.next() / 2));
    }
  }

  async function upload(client: number): Promise<void> {
    const kept: string[] = [];
    const trash: string[] = [];
    await wait(random.below(UPLOAD_EVERY_MS));
    for (let number = 0; !isEnding; number += 1) {
      const { bytes } = newVideo(random, `load${client}x${number}x${random.below(1e9)}`);
      const got = await met(
        "An upload",
        sendVideo(url, client, cookie, `Video ${client} ${number}`, bytes),
        ({ status }) => status === 201 || tally.refusals.includes(status),
      );
      if (got?.status === 201) {
        tally.uploaded += 1;
        kept.push(JSON.parse(got.text).video.id);
      }
      const [oldest] = kept;
      if (oldest && kept.length > KEEPS_UPLOADS) {
        if (await change(client, "/admin", { intent: "delete", id: oldest }))
          trash.push(...kept.splice(0, 1));
      }
      const [id] = trash;
      if (id && (await change(client, "/admin/trash", purgeOf(id)))) trash.shift();
      await wait(UPLOAD_EVERY_MS * (0.75 + random.next() / 2));
    }
  }

  /** Whether it was done: something in the way may have been to be expected. */
  async function change(client: number, path: string, fields: Form): Promise<boolean> {
    const got = await met(
      `A change (${path})`,
      sendForm(url + path, client, cookie, fields),
      ({ status }) => status < 400 || tally.refusals.includes(status),
    );
    return got !== undefined && got.status < 400;
  }

  let client = 0;
  const each = (count: number, work: (client: number) => Promise<void>) =>
    Array.from({ length: count }, () => work(++client));
  const streams = Array.from({ length: crowd.streams }, () =>
    openStream(url, ++client, () => fault("An event stream ended")),
  );
  const working = [
    ...each(crowd.viewers, watch),
    ...each(crowd.readers, read),
    ...each(crowd.uploads, upload),
  ];
  return async () => {
    isEnding = true;
    ending.abort();
    for (const stream of streams) stream.destroy();
    await Promise.all(working);
  };
}

export interface Visit {
  videos: readonly Video[];
  paths: readonly string[];
  cookie: string;
  random: Random;
  tally: Tally;
}

/** Sends a video with a form. */
export function sendVideo(
  url: string,
  client: number,
  cookie: string,
  title: string,
  bytes: Buffer,
): Promise<Answered> {
  const texts = { title, description: "", category: "desi", tags: "", duration: "" };
  const { before, after } = multipartParts({ ...texts, description: title, intent: "publish" });
  const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
  const headers = { ...MULTIPART, Cookie: cookie, Origin: url, "Content-Length": body.length };
  return ask(`${url}/admin/publish`, client, { method: "POST", headers }, body);
}

type Form = Record<string, string>;

const purgeOf = (id: string): Form => ({ intent: "purge", selected: id, confirmed: "1" });

function sendForm(url: string, client: number, cookie: string, fields: Form): Promise<Answered> {
  const headers = {
    ...{ Cookie: cookie, Origin: new URL(url).origin },
    "Content-Type": "application/x-www-form-urlencoded",
  };
  const body = new URLSearchParams(fields).toString();
  return ask(url, client, { method: "POST", headers }, body);
}

function openStream(url: string, client: number, onEnd: () => void): http.ClientRequest {
  const from = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`;
  const request = http.get(`${url}/events`, { agent: false, headers: { "X-Forwarded-For": from } });
  request.on("response", (response) => {
    if (response.statusCode !== 200) onEnd();
    response.resume();
    response.on("close", onEnd);
  });
  request.on("error", onEnd);
  return request;
}
