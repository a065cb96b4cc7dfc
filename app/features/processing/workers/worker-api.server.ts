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
import { acceptStream, type Digests, RefusedResultError } from "./accept-stream.server";
import { REMOTE_LEASE_MS, returnRefused } from "./leases.server";
import {
  type LeasedJob,
  leasedJob,
  receivedBytes,
  receivePart,
  removeReceived,
  takeRemoteJob,
} from "./remote-jobs.server";
import { findWorker, noteResult, type Worker } from "./workers.server";

/** A token has 256 random bits: this only spares the database a flood. */
const wrongTokens = addressLimit("wrong worker tokens by address", 60, 60);

/**
 * Answers a worker (docs/how-to/workers.md). Who it is, its token alone says: cookies are not looked at.
 *
 * @param path below `/api/worker/`.
 */
export async function answerWorker(request: Request, path: string): Promise<Response> {
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
    if (request.method === "POST") return takeJob(worker);
    throw new Problem(405, "Jobs are taken by POST.", [], { Allow: "POST" });
  }
  if (first === "leases" && lease) return performLease(request, worker, lease, rest);
  throw new Problem(404, "There is no such address.");
}

/** @throws {Problem} 401 without a valid token, 429 after many wrong ones from one address. */
function requireWorker(request: Request): Worker {
  const token = bearerToken(request.headers.get("Authorization"));
  const worker = token ? findWorker(token) : undefined;
  if (worker) return worker;
  const wait = token ? wrongTokens.consume(clientAddress(request)) : undefined;
  if (wait !== undefined) {
    throw new Problem(429, "Too many wrong tokens.", [], { "Retry-After": String(wait) });
  }
  const detail = token ? "This token is unknown or was revoked." : "Send the token of a worker.";
  throw new Problem(401, detail, [], { "WWW-Authenticate": 'Bearer realm="worker"' });
}

function problemFor(error: unknown, request: Request): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Response) return new Problem(error.status, "The request is too long.");
  if (isBusy(error)) {
    const busy = "Another program is writing to the database. Try again in a few seconds.";
    return new Problem(503, busy, [], { "Retry-After": "5" });
  }
  const reference = logUnexpected(error, request);
  return new Problem(500, `Something went wrong. The log has it as ${reference ?? "an error"}.`);
}

const MAX_BODY_BYTES = 64 * 1024;
/** A worker without a job asks again after so long. */
const ASK_AGAIN_SECONDS = 3;
const NOT_YOURS =
  "This job is no longer yours: its lease has ended, or its video is gone. Nothing of it was published.";

const NOT_ACCEPTED = "The result couldn't be accepted. See the log of the site.";

const finite = z.number().finite().nonnegative();
const beatSchema = z.object({
  progress: finite.max(1),
  speed: finite.optional(),
  secondsLeft: finite.optional(),
});
const failureSchema = z.object({ reason: z.string().min(1).max(4_000), final: z.boolean() });
const resultSchema = z.object({
  files: z.record(z.string().max(100), z.string().regex(/^[0-9a-fA-F]{64}$/)),
});

/** Results that are being looked at: each is sent once. */
const accepting = processState("results being accepted", () => new Set<string>());

/** The next job, with a lease; 204 where there is none now. */
async function takeJob(worker: Worker): Promise<Response> {
  const taken = await takeRemoteJob(worker.id);
  if (!taken) {
    const headers = { "Retry-After": String(ASK_AGAIN_SECONDS) };
    return new Response(null, { status: 204, headers });
  }
  const { job, lease, pace, source } = taken;
  const { encoderMaxHeight, encoderPreset } = settings();
  return Response.json({
    ...{ lease, job: job.id, kind: job.kind, pace },
    settings: { maxHeight: encoderMaxHeight, preset: encoderPreset },
    extension: /\.\w+$/.exec(source.url)?.[0] ?? "",
    ...terms(),
  });
}

/** What a worker may count on, told anew with each sign of life. */
function terms() {
  return { leaseSeconds: REMOTE_LEASE_MS / 1000, paused: pausedSince() !== null };
}

/** What is done with a lease: prolonged, filled, finished, failed or given back. */
async function performLease(
  request: Request,
  worker: Worker,
  lease: string,
  [what, name, ...more]: readonly string[],
): Promise<Response> {
  const job = leasedJob(worker.id, lease);
  if (!job) throw new Problem(409, NOT_YOURS);
  const { method } = request;
  if (more.length > 0) throw new Problem(404, "There is no such address.");
  if (method === "POST" && what === undefined) {
    if (!heartbeat(job, await readBody(request, beatSchema))) throw new Problem(409, NOT_YOURS);
    return Response.json(terms());
  }
  if ((method === "GET" || method === "HEAD") && what === "video" && !name)
    return answerVideo(request, job);
  if (method === "GET" && what === "files" && !name) return Response.json(await receivedBytes(job));
  if (method === "PUT" && what === "files" && name) {
    const offset = Number(request.headers.get("Upload-Offset") ?? Number.NaN);
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw new Problem(400, "Send Upload-Offset: the bytes of the file that were sent before.");
    return Response.json({ bytes: await receivePart(job, name, offset, request.body) });
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
  throw new Problem(404, "There is no such address.");
}

async function finish(worker: Worker, job: LeasedJob, digests: Digests): Promise<Response> {
  if (accepting().has(job.worker))
    throw new Problem(409, "This result is being looked at already.");
  accepting().add(job.worker);
  try {
    if (!(await acceptStream(job, digests))) throw new Problem(409, NOT_YOURS);
    await noteResult(worker.id, null);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (error instanceof RefusedResultError) {
      const reason = `The result of the worker “${worker.name}” was refused: ${error.message}`;
      console.error(`Job ${job.id} (${job.kind}): ${reason}`);
      await returnRefused(job, reason);
      await noteResult(worker.id, error.message);
      throw new Problem(422, `The result was refused: ${error.message}`);
    }
    if (isTemporaryFailure(error) || isBusy(error)) await returnToQueue(job);
    // Counts as an attempt, so that a result that always fails isn't encoded forever.
    else if (!(error instanceof Problem)) await fail(job, NOT_ACCEPTED);
    throw error;
  } finally {
    accepting().delete(job.worker);
    await removeReceived(job);
  }
}

/** The video of a lease, whole or a range of it. */
async function answerVideo(request: Request, job: LeasedJob): Promise<Response> {
  const source = await sourceOf(job);
  const name = source && parseMediaUrl(source.url);
  if (!name || source.trim) throw new Problem(404, "The site doesn't have the file of this video.");
  const headers = new Headers({
    "Cache-Control": NO_CACHE,
    "Content-Type": "application/octet-stream",
    "Accept-Ranges": "bytes",
  });
  return sendFile(request, name, headers);
}

/** @throws {Problem} 400 for what is no JSON, 422 for JSON that is something else. */
async function readBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  let value: unknown;
  try {
    value = JSON.parse(await readText(request, MAX_BODY_BYTES));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Problem(400, "The body is no JSON.");
    throw error;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem(422, `The request is not as it should be: ${z.prettifyError(result.error)}`);
}
