import { LRUCache } from "lru-cache";
import { streamBody } from "~/platform/node/stream-body.server";
import { settings } from "~/platform/settings.server";
import { processState } from "~db/runtime.server";
import type { MediaName } from "../bucket.server";
import type { StoredFile } from "../files/stored-files.server";
import { cdnAddress } from "../storage/cdn.server";
import { StorageError } from "../storage/object-store";
import { objectStore } from "../storage/store.server";
import { answerBytes, NO_CACHE } from "./answer-bytes.server";

/** How long an address of the store, or of the CDN, can be read: as long, hiding a video takes to reach those who have one. */
const REDIRECT_SECONDS = 60;
/** So long an address is given to whoever asks: players ask for pieces of the same file again and again. */
const REUSED_MS = 15_000;
const MOST_REUSED = 2_000;
const RETRY_AFTER_SECONDS = 5;

/** Should a browser ever take a file for a page, it may do nothing. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox";

/** By the object, whose key is never used for other bytes. */
const signed = processState(
  "signed addresses",
  () => new LRUCache<string, string>({ max: MOST_REUSED, ttl: REUSED_MS }),
);

/**
 * With STORAGE_DELIVERY=redirect, redirects requests for parts of streams to the store or a CDN. The caller has
 * checked access.
 *
 * @returns undefined if the site serves the file itself.
 */
export async function redirectToStore(
  request: Request,
  name: MediaName,
  stored: StoredFile,
  headers: Headers,
): Promise<Response | undefined> {
  const isRedirected = request.method === "GET" && isPartOfStream(name);
  const address = isRedirected ? await addressElsewhere(stored) : undefined;
  if (!address) return undefined;
  headers.set("Location", address);
  headers.set("Cache-Control", NO_CACHE);
  headers.delete("Content-Type");
  return new Response(null, { status: 302, headers });
}

/** Answers a request with bytes from the store. The caller has checked access. */
export async function serveStored(
  request: Request,
  name: MediaName,
  { object, bytes, version, modifiedMs }: StoredFile,
  headers: Headers,
): Promise<Response> {
  try {
    const store = await objectStore();
    const body = (start: number, length: number) =>
      streamBody((signal) => store.get(object, { start, end: start + length - 1 }, signal));
    return await answerBytes(request, { bytes, version, modifiedMs, body }, headers);
  } catch (error) {
    return storageFailure(name, error);
  }
}

/** Answers 404 if the store doesn't have a file, and 503 if it can't give it now. Throws any other error. */
export function storageFailure({ bucket, path }: MediaName, error: unknown): Response {
  if (!(error instanceof StorageError)) throw error;
  console.error(`${bucket}/${path} can't be read: ${error.message}`);
  return error.failure === "missing" ? notFound() : unavailable();
}

/** Where the CDN or the store gives the bytes itself; undefined where they pass through the site. */
async function addressElsewhere({ object, type }: StoredFile): Promise<string | undefined> {
  const { redirects, cdn, address } = settings().storage ?? {};
  if (!redirects) return undefined;
  if (!cdn) {
    const known = signed().get(object);
    if (known) return known;
    const fresh = await (await objectStore()).presign(object, REDIRECT_SECONDS, type);
    if (fresh) signed().set(object, fresh);
    return fresh;
  }
  const path = `/${address?.kind === "s3" ? address.prefix : ""}${object}`;
  return cdnAddress(cdn, path, Math.floor(Date.now() / 1000) + REDIRECT_SECONDS);
}

/**
 * A player asks the site for each part of a stream anew. Of a whole film browsers go on asking the store,
 * by the first address that they were given, which ends after a minute: those bytes pass through.
 */
function isPartOfStream({ path }: MediaName): boolean {
  return /\/hls(?:-\w+)?\/[^/]+$/.test(path);
}

export function notFound(): Response {
  return new Response("There is no such file.\n", {
    status: 404,
    headers: {
      "Cache-Control": NO_CACHE,
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    },
  });
}

function unavailable(): Response {
  return new Response("The file can't be read just now. Please try again in a moment.\n", {
    status: 503,
    headers: {
      "Cache-Control": NO_CACHE,
      "Content-Type": "text/plain; charset=utf-8",
      "Retry-After": String(RETRY_AFTER_SECONDS),
    },
  });
}
