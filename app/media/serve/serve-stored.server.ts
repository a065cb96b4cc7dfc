import { LRUCache } from "lru-cache";
import { streamBody } from "~/server/node/stream-body.server";
import { settings } from "~/server/settings.server";
import { processState } from "~db/runtime.server";
import type { MediaName } from "../bucket.server";
import { cdnAddress } from "../storage/cdn.server";
import { StorageError } from "../storage/object-store";
import type { Pointer } from "../storage/pointer.server";
import { objectStore } from "../storage/store.server";
import { answerBytes, NO_CACHE } from "./answer-bytes.server";

/** How long an address of the store, or of the CDN, can be read: as long, hiding a video takes to reach those who have one. */
const REDIRECT_SECONDS = 60;
/** So long an address is given to whoever asks: players ask for pieces of the same file again and again. */
const REUSED_MS = 15_000;
const MOST_REUSED = 2_000;
const RETRY_AFTER_SECONDS = 5;

/** By the key of the object, which is never used for other bytes. */
const signed = processState(
  "signed addresses",
  () => new LRUCache<string, string>({ max: MOST_REUSED, ttl: REUSED_MS }),
);

/**
 * Answers a request for a file that is in the store: its bytes pass through the site or, where
 * STORAGE_DELIVERY says so, the visitor is sent to the store for them, or to a CDN. Who may see it has been
 * asked.
 */
export async function serveStored(
  request: Request,
  name: MediaName,
  pointer: Pointer,
  headers: Headers,
): Promise<Response> {
  try {
    const { key, bytes, version, modifiedMs } = pointer;
    const isRedirected = request.method === "GET" && isPartOfStream(name);
    const address = isRedirected ? await addressElsewhere(pointer) : undefined;
    if (address) {
      headers.set("Location", address);
      headers.set("Cache-Control", NO_CACHE);
      headers.delete("Content-Type");
      return new Response(null, { status: 302, headers });
    }
    const store = await objectStore();
    const body = (start: number, length: number) =>
      streamBody((signal) => store.get(key, { start, end: start + length - 1 }, signal));
    return await answerBytes(request, { bytes, version, modifiedMs, body }, headers);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    console.error(`${name.bucket}/${name.path} can't be read: ${error.message}`);
    return unavailable();
  }
}

/** Where the CDN or the store gives the bytes itself; undefined where they pass through the site. */
async function addressElsewhere({ key, type }: Pointer): Promise<string | undefined> {
  const { redirects, cdn, address } = settings().storage ?? {};
  if (!redirects) return undefined;
  if (!cdn) {
    const known = signed().get(key);
    if (known) return known;
    const fresh = await (await objectStore()).presign(key, REDIRECT_SECONDS, type);
    if (fresh) signed().set(key, fresh);
    return fresh;
  }
  const path = `/${address?.kind === "s3" ? address.prefix : ""}${key}`;
  return cdnAddress(cdn, path, Math.floor(Date.now() / 1000) + REDIRECT_SECONDS);
}

/**
 * A player asks the site for each part of a stream anew. Of a whole film browsers go on asking the store,
 * by the first address that they were given, which ends after a minute: those bytes pass through.
 */
function isPartOfStream({ path }: MediaName): boolean {
  return /\/hls(?:-\w+)?\/[^/]+$/.test(path);
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
