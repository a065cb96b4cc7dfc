import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { processState } from "~db/runtime.server";
import { sendText } from "./middleware.server";
import { onRequestStart } from "./request-context.server";

/**
 * The graceful shutdown on SIGTERM or SIGINT: no new requests are accepted, event streams end, requests in progress get
 * a few more seconds, and then the process exits with status 0.
 *
 * remix-serve itself only stops listening, so an open stream or timer would keep the process alive.
 */

/** How long requests in progress may continue after the signal. */
const GRACE_MS = 5_000;
const CHECK_EVERY_MS = 20;

type Step = () => void | Promise<void>;

const shutdown = processState("shutdown", () => ({
  atSignal: [] as Step[],
  atExit: [] as Step[],
  servers: new Set<Server>(),
  responses: new Set<ServerResponse>(),
  isLeaving: false,
}));

/**
 * Runs `step` when the signal arrives, for example to end streams or return jobs to the queue, and awaits its promise.
 */
export function onShutdown(step: Step): void {
  shutdown().atSignal.push(step);
}

/** Runs `step` after the last response and just before the process exits. */
export function onRequestsDone(step: Step): void {
  shutdown().atExit.push(step);
}

/** Installs the signal handlers. */
export function shutDownOnSignals(): void {
  onRequestStart(({ response, server }) => {
    const { servers, responses } = shutdown();
    servers.add(server);
    responses.add(response);
    response.once("close", () => responses.delete(response));
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void leave());
}

/**
 * Middleware that responds with 503 on open connections during a shutdown. The operating system refuses new
 * connections.
 */
export function refuseDuringShutdown(_: IncomingMessage, response: ServerResponse): boolean {
  if (!shutdown().isLeaving) return false;
  response.shouldKeepAlive = false;
  return sendText(response, 503, "The site is shutting down.", { "Retry-After": "5" });
}

async function leave(): Promise<void> {
  const state = shutdown();
  if (state.isLeaving) return;
  state.isLeaving = true;
  const { servers, responses, atSignal, atExit } = state;
  const deadline = Date.now() + GRACE_MS;
  for (const server of servers) stopListening(server);
  for (const response of responses) endConnectionAfter(response);
  const steps = run(atSignal);
  while (responses.size > 0 && Date.now() < deadline) await pause(CHECK_EVERY_MS);
  await Promise.race([steps, pause(Math.max(0, deadline - Date.now()))]);
  await Promise.race([run(atExit), pause(1_000)]);
  process.exit(0);
}

function stopListening(server: Server): void {
  server.close();
  // remix-serve closes the server right after this, and would log an error because it is already closed.
  server.close = () => server;
}

function endConnectionAfter(response: ServerResponse): void {
  // Setting the property has no effect once the response has started, so the connection is also closed after the
  // response.
  response.shouldKeepAlive = false;
  response.once("finish", () => response.socket?.end());
}

/** Runs all steps, even if one fails. */
async function run(steps: Step[]): Promise<void> {
  const results = await Promise.allSettled(steps.map(async (step) => step()));
  for (const result of results) {
    if (result.status === "rejected") console.error("Shutting down:", result.reason);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
