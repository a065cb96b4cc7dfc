import { addressLimit } from "~/platform/address-limit.server";
import { bearerToken } from "~/platform/bearer-token";
import { clientAddress } from "~/platform/client-address.server";
import { logUnexpected } from "~/platform/errors.server";
import { Problem, problemResponse } from "~/platform/problem";
import { isBusy } from "~db/write-lock";
import { answerSource, performLease, takeJob } from "./lease-requests.server";
import { TransferError } from "./received-files.server";
import { findWorker, type Worker } from "./workers.server";

/** A token has 256 random bits: this only spares the database a flood. */
const wrongTokens = addressLimit("wrong worker tokens by address", 60, 60);

/**
 * Answers a worker (docs/workers.md). Who it is, its token alone says: cookies are not looked at. An address
 * of a film has no token, and is signed.
 *
 * @param path below `/api/worker/`.
 */
export async function answerWorker(request: Request, path: string): Promise<Response> {
  try {
    const [first, lease = "", ...rest] = path.split("/");
    if (first === "films" && rest.length === 1) return await answerSource(request, lease, rest[0]!);
    const worker = requireWorker(request);
    const response = await perform(request, worker, path);
    response.headers.set("Cache-Control", "no-store");
    return response;
  } catch (error) {
    return problemResponse(problemFor(error, request));
  }
}

async function perform(request: Request, worker: Worker, path: string): Promise<Response> {
  const [first, lease, ...rest] = path.split("/");
  if (first === "jobs" && lease === undefined) {
    if (request.method === "POST") return takeJob(request, worker);
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
  if (error instanceof TransferError) {
    const headers: Record<string, string> =
      error.bytes === undefined ? {} : { "Upload-Offset": String(error.bytes) };
    return new Problem(error.status, error.message, [], headers);
  }
  if (error instanceof Response) return new Problem(error.status, "The request is too long.");
  if (isBusy(error)) {
    const busy = "Another program is writing to the database. Try again in a few seconds.";
    return new Problem(503, busy, [], { "Retry-After": "5" });
  }
  const reference = logUnexpected(error, request);
  return new Problem(500, `Something went wrong. The log has it as ${reference ?? "an error"}.`);
}
