import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { clientSignal, requestContext } from "./request-context.server";

/**
 * Response bodies with back-pressure.
 *
 * Remix's writer calls `write` without waiting. If the client stopped reading, the process would therefore keep the
 * rest of the file in memory, and if the client disconnected, it would still read the file to the end. These bodies
 * write directly to Node's response.
 */

/** The memory that a download uses, even if its client stalls. */
const READ_BYTES = 128 * 1024;

/**
 * Returns `length` bytes of the file starting at `start` as the body of a Response. The body owns the file handle and
 * closes it once everything has been written or the client has disconnected. If the file is too short, the connection
 * is closed.
 */
export function fileBody(
  file: FileHandle,
  start: number,
  length: number,
): ReadableStream<Uint8Array> {
  const response = requestContext()?.response;
  // There is no Node response if a test calls the loader directly.
  if (!response) return toWeb(file.createReadStream({ start, end: start + length - 1 }));
  const close = () => void file.close().catch(() => {});
  return responseBody(response, close, () => writeFile(response, file, start, length));
}

async function writeFile(
  response: ServerResponse,
  file: FileHandle,
  start: number,
  length: number,
): Promise<void> {
  let resume = () => {};
  response.once("close", () => resume());
  // Use one buffer for all reads, because allocating one for each read would take a third of a download's CPU time.
  const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, length));
  const end = start + length;
  for (let position = start; position < end; ) {
    const { bytesRead } = await file.read(
      buffer,
      0,
      Math.min(READ_BYTES, end - position),
      position,
    );
    if (response.destroyed) return;
    if (bytesRead === 0) throw new Error("The file was truncated while it was being sent.");
    position += bytesRead;
    await new Promise<void>((resolve) => {
      resume = resolve;
      // The callback runs once the operating system has accepted the bytes.
      response.write(buffer.subarray(0, bytesRead), () => resolve());
    });
    if (response.destroyed) return;
  }
}

/**
 * Returns the output of another server or a decoder as the body of a Response. If either side ends early, the other
 * side is ended as well. This also works if the client disconnects before the source exists.
 *
 * @param open returns the source. The signal is aborted when the client disconnects.
 * @throws any error that `open` throws while the client is waiting.
 */
export async function streamBody(
  open: (signal: AbortSignal) => Promise<Readable>,
): Promise<ReadableStream<Uint8Array>> {
  const signal = clientSignal() ?? new AbortController().signal;
  const response = requestContext()?.response;
  if (!response) return toWeb(await open(signal));
  try {
    const source = await open(signal);
    source.once("error", () => response.destroy());
    const end = () => void source.destroy();
    return responseBody(response, end, () => pipeline(source, response, { end: false }));
  } catch (error) {
    // The client has disconnected, so the body and the error no longer matter.
    if (response.destroyed) return new ReadableStream({ start: (empty) => empty.close() });
    throw error;
  }
}

/**
 * Returns a response body that `write` writes directly to Node's response. If the client disconnects early, the body is
 * never read, so `release` is also called when the connection closes.
 */
function responseBody(
  response: ServerResponse,
  release: () => void,
  write: () => Promise<void>,
): ReadableStream<Uint8Array> {
  if (response.closed) release();
  else response.once("close", release);
  return new ReadableStream(
    {
      // Called once, after the status and headers have been set. From then on, only this code writes to the response.
      async pull(controller) {
        try {
          await write();
        } catch (error) {
          // It isn't an error if the client disconnects.
          if (!response.destroyed) throw error;
        } finally {
          response.off("close", release);
          release();
        }
        controller.close();
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  );
}

function toWeb(source: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(source) as ReadableStream<Uint8Array>;
}
