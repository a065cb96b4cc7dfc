import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { format, stripVTControlCharacters } from "node:util";
import { settings } from "../settings.server";
import { onRequestStart, routeNameOf } from "./request-context.server";

/**
 * One line for each request: method, route, status, bytes, milliseconds. Nothing in it is about the
 * visitor: no address, no user agent, and of what was asked for only the route that answers it
 * (`/video/:id`). A path holds the tag that was looked for, the video that was watched, the secret of a
 * link, or whatever somebody typed.
 */

interface Morgan {
  format(
    name: string,
    line: (
      tokens: unknown,
      request: IncomingMessage,
      response: ServerResponse,
    ) => string | undefined,
  ): void;
}

/** Asked every few seconds, and never news; and how far a video was watched, which is counted alone. */
const UNLOGGED: readonly string[] = ["/healthz", "/metrics", "/video/:id/watched"];

const started = new WeakMap<ServerResponse, number>();

/**
 * Gives remix-serve's log, which writes whole addresses, lines of ours. It logs with morgan's
 * format "tiny", looked up when the server is made, which is after this build has been loaded.
 */
export function replaceAccessLog(): void {
  onRequestStart(({ response }) => started.set(response, performance.now()));
  const morgan = packageOfServe<Morgan>("morgan");
  morgan.format("tiny", (_, request, response) => accessLine(request, response));
}

/** Logs an answer that did not come from remix-serve. */
export function logWhenAnswered(request: IncomingMessage, response: ServerResponse): void {
  response.once("close", () => {
    const line = accessLine(request, response);
    if (line) process.stdout.write(`${line}\n`);
  });
}

/** The line of a request; undefined when it is not logged. */
function accessLine(request: IncomingMessage, response: ServerResponse): string | undefined {
  const { originalUrl = request.url ?? "" } = request as { originalUrl?: string };
  const route = routeNameOf(originalUrl);
  if (UNLOGGED.includes(route)) return undefined;
  const begun = started.get(response);
  const took = begun === undefined ? "-" : (performance.now() - begun).toFixed(1);
  // A client that left before the answer began was given no status.
  const status = response.headersSent ? response.statusCode : "-";
  const bytes = response.getHeader("Content-Length") ?? "-";
  if (settings().logFormat === "json") {
    return jsonLine("info", {
      method: request.method,
      route,
      status: numberOf(status),
      bytes: numberOf(bytes),
      ms: numberOf(took),
    });
  }
  return `${request.method} ${route} ${status} ${bytes} - ${took} ms`;
}

/** Null for the dash of what is not known. */
function numberOf(value: unknown): number | null {
  return value === "-" ? null : Number(value);
}

/** How urgent a line is, by the function of the console that writes it. */
const LEVELS = {
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warning",
  error: "error",
} as const;

type Level = (typeof LEVELS)[keyof typeof LEVELS];

/**
 * An event of the log as one line of JSON, whatever it says: `time` (ISO 8601 UTC), `level`, and what it is
 * about. It has what the line of text has, and no more.
 */
function jsonLine(level: Level, event: Record<string, unknown>, now = new Date()): string {
  return JSON.stringify({ time: now.toISOString(), level, ...event });
}

/** From now on whatever this thread writes to the console is a line of JSON for each call, stacks included. */
export function writeConsoleAsJson(write: (line: string) => void = writeOut): void {
  for (const [name, level] of Object.entries(LEVELS)) {
    console[name as keyof typeof LEVELS] = (...parts: unknown[]) => {
      write(jsonLine(level, { message: stripVTControlCharacters(format(...parts)) }));
    };
  }
}

function writeOut(line: string): void {
  process.stdout.write(`${line}\n`);
}

const require = createRequire(import.meta.url);
const requireOfServe = createRequire(require.resolve("@remix-run/serve/package.json"));

/** A package as remix-serve itself has loaded it, to change what it uses. */
function packageOfServe<Package>(name: string): Package {
  return requireOfServe(name) as Package;
}
