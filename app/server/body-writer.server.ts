import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { requestContext } from "./request-context.server";

/**
 * File bodies at the pace of the client.
 *
 * Remix's own writer calls `write` without waiting, so a client that stops reading makes the
 * process hold the rest of the file, and it reads to the end for one that has left. The bodies
 * made here write to Node's response themselves and wait for it.
 *
 * Large reads are what makes it cheap; but what was given to a socket cannot be taken back, so a
 * block is read as slices and given slice by slice. A client that stalls costs the one slice in its
 * socket: the others are dropped, to be read again when it goes on.
 */

/** What a stalled client holds. */
export const SLICE_BYTES = 64 * 1024;
/** One read is 1 MiB at most: beyond it nothing is gained. */
const MOST_SLICES = 16;
/** A wait this long means that the client is not keeping up. */
const STALLED_AFTER_MS = 100;
/** What all clients together have read and not given to a socket: 16 MiB. */
const MOST_SLICES_AHEAD = 256;

const spareSlices: Buffer[] = [];
let slicesAhead = 0;

/** Slices for the next read of one client, at least one. */
function takeSlices(wanted: number, bytes: number): Buffer[] {
  const count = Math.min(
    Math.ceil(bytes / SLICE_BYTES),
    Math.max(1, Math.min(wanted, MOST_SLICES_AHEAD - slicesAhead)),
  );
  slicesAhead += count;
  return Array.from({ length: count }, (_, index) => {
    const slice = spareSlices.pop() ?? Buffer.allocUnsafeSlow(SLICE_BYTES);
    const rest = bytes - index * SLICE_BYTES;
    return rest < SLICE_BYTES ? slice.subarray(0, rest) : slice;
  });
}

/** The next slice of a block, on its way to the socket. */
function nextSlice(block: Buffer[]): Buffer {
  slicesAhead -= 1;
  return block.shift()!;
}

function dropSlices(block: Buffer[]): void {
  slicesAhead -= block.length;
  for (const slice of block.splice(0)) keepSlice(slice);
}

/** Only a slice that nothing reads any more; any other is left to the garbage collector. */
function keepSlice(slice: Buffer): void {
  if (spareSlices.length >= MOST_SLICES_AHEAD) return;
  spareSlices.push(slice.length < SLICE_BYTES ? Buffer.from(slice.buffer) : slice);
}

/**
 * `length` bytes of the file from `start` as the body of a Response. It owns the handle, and
 * closes it when all is written or the client has gone.
 */
export function fileBody(
  file: FileHandle,
  start: number,
  length: number,
): ReadableStream<Uint8Array> {
  const response = requestContext()?.response;
  if (!response) return plainBody(file, start, length);
  // The client may leave before the body is asked for.
  const close = () => void file.close().catch(() => {});
  response.once("close", close);
  return new ReadableStream(
    {
      // Asked for once, when the status and headers have been set: by then the response is ours.
      async pull(controller) {
        response.off("close", close);
        try {
          await writeFile(response, file, start, length);
        } finally {
          close();
        }
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

/** Without a server, as in a test of a loader: whoever reads sets the pace. */
function plainBody(file: FileHandle, start: number, length: number): ReadableStream<Uint8Array> {
  let position = start;
  return new ReadableStream(
    {
      async pull(controller) {
        const rest = start + length - position;
        const { bytesRead, buffer } = await file.read({
          buffer: Buffer.allocUnsafeSlow(Math.min(SLICE_BYTES, rest)),
          position,
        });
        if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
        position += bytesRead;
        if (bytesRead > 0 && position < start + length) return;
        await file.close();
        if (position < start + length) throw new Error("The file is shorter than it was.");
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}

async function writeFile(
  response: ServerResponse,
  file: FileHandle,
  start: number,
  length: number,
): Promise<void> {
  const end = start + length;
  let position = start;
  let slices = 1;
  while (position < end && isOpen(response)) {
    const block = takeSlices(slices, end - position);
    try {
      const { bytesRead } = await file.readv(block, position);
      if (bytesRead === 0) throw new Error("The file is shorter than it was.");
      const { written, stalled } = await writeBlock(response, block, bytesRead);
      position += written;
      slices = stalled ? 1 : Math.min(slices * 2, MOST_SLICES);
    } finally {
      dropSlices(block);
    }
  }
}

/** Writes the slices of a block, or as many of them as a client takes that then stalls. */
async function writeBlock(response: ServerResponse, block: Buffer[], bytes: number) {
  let written = 0;
  while (written < bytes) {
    const slice = nextSlice(block);
    const part = slice.subarray(0, bytes - written);
    written += part.length;
    // Corked and uncorked, Node tries the write at once and not at the next tick, so that a socket
    // with room has taken it when this returns.
    response.cork();
    response.write(part);
    response.uncork();
    let taken = response.writableLength === 0;
    if (!taken && response.writableNeedDrain) {
      taken = await isTaken(response, STALLED_AFTER_MS);
      if (!taken) {
        dropSlices(block);
        if (await isTaken(response)) keepSlice(slice);
        return { written, stalled: true };
      }
    }
    if (taken) keepSlice(slice);
  }
  return { written, stalled: false };
}

function isOpen(response: ServerResponse): boolean {
  return !response.destroyed && !response.closed;
}

/** Waits until the socket has taken everything; false when that takes too long or it has closed. */
function isTaken(response: ServerResponse, patienceMs?: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (taken: boolean) => {
      clearTimeout(timer);
      response.off("drain", onDrain);
      response.off("close", onClose);
      resolve(taken);
    };
    const onDrain = () => response.writableLength === 0 && settle(true);
    const onClose = () => settle(false);
    const timer = patienceMs && setTimeout(settle, patienceMs, false);
    if (!isOpen(response)) return settle(false);
    response.on("drain", onDrain);
    response.on("close", onClose);
  });
}
