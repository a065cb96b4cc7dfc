import { setMaxListeners } from "node:events";
import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { MULTIPART, multipartParts } from "../../site-client";
import { newVideo } from "../crash/videos";
import type { Random } from "../random";

/** The numbers of simultaneous clients. */
export interface Crowd {
  viewers: number;
  readers: number;
  streams: number;
  uploads: number;
  /** A factor for the pauses between requests. 1 results in realistic pauses. */
  pace: number;
}

/** A video that a player reads as byte ranges of a file. */
export interface Video {
  id: string;
  segments: { path: string; from: number; bytes: number }[];
}

/** Results of the clients' requests. */
export interface Tally {
  requests: number;
  pageMs: number[];
  /** Whether the run itself is currently blocking the site. Page times aren't counted in the meantime. */
  isDelayed: boolean;
  uploaded: number;
  /** Unexpected responses, and how often each of them was received. */
  faults: Map<string, number>;
  /** The error statuses that uploads may currently return. */
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
/** A player requests the next segment after it has played one. */
const SEGMENT_INTERVAL_MS = 4_000;
const SEEK_PROBABILITY = 0.1;
const PAGE_INTERVAL_MS = 5_000;
const UPLOAD_INTERVAL_MS = 20_000;
const TIMEOUT_MS = 30_000;
/** Uploaders purge their older videos, so that the catalogue doesn't grow. */
const MAX_KEPT_UPLOADS = 5;

interface Received {
  status: number;
  bytes: number;
  /** The response's body, if the request had a body. */
  text: string;
  ms: number;
}

/** Sends a request from a client's IP address. */
function sendRequest(
  url: string,
  client: number,
  options: http.RequestOptions = {},
  body?: Buffer | string,
): Promise<Received> {
  const started = performance.now();
  const from = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`;
  const headers = { "X-Forwarded-For": from, ...options.headers };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, timeout: TIMEOUT_MS, ...options, headers });
    request.on("timeout", () => request.destroy(new Error("no response in 30 s")));
    request.on("error", (error: NodeJS.ErrnoException) => {
      // The site may close a kept-alive connection just as it is reused (RFC 9112 §9.3.1). Browsers retry in this case,
      // too.
      if (request.reusedSocket && error.code === "ECONNRESET" && !body)
        resolve(sendRequest(url, client, { ...options, agent: false }));
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

/** Starts all clients. Returns a function that stops them. */
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
  const expectResponse = async (
    what: string,
    pending: Promise<Received>,
    isExpected: (received: Received) => boolean,
  ) => {
    tally.requests += 1;
    try {
      const received = await pending;
      if (isExpected(received)) return received;
      fault(`${what} returned ${received.status} with ${received.bytes} bytes`);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      fault(`${what} got no response: ${code ?? message}`);
    }
    return undefined;
  };

  async function watch(client: number): Promise<void> {
    await wait(random.below(SEGMENT_INTERVAL_MS));
    const source = random.pick(videos);
    for (let index = 0; !isEnding; index += 1) {
      if (random.chance(SEEK_PROBABILITY)) index = random.below(source.segments.length);
      const segment = source.segments[index % source.segments.length]!;
      const headers = { Range: `bytes=${segment.from}-${segment.from + segment.bytes - 1}` };
      await expectResponse(
        "A segment",
        sendRequest(url + segment.path, client, { headers }),
        ({ status, bytes }) => status === 206 && bytes === segment.bytes,
      );
      await wait(SEGMENT_INTERVAL_MS * (0.75 + random.next() / 2));
    }
  }

  async function read(client: number): Promise<void> {
    await wait(random.below(PAGE_INTERVAL_MS));
    while (!isEnding) {
      const path = random.pick(paths);
      const received = await expectResponse(
        path,
        sendRequest(url + path, client),
        ({ status }) => status === 200,
      );
      if (received && !tally.isDelayed) tally.pageMs.push(received.ms);
      await wait(PAGE_INTERVAL_MS * (0.75 + random.next() / 2));
    }
  }

  async function upload(client: number): Promise<void> {
    const kept: string[] = [];
    const trash: string[] = [];
    await wait(random.below(UPLOAD_INTERVAL_MS));
    for (let number = 0; !isEnding; number += 1) {
      const { bytes } = newVideo(random, `load${client}x${number}x${random.below(1e9)}`);
      const received = await expectResponse(
        "An upload",
        sendVideo(url, client, cookie, `Video ${client} ${number}`, bytes),
        ({ status }) => status === 201 || tally.refusals.includes(status),
      );
      if (received?.status === 201) {
        tally.uploaded += 1;
        kept.push(JSON.parse(received.text).video.id);
      }
      const [oldest] = kept;
      if (oldest && kept.length > MAX_KEPT_UPLOADS) {
        if (await change(client, "/admin", { intent: "delete", id: oldest }))
          trash.push(...kept.splice(0, 1));
      }
      const [id] = trash;
      if (id && (await change(client, "/admin/trash", purgeOf(id)))) trash.shift();
      await wait(UPLOAD_INTERVAL_MS * (0.75 + random.next() / 2));
    }
  }

  /** Returns whether the change was made. During a disruption, the site may reject it. */
  async function change(client: number, path: string, fields: Form): Promise<boolean> {
    const received = await expectResponse(
      `A change (${path})`,
      sendForm(url + path, client, cookie, fields),
      ({ status }) => status < 400 || tally.refusals.includes(status),
    );
    return received !== undefined && received.status < 400;
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

/** Uploads a video with a form. */
export function sendVideo(
  url: string,
  client: number,
  cookie: string,
  title: string,
  bytes: Buffer,
): Promise<Received> {
  const texts = { title, description: "", category: "desi", tags: "", duration: "" };
  const { before, after } = multipartParts({ ...texts, description: title, intent: "publish" });
  const body = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
  const headers = { ...MULTIPART, Cookie: cookie, Origin: url, "Content-Length": body.length };
  return sendRequest(`${url}/admin/publish`, client, { method: "POST", headers }, body);
}

type Form = Record<string, string>;

const purgeOf = (id: string): Form => ({ intent: "purge", selected: id, confirmed: "1" });

function sendForm(url: string, client: number, cookie: string, fields: Form): Promise<Received> {
  const headers = {
    ...{ Cookie: cookie, Origin: new URL(url).origin },
    "Content-Type": "application/x-www-form-urlencoded",
  };
  const body = new URLSearchParams(fields).toString();
  return sendRequest(url, client, { method: "POST", headers }, body);
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
