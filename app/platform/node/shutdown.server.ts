import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { processState } from "~db/runtime.server";
import { answerPlainly } from "./middleware.server";
import { onRequestStart } from "./request-context.server";

/**
 * The way out, at SIGTERM or SIGINT: nothing new is taken in, streams end, what is being answered
 * gets a few seconds, then the process ends with status 0.
 *
 * remix-serve stops listening by itself, but any open stream or timer keeps its process alive.
 */

/** How long requests under way may still take. */
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

/** Runs `step` at the signal: what ends streams and hands back work. Its promise is waited for. */
export function onShutdown(step: Step): void {
  shutdown().atSignal.push(step);
}

/** Runs `step` when the last request has been answered, just before the process ends. */
export function onRequestsDone(step: Step): void {
  shutdown().atExit.push(step);
}

/** From now on the signals end the process as described above. */
export function shutDownAtSignals(): void {
  onRequestStart(({ response, server }) => {
    const { servers, responses } = shutdown();
    servers.add(server);
    responses.add(response);
    response.once("close", () => responses.delete(response));
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void leave());
}

/** On a connection that was open already; one that nobody listens to is refused by the system. */
export function refuseWhenLeaving(_: IncomingMessage, response: ServerResponse): boolean {
  if (!shutdown().isLeaving) return false;
  response.shouldKeepAlive = false;
  return answerPlainly(response, 503, "The site is going down.", { "Retry-After": "5" });
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
  // remix-serve closes it too, right after this, and would log that it is closed already.
  server.close = () => server;
}

function endConnectionAfter(response: ServerResponse): void {
  // For an answer that has not begun; the connection of one that has is closed behind it.
  response.shouldKeepAlive = false;
  response.once("finish", () => response.socket?.end());
}

/** All of them, whatever becomes of one. */
async function run(steps: Step[]): Promise<void> {
  const results = await Promise.allSettled(steps.map(async (step) => step()));
  for (const result of results) {
    if (result.status === "rejected") console.error("Shutting down:", result.reason);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
