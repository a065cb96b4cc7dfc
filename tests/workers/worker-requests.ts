import { createHash } from "node:crypto";
import { action, loader } from "~/features/processing/routes/worker-api";
import { createWorker } from "~/features/processing/workers/workers.server";
import { ORIGIN } from "../sign-in-requests";

/** Requests to the loader and the action of the worker API, sent as a worker would send them. */

export interface WorkerRequest {
  method?: string;
  json?: unknown;
  body?: Uint8Array<ArrayBuffer> | string;
  headers?: Record<string, string>;
}

/** Creates a worker, as the Workers page does. Returns its token. */
export async function createWorkerToken(userId: string, name = "attic"): Promise<string> {
  const form = new FormData();
  form.set("name", name);
  return createWorker(userId, form);
}

/** @param path relative to `/api/worker/`, or an absolute path that the site has returned. */
export async function callWorker(
  path: string,
  token: string | undefined,
  { method = "GET", json, body, headers = {} }: WorkerRequest = {},
): Promise<Response> {
  const url = new URL(path.startsWith("/") ? path : `/api/worker/${path}`, ORIGIN);
  const request = new Request(url, {
    method,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body }),
  });
  const handler = method === "GET" || method === "HEAD" ? loader : action;
  const params = { "*": url.pathname.replace("/api/worker/", "") };
  return handler({ request, params, context: {} } as never);
}

export interface ClaimedJob {
  lease: string;
  job: number;
  paused: boolean;
  leaseSeconds: number;
}

/** Claims a job. Throws an error if no job is available. */
export async function claimJob(token: string): Promise<ClaimedJob> {
  const response = await callWorker("jobs", token, { method: "POST" });
  if (response.status !== 200) throw new Error(`No job is available: ${response.status}`);
  return (await response.json()) as ClaimedJob;
}

export type Files = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** Sends each file of a result in a single part, and then completes the job. */
export async function sendResult(
  token: string,
  lease: string,
  files: Files,
  digests = digestsOf(files),
): Promise<Response> {
  for (const [name, body] of Object.entries(files)) {
    const sent = await sendPart(token, lease, name, body);
    if (sent.status !== 200) return sent;
  }
  return callWorker(`leases/${lease}/result`, token, { method: "POST", json: { files: digests } });
}

export function sendPart(
  token: string,
  lease: string,
  name: string,
  body: Uint8Array<ArrayBuffer>,
  offset = 0,
): Promise<Response> {
  const headers = { "Upload-Offset": String(offset) };
  return callWorker(`leases/${lease}/files/${name}`, token, { method: "PUT", body, headers });
}

export function digestsOf(files: Files): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [
      name,
      createHash("sha256").update(bytes).digest("hex"),
    ]),
  );
}
