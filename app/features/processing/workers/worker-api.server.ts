import { z } from "zod";
import { parseMediaUrl } from "~/media/bucket.server";
import { sendFile } from "~/media/serve/serve.server";
import { NO_CACHE } from "~/media/serve/serve-stored.server";
import { isTemporaryFailure } from "~/media/storage/object-store";
import { addressLimit } from "~/platform/address-limit.server";
import { bearerToken } from "~/platform/bearer-token";
import { clientAddress } from "~/platform/client-address.server";
import { logUnexpected } from "~/platform/errors.server";
import { Problem, problemResponse } from "~/platform/problem";
import { settings } from "~/platform/settings.server";
import { readText } from "~/platform/small-form.server";
import { processState } from "~db/runtime.server";
import { isBusy } from "~db/write-lock";
import { sourceOf } from "../queue/produce-artifact.server";
import { fail, heartbeat, returnToQueue } from "../queue/queue.server";
import { pausedSince } from "../queue/queue-state.server";
import { acceptStream, type Digests, InvalidResultError } from "./accept-stream.server";
import { REMOTE_LEASE_MS, returnRejected } from "./leases.server";
import {
  claimRemoteJob,
  type LeasedJob,
  leasedJob,
  receiveChunk,
  receivedBytes,
  removeReceived,
} from "./remote-jobs.server";
import { findWorker, recordResult, type Worker } from "./workers.server";

/**
 * Tokens have 256 random bits and can't be guessed, so this limit serves only to protect the database from floods of
 * requests.
 */
const invalidTokens = addressLimit("wrong worker tokens by address", 60, 60);

/**
 * Handles a worker's request (docs/workers.md). Workers authenticate only by token; cookies are ignored.
 *
 * @param path the part of the path after `/api/worker/`.
 */
export async function handleWorkerRequest(request: Request, path: string): Promise<Response> {
  try {
    const worker = requireWorker(request);
    const response = await perform(request, worker, path);
    if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
    return response;
  } catch (error) {
    return problemResponse(problemFor(error, request));
  }
}

async function perform(request: Request, worker: Worker, path: string): Promise<Response> {
  const [first, lease, ...rest] = path.split("/");
  if (first === "jobs" && lease === undefined) {
    if (request.method === "POST") return claimNextJob(worker);
    throw new Problem(405, "Method not allowed. Claim jobs with POST.", [], { Allow: "POST" });
  }
  if (first === "leases" && lease) return handleLease(request, worker, lease, rest);
  throw new Problem(404, "Not found.");
}

/** @throws {Problem} 401 without a valid token, 429 if many invalid tokens were sent from the same IP address. */
function requireWorker(request: Request): Worker {
  const token = bearerToken(request.headers.get("Authorization"));
  const worker = token ? findWorker(token) : undefined;
  if (worker) return worker;
  const wait = token ? invalidTokens.consume(clientAddress(request)) : undefined;
  if (wait !== undefined) {
    throw new Problem(429, "Too many requests with invalid tokens.", [], {
      "Retry-After": String(wait),
    });
  }
  const detail = token ? "This token is invalid or was revoked." : "Send a worker token.";
  throw new Problem(401, detail, [], { "WWW-Authenticate": 'Bearer realm="worker"' });
}

function problemFor(error: unknown, request: Request): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Response) return new Problem(error.status, "The request is too large.");
  if (isBusy(error)) {
    const busy = "The database is busy. Try again in a few seconds.";
    return new Problem(503, busy, [], { "Retry-After": "5" });
  }
  const reference = logUnexpected(error, request);
  return new Problem(500, `Something went wrong. Reference in the log: ${reference ?? "none"}.`);
}

const MAX_BODY_BYTES = 64 * 1024;
/** How long a worker without a job should wait before it polls again. */
const RETRY_AFTER_SECONDS = 3;
const NOT_YOURS =
  "This job is no longer assigned to this worker: its lease has ended or its video was deleted. Nothing was published.";

const NOT_ACCEPTED = "The result couldn't be accepted. See the site's log.";

const finite = z.number().finite().nonnegative();
const heartbeatSchema = z.object({
  progress: finite.max(1),
  speed: finite.optional(),
  secondsLeft: finite.optional(),
});
const failureSchema = z.object({ reason: z.string().min(1).max(4_000), final: z.boolean() });
const resultSchema = z.object({
  files: z.record(z.string().max(100), z.string().regex(/^[0-9a-fA-F]{64}$/)),
});

/** The leases whose results are currently being verified, so that a worker can't submit the same result twice. */
const verifying = processState("results being accepted", () => new Set<string>());

/** Responds with the next job and its lease, or 204 if there is none at the moment. */
async function claimNextJob(worker: Worker): Promise<Response> {
  const claimed = await claimRemoteJob(worker.id);
  if (!claimed) {
    const headers = { "Retry-After": String(RETRY_AFTER_SECONDS) };
    return new Response(null, { status: 204, headers });
  }
  const { job, lease, pace, source } = claimed;
  const { encoderMaxHeight, encoderPreset } = settings();
  return Response.json({
    ...{ lease, job: job.id, kind: job.kind, pace },
    settings: { maxHeight: encoderMaxHeight, preset: encoderPreset },
    extension: /\.\w+$/.exec(source.url)?.[0] ?? "",
    ...leaseTerms(),
  });
}

/** Returns the terms of the lease, which are sent in response to each heartbeat. */
function leaseTerms() {
  return { leaseSeconds: REMOTE_LEASE_MS / 1000, paused: pausedSince() !== null };
}

/**
 * Handles the requests about a lease: extending it, sending and listing files, and finishing, failing or returning the
 * job.
 */
async function handleLease(
  request: Request,
  worker: Worker,
  lease: string,
  [what, name, ...more]: readonly string[],
): Promise<Response> {
  const job = leasedJob(worker.id, lease);
  if (!job) throw new Problem(409, NOT_YOURS);
  const { method } = request;
  if (more.length > 0) throw new Problem(404, "Not found.");
  if (method === "POST" && what === undefined) {
    if (!heartbeat(job, await readBody(request, heartbeatSchema)))
      throw new Problem(409, NOT_YOURS);
    return Response.json(leaseTerms());
  }
  if ((method === "GET" || method === "HEAD") && what === "video" && !name)
    return sendVideo(request, job);
  if (method === "GET" && what === "files" && !name) return Response.json(await receivedBytes(job));
  if (method === "PUT" && what === "files" && name) {
    const offset = Number(request.headers.get("Upload-Offset") ?? Number.NaN);
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw new Problem(
        400,
        "Send the Upload-Offset header with the number of bytes of the file that have already been sent.",
      );
    return Response.json({ bytes: await receiveChunk(job, name, offset, request.body) });
  }
  if (method === "POST" && what === "result" && !name) {
    return finish(worker, job, (await readBody(request, resultSchema)).files);
  }
  if (method === "POST" && what === "failure" && !name) {
    const { reason, final } = await readBody(request, failureSchema);
    await fail(job, reason, final);
    await removeReceived(job);
    return new Response(null, { status: 204 });
  }
  if (method === "DELETE" && what === undefined) {
    await returnToQueue(job);
    await removeReceived(job);
    return new Response(null, { status: 204 });
  }
  throw new Problem(404, "Not found.");
}

async function finish(worker: Worker, job: LeasedJob, digests: Digests): Promise<Response> {
  if (verifying().has(job.worker)) throw new Problem(409, "This result is already being verified.");
  verifying().add(job.worker);
  try {
    if (!(await acceptStream(job, digests))) throw new Problem(409, NOT_YOURS);
    await recordResult(worker.id, null);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (error instanceof InvalidResultError) {
      const reason = `The result of the worker “${worker.name}” was rejected: ${error.message}`;
      console.error(`Job ${job.id} (${job.kind}): ${reason}`);
      await returnRejected(job, reason);
      await recordResult(worker.id, error.message);
      throw new Problem(422, `The result was rejected: ${error.message}`);
    }
    if (isTemporaryFailure(error) || isBusy(error)) await returnToQueue(job);
    // A rejection counts as an attempt, so that a result that is always rejected isn't encoded forever.
    else if (!(error instanceof Problem)) await fail(job, NOT_ACCEPTED);
    throw error;
  } finally {
    verifying().delete(job.worker);
    await removeReceived(job);
  }
}

/** Sends the source video for a lease, or a byte range of the video. */
async function sendVideo(request: Request, job: LeasedJob): Promise<Response> {
  const source = await sourceOf(job);
  const name = source && parseMediaUrl(source.url);
  if (!name || source.trim) throw new Problem(404, "The site doesn't have this video's file.");
  const headers = new Headers({
    "Cache-Control": NO_CACHE,
    "Content-Type": "application/octet-stream",
    "Accept-Ranges": "bytes",
  });
  return sendFile(request, name, headers);
}

/** @throws {Problem} 400 if the body isn't JSON, 422 if it doesn't match the schema. */
async function readBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  let value: unknown;
  try {
    value = JSON.parse(await readText(request, MAX_BODY_BYTES));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Problem(400, "The body isn't valid JSON.");
    throw error;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem(422, `Invalid request: ${z.prettifyError(result.error)}`);
}
