import { setTimeout } from "node:timers/promises";

/** A wait between two attempts grows from the one to the other. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A site that says nothing for so long has not got the request. Looking at a long video takes minutes. */
const ANSWER_WITHIN_MS = 15 * 60_000;

/** The site does not take the token. */
export class TokenError extends Error {}
/** The site says that the job is this worker's no longer. */
export class LostLeaseError extends Error {}
/** The site has looked at the result and does not publish it. */
export class RefusedError extends Error {}

export interface Answer {
  status: number;
  headers: Headers;
  body: ReadableStream<Uint8Array> | null;
  json<T>(): Promise<T>;
}

export interface SiteClient {
  /**
   * Asks the site, again and again while it can't be reached, is busy or full.
   *
   * @param path below `/api/worker/`, or a whole path that the site has given.
   * @returns an answer from 200 to 299, or one whose status is among `expected`.
   */
  ask(path: string, request?: SiteRequest): Promise<Answer>;
}

export interface SiteRequest {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  bytes?: Uint8Array<ArrayBuffer>;
  expected?: readonly number[];
  signal?: AbortSignal;
  /** Ends the attempts, but none that has begun: what it brings must not be lost. */
  until?: AbortSignal;
}

/**
 * @param say prints why it has to wait.
 * @param pause waits so many milliseconds between two attempts.
 */
export function siteClient(
  site: string,
  token: string,
  say: (text: string) => void,
  pause: (ms: number, signal: AbortSignal) => Promise<void> = (ms, signal) =>
    setTimeout(ms, undefined, { signal }),
): SiteClient {
  return {
    async ask(path, request = {}) {
      const url = new URL(path.startsWith("/") ? path : `/api/worker/${path}`, site);
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
        request.signal?.throwIfAborted();
        request.until?.throwIfAborted();
        const trouble = await attempt(url, token, request);
        if (typeof trouble !== "string") return trouble;
        say(`${trouble} Trying again in ${Math.round(wait / 1000)} s.`);
        const ends = [request.signal, request.until].filter((each) => each !== undefined);
        await pause(wait, AbortSignal.any(ends));
      }
    },
  };
}

/** The answer, or why to ask again. */
async function attempt(url: URL, token: string, request: SiteRequest): Promise<Answer | string> {
  const { method = "GET", headers, json, bytes, expected = [], signal } = request;
  const timeout = AbortSignal.timeout(ANSWER_WITHIN_MS);
  let answer: Response;
  try {
    answer = await fetch(url, {
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
  const { status } = answer;
  if (answer.ok || expected.includes(status)) return answer as Answer;
  const detail = await detailOf(answer);
  if (status === 401) throw new TokenError(detail);
  if (status === 409) throw new LostLeaseError(detail);
  if (status === 422) throw new RefusedError(detail);
  if (status === 429 || status === 507 || status >= 500) return `The site answers: ${detail}`;
  throw new Error(`${method} ${url.pathname} was answered with ${status}: ${detail}`);
}

async function detailOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => "");
  try {
    return (JSON.parse(text) as { detail?: string }).detail ?? `status ${answer.status}.`;
  } catch {
    return `status ${answer.status}.`;
  }
}
