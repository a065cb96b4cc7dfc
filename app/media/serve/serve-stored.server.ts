import { createHash, createHmac } from "node:crypto";
import { streamBody } from "~/platform/node/stream-body.server";
import { settings } from "~/platform/settings.server";
import { parseByteRange } from "~/shared/byte-range";
import { failedPrecondition, rangeStillFits } from "~/shared/conditional";
import type { MediaName } from "../bucket.server";
import type { StoredFile } from "../files/stored-files.server";
import { StorageError } from "../storage/object-store";
import { objectStore } from "../storage/store.server";

/**
 * The lifetime of presigned URLs for the store or the CDN. After a video is hidden, visitors who already have such a
 * URL can still use it until it expires.
 */
const REDIRECT_SECONDS = 60;
const RETRY_AFTER_SECONDS = 5;

/** Blocks scripts and requests if a browser ever renders a file as a page. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox";

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

/** Responds with bytes from the store. The caller has checked access. */
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
    return await respondWithBytes(request, { bytes, version, modifiedMs, body }, headers);
  } catch (error) {
    return storageFailure(name, error);
  }
}

/** Responds with 404 if the store doesn't have the file, or with 503 if the store failed. Throws any other error. */
export function storageFailure({ bucket, path }: MediaName, error: unknown): Response {
  if (!(error instanceof StorageError)) throw error;
  console.error(`${bucket}/${path} can't be read: ${error.message}`);
  return error.failure === "missing" ? notFound() : unavailable();
}

/** Returns the URL at which the CDN or the store delivers a file; undefined if the site proxies it. */
async function addressElsewhere({ object, type }: StoredFile): Promise<string | undefined> {
  const { redirects, cdn, address } = settings().storage ?? {};
  if (!redirects) return undefined;
  if (!cdn) return (await objectStore()).presign(object, REDIRECT_SECONDS, type);
  const path = `/${address?.kind === "s3" ? address.prefix : ""}${object}`;
  return cdnAddress(cdn, path, Math.floor(Date.now() / 1000) + REDIRECT_SECONDS);
}

/**
 * Whether a file is part of a stream. Redirects work for such files, because players request each part of a stream from
 * the site. Complete video files are proxied instead, because browsers would reuse the first redirect target, which
 * expires after a minute.
 */
function isPartOfStream({ path }: MediaName): boolean {
  return /\/hls(?:-\w+)?\/[^/]+$/.test(path);
}

export function notFound(): Response {
  return new Response("File not found.\n", {
    status: 404,
    headers: {
      "Cache-Control": NO_CACHE,
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    },
  });
}

function unavailable(): Response {
  return new Response("The file is temporarily unavailable. Try again in a moment.\n", {
    status: 503,
    headers: {
      "Cache-Control": NO_CACHE,
      "Content-Type": "text/plain; charset=utf-8",
      "Retry-After": String(RETRY_AFTER_SECONDS),
    },
  });
}

/** Headers for files that aren't public and for errors, which must not be cached anywhere. */
export const NO_CACHE = "private, no-store, no-transform";

/** A response's content, from the disk or the store. */
export interface Content {
  bytes: number;
  /** The entity tag without its quotes. */
  version: string;
  modifiedMs: number;
  /** Returns `length` bytes starting at `start`. Called at most once. */
  body(
    start: number,
    length: number,
  ): ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>;
}

/** Responds to GET and HEAD with the whole content or one range of it (RFC 9110 §13 and §14). */
export async function respondWithBytes(
  request: Request,
  content: Content,
  headers: Headers,
): Promise<Response> {
  const { bytes, version, modifiedMs } = content;
  const validators = { etag: `"${version}"`, lastModified: modifiedMs };
  headers.set("ETag", validators.etag);
  headers.set("Last-Modified", new Date(modifiedMs).toUTCString());
  const status = failedPrecondition(request.headers, validators);
  if (status) return new Response(null, { status, headers });

  // Ranges are defined only for GET (§14.2).
  const range =
    request.method === "GET" && rangeStillFits(request.headers.get("If-Range"), validators)
      ? parseByteRange(request.headers.get("Range"), bytes)
      : undefined;
  if (range === "unsatisfiable") return unsatisfiable(bytes, headers);
  if (range) {
    const length = range.end - range.start + 1;
    headers.set("Content-Length", String(length));
    headers.set("Content-Range", `bytes ${range.start}-${range.end}/${bytes}`);
    return new Response(await content.body(range.start, length), { status: 206, headers });
  }
  headers.set("Content-Length", String(bytes));
  const isRead = request.method === "GET" && bytes > 0;
  return new Response(isRead ? await content.body(0, bytes) : null, { headers });
}

function unsatisfiable(bytes: number, headers: Headers): Response {
  headers.set("Content-Range", `bytes */${bytes}`);
  headers.set("Content-Type", "text/plain; charset=utf-8");
  headers.set("Cache-Control", NO_CACHE);
  return new Response("The requested range is outside the file.\n", { status: 416, headers });
}

/** A CDN in front of the store. The CDN requires URLs that are signed by the site. */
export interface Cdn {
  /** The CDN's base URL, without a trailing slash. */
  origin: string;
  signing: CdnSigning;
  secret: string;
}

type CdnSigning = "nginx" | "bunny";

/**
 * Returns a signed CDN URL that is valid until a given time.
 *
 * @param path the object's path from the root of the bucket, with a leading slash. It needs no URL encoding.
 * @param expires a Unix time in seconds.
 */
export function cdnAddress(
  { origin, signing, secret }: Cdn,
  path: string,
  expires: number,
): string {
  return `${origin}${path}?${SIGN[signing](path, expires, secret)}`;
}

const SIGN: Record<CdnSigning, (path: string, expires: number, secret: string) => string> = {
  /** Signs URLs as configured in docs/nginx-cdn.conf. ngx_http_secure_link_module only supports MD5. */
  nginx(path, expires, secret) {
    const md5 = createHash("md5").update(`${expires}${path} ${secret}`).digest("base64url");
    return `md5=${md5}&expires=${expires}`;
  },
  /**
   * Signs URLs as described at https://docs.bunny.net/cdn/security/token-authentication/advanced, without optional
   * parameters.
   */
  bunny(path, expires, secret) {
    const token = createHmac("sha256", secret).update(`${path}${expires}`).digest("base64url");
    return `token=HS256-${token}&expires=${expires}`;
  },
};
