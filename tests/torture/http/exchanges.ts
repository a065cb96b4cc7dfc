import { nextInput } from "../mutate";
import type { Random } from "../random";
import { ambiguousRequest, HEADERS, invalidRequest, METHODS, TARGETS } from "./requests";

/** The data sent over one connection, and the expected responses. */
export interface Exchange {
  /** The pieces of data as Latin-1. They are written one after another. */
  pieces: string[];
  /**
   * What the client does after writing: `wait` for the site to close the connection, `leave` when no more data is
   * received, `half-close` the connection, or `reset` it.
   */
  ending: "wait" | "leave" | "half-close" | "reset";
  /** The markers that the responses must contain in this order, or undefined if the markers are unknown. */
  marks?: string[];
  /** A marker that no response may contain. */
  forbidden?: string;
}

/** The paths, files and cookie on the site that requests can use. */
export interface Known {
  /** Paths for all routes. */
  paths: readonly string[];
  /** Files that contain a marker. */
  files: readonly { path: string; mark: string }[];
  /** A signed-in user's session cookie. */
  cookie: string;
}

const MAX_LENGTH = 40_000;

/** Generates an exchange that depends only on `random` and `known`. */
export function nextExchange(random: Random, known: Known): Exchange {
  const kind = random.below(10);
  if (kind < 2) return pipelined(random, known);
  if (kind < 4) return smuggled(random, known);
  if (kind < 5) return { pieces: [noise(random)], ending: "leave" };
  if (kind < 6) return { pieces: [invalidRequest(random)], ending: "leave" };
  const text = validRequest(random, known);
  if (kind < 7) return interrupted(random, text);
  const corpus = [text, validRequest(random, known)];
  const words = [...HEADERS, ...METHODS, ...TARGETS, "\r\n", "\n", "HTTP/1.1", "HTTP/1.0"];
  return { pieces: [nextInput(random, { corpus, words, maxLength: MAX_LENGTH })], ending: "leave" };
}

/** Generates a valid request to any route, with headers that affect the response. */
function validRequest(random: Random, { paths, files, cookie }: Known): string {
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

/** Generates several valid requests on one connection. Their responses must arrive in the same order. */
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

/**
 * Generates a request whose end is ambiguous and that contains another request. The site must not respond to the inner
 * request.
 */
function smuggled(random: Random, { files }: Known): Exchange {
  const { path, mark } = random.pick(files);
  const hidden = `GET ${path} HTTP/1.1\r\nHost: site.example\r\n\r\n`;
  return { pieces: [ambiguousRequest(random, hidden)], ending: "leave", forbidden: mark };
}

/** Generates a valid request from a client that sends it slowly or incompletely, or disconnects at some point. */
function interrupted(random: Random, text: string): Exchange {
  const isWhole = random.chance(0.3);
  const part = isWhole ? text : text.slice(0, random.below(text.length));
  const pieces = random.chance(0.3) ? split(random, part) : [part];
  return { pieces, ending: random.pick(["leave", "half-close", "reset"] as const) };
}

const MAX_PIECES = 60;

/** Splits text into pieces of one to four bytes, or into longer pieces if the text is long. */
function split(random: Random, text: string): string[] {
  const size = Math.ceil(text.length / MAX_PIECES) + random.below(4);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

function noise(random: Random): string {
  const length = random.below(random.chance(0.1) ? MAX_LENGTH : 300);
  return Array.from({ length }, () => String.fromCharCode(random.below(256))).join("");
}
