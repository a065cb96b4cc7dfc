import { parseByteRange } from "~/shared/byte-range";
import { failedPrecondition, rangeStillFits } from "~/shared/conditional";

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
