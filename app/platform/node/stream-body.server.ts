import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { clientSignal, requestContext } from "./request-context.server";

/**
 * Response bodies with back-pressure.
 *
 * Remix's writer calls `write` without waiting. So the process would keep the rest of the file in memory if the client
 * stopped reading, and would read the file to the end even if the client had disconnected. These bodies write directly
 * to Node's response.
 */

/** The memory that a download uses, even while its client is stalled. */
const READ_BYTES = 128 * 1024;

/**
 * Returns `length` bytes of the file starting at `start` as the body of a Response. The body owns the handle and closes
 * it once everything is written or the client has disconnected. If the file is shorter, the connection is closed.
 */
export function fileBody(
  file: FileHandle,
  start: number,
  length: number,
): ReadableStream<Uint8Array> {
  const response = requestContext()?.response;
  // There is no response if a test calls a loader.
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
 * Returns the output of another server or a decoder as the body of a Response. If one side ends early, the other side
 * is ended too, even if the client disconnects before there is a source.
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
    // The client has disconnected, so neither the body nor the error matters.
    if (response.destroyed) return new ReadableStream({ start: (empty) => empty.close() });
    throw error;
  }
}

/**
 * Returns a response body that `write` writes directly to Node's response. If the client disconnects first, the body is
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
