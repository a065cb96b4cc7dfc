import { setTimeout } from "node:timers/promises";

/** The delay before the first retry and the maximum delay. The delay doubles with every attempt. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** The timeout for a request. Verifying a long video takes minutes. */
const TIMEOUT_MS = 15 * 60_000;

/** Thrown if the site doesn't accept the token. */
export class TokenError extends Error {}
/** Thrown if the job no longer belongs to this worker. */
export class LostLeaseError extends Error {}
/** Thrown if the site has rejected the result. */
export class RefusedError extends Error {}

export interface SiteResponse {
  status: number;
  headers: Headers;
  body: ReadableStream<Uint8Array> | null;
  json<T>(): Promise<T>;
}

export interface SiteClient {
  /**
   * Sends a request to the site. Retries while the site can't be reached, is busy or has a full disk.
   *
   * @param path a path relative to `/api/worker/`, or an absolute path received from the site.
   * @returns a response with a status from 200 to 299, or one of `expected`.
   */
  request(path: string, request?: SiteRequest): Promise<SiteResponse>;
}

export interface SiteRequest {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  bytes?: Uint8Array<ArrayBuffer>;
  expected?: readonly number[];
  signal?: AbortSignal;
  /** Prevents further attempts. An attempt in progress isn't aborted, because its response must not be lost. */
  until?: AbortSignal;
}

/**
 * Creates a client for the site.
 *
 * @param log prints why the client has to wait.
 * @param pause waits for the given number of milliseconds between two attempts.
 */
export function siteClient(
  site: string,
  token: string,
  log: (text: string) => void,
  pause: (ms: number, signal: AbortSignal) => Promise<void> = (ms, signal) =>
    setTimeout(ms, undefined, { signal }),
): SiteClient {
  return {
    async request(path, request = {}) {
      const url = new URL(path.startsWith("/") ? path : `/api/worker/${path}`, site);
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
        request.signal?.throwIfAborted();
        request.until?.throwIfAborted();
        const problem = await attempt(url, token, request);
        if (typeof problem !== "string") return problem;
        log(`${problem} Trying again in ${Math.round(wait / 1000)} s.`);
        const ends = [request.signal, request.until].filter((each) => each !== undefined);
        await pause(wait, AbortSignal.any(ends));
      }
    },
  };
}

/** Returns the response, or the reason another attempt is needed. */
async function attempt(
  url: URL,
  token: string,
  request: SiteRequest,
): Promise<SiteResponse | string> {
  const { method = "GET", headers, json, bytes, expected = [], signal } = request;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(json !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(bytes && { body: bytes }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      redirect: "error",
    });
  } catch (error) {
    signal?.throwIfAborted();
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return `The site can't be reached (${cause?.code ?? message}).`;
  }
  const { status } = response;
  if (response.ok || expected.includes(status)) return response as SiteResponse;
  const detail = await detailOf(response);
  if (status === 401) throw new TokenError(detail);
  if (status === 409) throw new LostLeaseError(detail);
  if (status === 422) throw new RefusedError(detail);
  if (status === 429 || status === 507 || status >= 500) return `The site responded: ${detail}`;
  throw new Error(`${method} ${url.pathname} failed with status ${status}: ${detail}`);
}

async function detailOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  try {
    return (JSON.parse(text) as { detail?: string }).detail ?? `status ${response.status}.`;
  } catch {
    return `status ${response.status}.`;
  }
}
