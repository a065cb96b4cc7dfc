import { z } from "zod";
import { parseMediaUrl } from "~/media/bucket.server";
import { NO_CACHE } from "~/media/serve/answer-bytes.server";
import { sendFile } from "~/media/serve/serve.server";
import { isTemporaryFailure } from "~/media/storage/object-store";
import { Problem } from "~/platform/problem";
import { settings } from "~/platform/settings.server";
import { readText } from "~/platform/small-form.server";
import { processState } from "~db/runtime.server";
import { isBusy } from "~db/write-lock";
import { pausedSince } from "../queue/pause.server";
import { sourceOf } from "../queue/produce-artifact.server";
import { heartbeat } from "../queue/queue.server";
import { acceptStream, type Digests, RefusedResultError } from "./accept-stream.server";
import { leaseName, REMOTE_LEASE_MS, returnRefused } from "./leases.server";
import { receivedBytes, receivePart } from "./received-files.server";
import {
  failRemote,
  giveBack,
  type LeasedJob,
  leasedJob,
  removeReceived,
  takeRemoteJob,
} from "./remote-jobs.server";
import { isSignedSource, signSource } from "./source-address.server";
import { noteResult, type Worker } from "./workers.server";

const MOST_BODY_BYTES = 64 * 1024;
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
export async function takeJob(request: Request, worker: Worker): Promise<Response> {
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
    ...terms(request, worker, lease),
  });
}

/** What a worker may count on, told anew with each sign of life. */
function terms(request: Request, worker: Worker, lease: string) {
  const path = `/api/worker/films/${worker.id}/${lease}`;
  const source = `${new URL(path, request.url).pathname}?${signSource(leaseName(worker.id, lease))}`;
  return { source, leaseSeconds: REMOTE_LEASE_MS / 1000, paused: pausedSince() !== null };
}

/** What is done with a lease: prolonged, filled, finished, failed or given back. */
export async function performLease(
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
    return Response.json(terms(request, worker, lease));
  }
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
    await failRemote(job, reason, final);
    return new Response(null, { status: 204 });
  }
  if (method === "DELETE" && what === undefined) {
    await giveBack(job);
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
    if (isTemporaryFailure(error) || isBusy(error)) await giveBack(job);
    // Counts as an attempt, so that a result that always fails isn't encoded forever.
    else if (!(error instanceof Problem)) await failRemote(job, NOT_ACCEPTED, false);
    throw error;
  } finally {
    accepting().delete(job.worker);
    await removeReceived(job);
  }
}

/** The film of a lease, whole or a range of it, as long as its job is that worker's. */
export async function answerSource(
  request: Request,
  workerId: string,
  lease: string,
): Promise<Response> {
  const id = Number(workerId);
  if (request.method !== "GET" && request.method !== "HEAD")
    throw new Problem(405, "A film is read by GET.", [], { Allow: "GET, HEAD" });
  if (!isSignedSource(leaseName(id, lease), new URL(request.url).searchParams))
    throw new Problem(403, "This address has ended. Prolong the lease for another.");
  const job = leasedJob(id, lease);
  const source = job && (await sourceOf(job));
  const name = source && (parseMediaUrl(source.url) ?? undefined);
  if (!name || source.cut) throw new Problem(404, NOT_YOURS);
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
    value = JSON.parse(await readText(request, MOST_BODY_BYTES));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Problem(400, "The body is no JSON.");
    throw error;
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem(422, `The request is not as it should be: ${z.prettifyError(result.error)}`);
}
