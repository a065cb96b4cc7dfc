import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { clientSignal, requestContext } from "./request-context.server";

/**
 * Bodies of responses at the pace of the client.
 *
 * Remix's own writer calls `write` without waiting, so the process holds the rest of the file for a client that
 * stops reading, and reads to the end for one that has left. These bodies write to Node's response themselves.
 */

/** What a download holds in memory, also while its client stalls. */
const READ_BYTES = 128 * 1024;

/**
 * Returns `length` bytes of the file from `start` as the body of a Response. It owns the handle, and closes it when
 * all is written or the client has left. If the file is shorter, the connection is closed.
 */
export function fileBody(
  file: FileHandle,
  start: number,
  length: number,
): ReadableStream<Uint8Array> {
  const response = requestContext()?.response;
  // As in a test of a loader.
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
  // One buffer for all reads: allocating each of them costs a third of the CPU of a download.
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
    if (bytesRead === 0) throw new Error("The file is shorter than it was.");
    position += bytesRead;
    await new Promise<void>((resolve) => {
      resume = resolve;
      // Calls back when the system has taken the bytes.
      response.write(buffer.subarray(0, bytesRead), () => resolve());
    });
    if (response.destroyed) return;
  }
}

/**
 * Returns what another server or a decoder sends as the body of a Response. Either side that ends early ends the
 * other, also if the client leaves before there is a source.
 *
 * @param open returns the source; the signal is aborted when the client leaves.
 * @throws what `open` throws while the client waits.
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
    // Nobody waits for the body or for the failure.
    if (response.destroyed) return new ReadableStream({ start: (empty) => empty.close() });
    throw error;
  }
}

/**
 * Returns a body that `write` writes to Node's response. The client may leave, or have left, before the body is
 * read; then it is never read, so `release` is called when the connection closes too.
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
      // Called once, when the status and headers are set: from then on the response is ours.
      async pull(controller) {
        try {
          await write();
        } catch (error) {
          // A client that has left is no failure.
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
