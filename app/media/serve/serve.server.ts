import { stat } from "node:fs/promises";
import { countDelegatedBytes } from "~/platform/node/media-requests.server";
import { fileBody } from "~/platform/node/stream-body.server";
import { settings } from "~/platform/settings.server";
import { parseByteRange } from "~/shared/byte-range";
import { bucketFile, type MediaName } from "../bucket.server";
import { copyState, localFile, readText, storedUnlessNewer } from "../files/local-copies.server";
import type { StoredFile } from "../files/stored-files.server";
import { isUnfinished } from "../files/temporary-files.server";
import { requestedVersion, versionOf } from "./file-version.server";
import { mediaType, openFile } from "./open-file.server";
import {
  CONTENT_SECURITY_POLICY,
  NO_CACHE,
  notFound,
  redirectToStore,
  respondWithBytes,
  serveStored,
  storageFailure,
} from "./serve-stored.server";
import { requestedWidth } from "./small-thumbnail.server";
import { playlistWithCaptions } from "./stream-captions.server";

/**
 * `private`, because a shared cache would keep serving a video after it was hidden. `no-transform`, because compression
 * would invalidate ranges and the strong entity tag.
 */
const PUBLIC_CACHE = "private, max-age=3600, no-transform";
/**
 * The maximum size of files, such as thumbnails and playlists, that are copied to the disk when they are first read.
 */
const MAX_COPIED_BYTES = 1024 ** 2;

/**
 * Responds to GET and HEAD with a file or one range of it (RFC 9110 §13 and §14), or with 404. The caller has checked
 * access.
 *
 * @param isPublic whether browsers may cache the file.
 */
export async function serveMedia(
  request: Request,
  requested: MediaName,
  isPublic: boolean,
): Promise<Response> {
  const { search } = new URL(request.url);
  const name = await requestedWidth(requestedVersion(requested, search), search);
  const file = mediaFile(name);
  if (!file) return notFound();

  const stored = await storedUnlessNewer(file);
  const headers = new Headers({
    "Cache-Control": isPublic ? PUBLIC_CACHE : NO_CACHE,
    "Content-Type": stored?.type ?? (await mediaType(file)),
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Accept-Ranges": "bytes",
  });
  if (isUnfinished(file)) return serveUnfinished(request, name, file, headers);
  let playlist: string | undefined;
  try {
    playlist = await playlistWithCaptions(name);
  } catch (error) {
    return storageFailure(name, error);
  }
  if (playlist !== undefined) return textResponse(request, playlist, headers);
  return sendStoredOrLocal(request, name, { file, stored }, headers);
}

/** Responds with a file in a bucket, on the disk or in the store. The caller has checked access. */
export async function sendFile(
  request: Request,
  name: MediaName,
  headers: Headers,
): Promise<Response> {
  const file = mediaFile(name);
  if (!file) return notFound();
  const stored = await storedUnlessNewer(file);
  return sendStoredOrLocal(request, name, { file, stored }, headers);
}

async function sendStoredOrLocal(
  request: Request,
  name: MediaName,
  { file, stored }: { file: string; stored: StoredFile | undefined },
  headers: Headers,
): Promise<Response> {
  if (stored) {
    const redirect = await redirectToStore(request, name, stored, headers);
    if (redirect) return redirect;
    if (!(await hasLocalCopy(file, stored))) return serveStored(request, name, stored, headers);
  }
  const { accelPrefix } = settings();
  if (accelPrefix) {
    headers.set("X-Accel-Redirect", `${accelPrefix}/${name.bucket}/${name.path}`);
    countDelegatedBytes(await delegatedBytes(request, file));
    return new Response(null, { headers });
  }
  return serveFile(request, file, headers, stored);
}

/**
 * Returns how many bytes of a file nginx will send. This is an upper bound, because the client may disconnect. If the
 * request is conditional, the client is assumed to have the file already.
 */
async function delegatedBytes({ method, headers }: Request, file: string): Promise<number> {
  if (method !== "GET" || headers.has("If-None-Match") || headers.has("If-Modified-Since"))
    return 0;
  const size = await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
  const range = parseByteRange(headers.get("Range"), size);
  if (range === "unsatisfiable") return 0;
  return range ? range.end - range.start + 1 : size;
}

/**
 * Whether the disk has a current copy. Small files are copied first; large files aren't, because players request ranges
 * of them.
 */
async function hasLocalCopy(file: string, stored: StoredFile): Promise<boolean> {
  if (stored.bytes <= MAX_COPIED_BYTES) {
    try {
      await localFile(file);
    } catch {
      // Ignore the error, because `serveStored` reports it.
      return false;
    }
  }
  return (await copyState(file, stored)) === "current";
}

/**
 * Serves a file of a stream that is still being encoded. Its playlists grow, so they aren't cached, but the byte ranges
 * that they already list never change. The other files are served only in ranges and without validators. With
 * validators, a browser could combine responses from before and after the file grew.
 */
async function serveUnfinished(
  request: Request,
  name: MediaName,
  file: string,
  headers: Headers,
): Promise<Response> {
  if (file.endsWith(".m3u8")) {
    const text = (await playlistWithCaptions(name)) ?? (await readText(file).catch(() => ""));
    if (!text) return notFound();
    headers.set("Cache-Control", NO_CACHE);
    return textResponse(request, text, headers);
  }
  const isWritten = /\.(?:mp4|m4s)$/.test(file) && request.method === "GET";
  const handle = isWritten ? await openFile(file) : undefined;
  if (!handle) return notFound();
  const { size } = await handle.stat();
  const header = request.headers.get("Range");
  const range = parseByteRange(header, size);
  if (!range || range === "unsatisfiable" || !header?.trimEnd().endsWith(`-${range.end}`)) {
    await handle.close();
    return notFound();
  }
  const { start, end } = range;
  headers.set("Content-Length", String(end - start + 1));
  headers.set("Content-Range", `bytes ${start}-${end}/${size}`);
  return new Response(fileBody(handle, start, end - start + 1), { status: 206, headers });
}

/**
 * Does the same as `bucketFile`, but also returns undefined if a parent of the path is a file. This can happen because
 * the path comes from the request and not from a row.
 */
export function mediaFile({ bucket, path }: MediaName): string | undefined {
  try {
    return bucketFile(bucket, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Responds with the complete string. Ranges aren't supported, because the content may change between two requests. */
function textResponse(request: Request, text: string, headers: Headers): Response {
  headers.delete("Accept-Ranges");
  headers.set("Content-Length", String(Buffer.byteLength(text)));
  return new Response(request.method === "HEAD" ? null : text, { headers });
}

async function serveFile(
  request: Request,
  file: string,
  headers: Headers,
  stored: StoredFile | undefined,
): Promise<Response> {
  const handle = await openFile(file);
  if (!handle) return notFound();
  let isRead = false;
  try {
    const stat = await handle.stat({ bigint: true });
    if (!stat.isFile()) return notFound();
    const content = {
      bytes: Number(stat.size),
      version: stored?.version ?? versionOf(stat),
      modifiedMs: stored?.modifiedMs ?? Number(stat.mtimeMs),
      body(start: number, length: number) {
        isRead = true;
        return fileBody(handle, start, length);
      },
    };
    return await respondWithBytes(request, content, headers);
  } finally {
    if (!isRead) await handle.close();
  }
}
