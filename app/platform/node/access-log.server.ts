import type { IncomingMessage, ServerResponse } from "node:http";
import { format, stripVTControlCharacters } from "node:util";
import { settings } from "../settings.server";
import { packageOfServe } from "./package-of-serve.server";
import { onRequestStart, routeNameOf } from "./request-context.server";

/**
 * The access log: one line for each request, with its method, route, status, bytes and milliseconds. It contains
 * nothing about the visitor: no address, no user agent, and the route (`/video/:id`) instead of the path. A path can
 * reveal the tag that a visitor opened, the video that they watched, the secret in a link, or anything else that they
 * typed.
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

/**
 * Routes that aren't logged: monitoring, which is requested every few seconds, and reports of watched parts of videos,
 * which are only counted.
 */
const UNLOGGED: readonly string[] = ["/healthz", "/metrics", "/video/:id/watched"];

const started = new WeakMap<ServerResponse, number>();

/**
 * Replaces remix-serve's log format, which contains whole URLs. remix-serve uses morgan's "tiny" format, which it looks
 * up when it creates the server, after it has loaded this build.
 */
export function replaceAccessLog(): void {
  onRequestStart(({ response }) => started.set(response, performance.now()));
  const morgan = packageOfServe<Morgan>("morgan");
  morgan.format("tiny", (_, request, response) => accessLine(request, response));
}

/** Logs a response that remix-serve doesn't send. */
export function logOnClose(request: IncomingMessage, response: ServerResponse): void {
  response.once("close", () => {
    const line = accessLine(request, response);
    if (line) process.stdout.write(`${line}\n`);
  });
}

/** Returns the log line for a request; undefined if the request isn't logged. */
function accessLine(request: IncomingMessage, response: ServerResponse): string | undefined {
  const { originalUrl = request.url ?? "" } = request as { originalUrl?: string };
  const route = routeNameOf(originalUrl);
  if (UNLOGGED.includes(route)) return undefined;
  const begun = started.get(response);
  const took = begun === undefined ? "-" : (performance.now() - begun).toFixed(1);
  // There is no status if the client disconnected before the response.
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

/** Returns null for a dash, which means an unknown value. */
function numberOf(value: unknown): number | null {
  return value === "-" ? null : Number(value);
}

/** The log level of each console method. */
const LEVELS = {
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warning",
  error: "error",
} as const;

type Level = (typeof LEVELS)[keyof typeof LEVELS];

/**
 * Returns a log line as JSON, with `time` (ISO 8601 UTC), `level` and the event. It has the same content as the text
 * line.
 */
function jsonLine(level: Level, event: Record<string, unknown>, now = new Date()): string {
  return JSON.stringify({ time: now.toISOString(), level, ...event });
}

/** Makes this thread's console write each call as one line of JSON, including stack traces. */
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
