import { createHash, createHmac } from "node:crypto";
import { streamBody } from "~/platform/node/stream-body.server";
import { settings } from "~/platform/settings.server";
import { parseByteRange } from "~/shared/byte-range";
import { failedPrecondition, rangeStillFits } from "~/shared/conditional";
import type { MediaName } from "../bucket.server";
import type { StoredFile } from "../files/stored-files.server";
import { StorageError } from "../storage/object-store";
import { objectStore } from "../storage/store.server";

/** How long an address of the store, or of the CDN, can be read: as long, hiding a video takes to reach those who have one. */
const REDIRECT_SECONDS = 60;
const RETRY_AFTER_SECONDS = 5;

/** Should a browser ever take a file for a page, it may do nothing. */
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
  if (!cdn) return (await objectStore()).presign(object, REDIRECT_SECONDS, type);
  const path = `/${address?.kind === "s3" ? address.prefix : ""}${object}`;
  return cdnAddress(cdn, path, Math.floor(Date.now() / 1000) + REDIRECT_SECONDS);
}

/**
 * A player asks the site for each part of a stream anew. Of a whole video browsers go on asking the store,
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

/** What is not public, or is an error, stays in no cache at all. */
export const NO_CACHE = "private, no-store, no-transform";

/** The bytes of an answer, wherever they are. */
export interface Content {
  bytes: number;
  /** The entity tag without its quotes. */
  version: string;
  modifiedMs: number;
  /** Of `length` bytes from `start`; called once, or not at all. */
  body(
    start: number,
    length: number,
  ): ReadableStream<Uint8Array> | Promise<ReadableStream<Uint8Array>>;
}

/** Answers GET and HEAD: the whole, or one range of it (RFC 9110 §13 and §14). */
export async function answerBytes(
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

  // Ranges are defined for GET alone (§14.2).
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
  return new Response("The file is shorter than that.\n", { status: 416, headers });
}

/** A CDN before the store, which gives files to those alone whose address the site has signed. */
export interface Cdn {
  /** Without a slash at its end. */
  origin: string;
  signing: CdnSigning;
  secret: string;
}

type CdnSigning = "nginx" | "bunny";

/**
 * An address of the CDN that can be read until a moment.
 *
 * @param path of the object from the root of the bucket, with a slash before it. Its letters are those of
 *   addresses, so that all write it alike.
 * @param expires in seconds since 1970.
 */
export function cdnAddress(
  { origin, signing, secret }: Cdn,
  path: string,
  expires: number,
): string {
  return `${origin}${path}?${SIGN[signing](path, expires, secret)}`;
}

const SIGN: Record<CdnSigning, (path: string, expires: number, secret: string) => string> = {
  /** As docs/nginx-cdn.conf asks ngx_http_secure_link_module for it, which knows MD5 alone. */
  nginx(path, expires, secret) {
    const md5 = createHash("md5").update(`${expires}${path} ${secret}`).digest("base64url");
    return `md5=${md5}&expires=${expires}`;
  },
  /** https://docs.bunny.net/cdn/security/token-authentication/advanced, without further conditions. */
  bunny(path, expires, secret) {
    const token = createHmac("sha256", secret).update(`${path}${expires}`).digest("base64url");
    return `token=HS256-${token}&expires=${expires}`;
  },
};
