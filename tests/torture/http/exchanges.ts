import { nextInput } from "../mutate";
import type { Random } from "../random";
import { ambiguous, HEADERS, METHODS, refused, TARGETS } from "./requests";

/** What is sent over one connection, and what may come back. */
export interface Exchange {
  /** Written one after the other, as Latin-1. */
  pieces: string[];
  /**
   * `wait` where the site has to end the connection by itself, `leave` for a client that goes when nothing
   * more comes, `half-close` for one that says that it sends no more, `reset` for one that breaks off.
   */
  ending: "wait" | "leave" | "half-close" | "reset";
  /** The marks that the answers have to have, in this order; where it is not known, nothing. */
  marks?: string[];
  /** A mark that no answer may have. */
  forbidden?: string;
}

/** What there is to ask for. */
export interface Known {
  /** Paths of the site, of every route. */
  paths: readonly string[];
  /** Files with a mark in their bytes. */
  files: readonly { path: string; mark: string }[];
  /** Cookie of somebody who is signed in. */
  cookie: string;
}

const LONGEST = 40_000;

/** One more exchange, which follows from the numbers of `random` alone. */
export function nextExchange(random: Random, known: Known): Exchange {
  const kind = random.below(10);
  if (kind < 2) return pipelined(random, known);
  if (kind < 4) return smuggled(random, known);
  if (kind < 5) return { pieces: [noise(random)], ending: "leave" };
  if (kind < 6) return { pieces: [refused(random)], ending: "leave" };
  const text = oneRequest(random, known);
  if (kind < 7) return cut(random, text);
  const corpus = [text, oneRequest(random, known)];
  const words = [...HEADERS, ...METHODS, ...TARGETS, "\r\n", "\n", "HTTP/1.1", "HTTP/1.0"];
  return { pieces: [nextInput(random, { corpus, words, longest: LONGEST })], ending: "leave" };
}

/** A good request to any route, with headers that change what is answered. */
function oneRequest(random: Random, { paths, files, cookie }: Known): string {
  const isPost = random.chance(0.2);
  const path = random.chance(0.3) ? random.pick(files).path : random.pick(paths);
  const headers = ["Host: site.example"];
  for (let left = random.below(4); left > 0; left--) headers.push(random.pick(HEADERS));
  if (!isPost && random.chance(0.3)) headers.push(`Cookie: ${cookie}`);
  const body = isPost ? "intent=none&id=none" : "";
  if (isPost) {
    headers.push("Content-Type: application/x-www-form-urlencoded");
    headers.push(`Content-Length: ${body.length}`);
  }
  return `${isPost ? "POST" : "GET"} ${path} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${body}`;
}

/** Several requests at once, all good: each has its own answer, in their order. */
function pipelined(random: Random, { files }: Known): Exchange {
  const chosen = Array.from({ length: 1 + random.below(8) }, () => random.pick(files));
  const text = chosen
    .map(({ path }, index) => {
      const isLast = index === chosen.length - 1;
      const connection = isLast ? "Connection: close\r\n" : "";
      return `GET ${path} HTTP/1.1\r\nHost: site.example\r\n${connection}\r\n`;
    })
    .join("");
  const pieces = random.chance(0.3) ? split(random, text) : [text];
  return { pieces, ending: "wait", marks: chosen.map(({ mark }) => mark) };
}

/** A message of which two readers may think different ends, with a request in it that nobody may answer. */
function smuggled(random: Random, { files }: Known): Exchange {
  const { path, mark } = random.pick(files);
  const hidden = `GET ${path} HTTP/1.1\r\nHost: site.example\r\n\r\n`;
  return { pieces: [ambiguous(random, hidden)], ending: "leave", forbidden: mark };
}

/** A good request that comes slowly, that never ends, or whose sender goes away in any phase. */
function cut(random: Random, text: string): Exchange {
  const isWhole = random.chance(0.3);
  const part = isWhole ? text : text.slice(0, random.below(text.length));
  const pieces = random.chance(0.3) ? split(random, part) : [part];
  return { pieces, ending: random.pick(["leave", "half-close", "reset"] as const) };
}

const MAX_PIECES = 60;

/** A byte at a time, or a few where it is long. */
function split(random: Random, text: string): string[] {
  const size = Math.ceil(text.length / MAX_PIECES) + random.below(4);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

function noise(random: Random): string {
  const length = random.below(random.chance(0.1) ? LONGEST : 300);
  return Array.from({ length }, () => String.fromCharCode(random.below(256))).join("");
}
