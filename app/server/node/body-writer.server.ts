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
const SLICE_BYTES = 64 * 1024;
/** One read is 1 MiB at most: beyond it nothing is gained. */
const MOST_SLICES = 16;
/**
 * Writes of 256 KiB cost a third less CPU than four of 64 KiB. Only a client that has kept up for
 * longer than the buffers of both systems reach is given so much at once.
 */
const GROUP_SLICES = 4;
const PROVEN_AFTER_BYTES = 16 * 1024 * 1024;
/** A wait this long means that the client is not keeping up. */
const STALLED_AFTER_MS = 100;
/** What all clients together hold beyond one slice each: 16 MiB. */
const MOST_SLICES_AHEAD = 256;

const spareSlices: Buffer[] = [];
let slicesAhead = 0;

/** The slices of one read, and how many slices beyond its first one it still takes up. */
interface Block {
  slices: Buffer[];
  ahead: number;
}

/** Slices for the next read of one client, at least one. */
function allocateSlices(wanted: number, bytes: number): Block {
  const count = Math.min(
    Math.ceil(bytes / SLICE_BYTES),
    Math.max(1, Math.min(wanted, MOST_SLICES_AHEAD - slicesAhead)),
  );
  slicesAhead += count - 1;
  const slices = Array.from({ length: count }, (_, index) => {
    const slice = spareSlices.pop() ?? Buffer.allocUnsafeSlow(SLICE_BYTES);
    const rest = bytes - index * SLICE_BYTES;
    return rest < SLICE_BYTES ? slice.subarray(0, rest) : slice;
  });
  return { slices, ahead: count - 1 };
}

/** Gives back what was not given to the socket, so that the block takes up `ahead` at most. */
function shrinkBlock(block: Block, ahead: number): void {
  reuseSlices(block.slices.splice(0));
  slicesAhead -= block.ahead - ahead;
  block.ahead = ahead;
}

/** Only slices that nothing reads any more; any other is left to the garbage collector. */
function reuseSlices(slices: Buffer[]): void {
  for (const slice of slices) {
    if (spareSlices.length >= MOST_SLICES_AHEAD) return;
    spareSlices.push(slice.length < SLICE_BYTES ? Buffer.from(slice.buffer) : slice);
  }
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
  // The client may leave before the body is asked for, and may have left: then nobody asks for it.
  const close = () => void file.close().catch(() => {});
  if (response.closed) close();
  else response.once("close", close);
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
  let keptUpSince = start;
  while (position < end && isOpen(response)) {
    const block = allocateSlices(slices, end - position);
    try {
      const { bytesRead } = await file.readv(block.slices, position);
      if (bytesRead === 0) throw new Error("The file is shorter than it was.");
      const atOnce = position - keptUpSince >= PROVEN_AFTER_BYTES ? GROUP_SLICES : 1;
      const { written, stalled } = await writeBlock(response, block, bytesRead, atOnce);
      position += written;
      if (stalled) keptUpSince = position;
      slices = stalled ? 1 : Math.min(slices * 2, MOST_SLICES);
    } finally {
      shrinkBlock(block, 0);
    }
  }
}

/** Writes the slices of a block, or as many of them as a client takes that then stalls. */
async function writeBlock(response: ServerResponse, block: Block, bytes: number, atOnce: number) {
  let written = 0;
  while (written < bytes) {
    const group = block.slices.splice(0, atOnce);
    // Corked and uncorked, Node tries the write at once and not at the next tick, so that a socket
    // with room has taken it when this returns.
    response.cork();
    for (const slice of group) {
      const part = slice.subarray(0, bytes - written);
      written += part.length;
      if (part.length > 0) response.write(part);
    }
    response.uncork();
    let taken = response.writableLength === 0;
    if (!taken && response.writableNeedDrain) {
      taken = await isTaken(response, STALLED_AFTER_MS);
      if (!taken) {
        shrinkBlock(block, group.length - 1);
        if (await isTaken(response)) reuseSlices(group);
        return { written, stalled: true };
      }
    }
    if (taken) reuseSlices(group);
  }
  return { written, stalled: false };
}

function isOpen(response: ServerResponse): boolean {
  return !response.destroyed && !response.closed;
}

/** Waits until the socket has taken everything; false when that takes too long or it has closed. */
function isTaken(response: ServerResponse, patienceMs?: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (taken: boolean) => {
      clearTimeout(timer);
      response.off("drain", onDrain);
      response.off("close", onClose);
      resolve(taken);
    };
    const onDrain = () => response.writableLength === 0 && finish(true);
    const onClose = () => finish(false);
    const timer = patienceMs && setTimeout(finish, patienceMs, false);
    if (!isOpen(response)) return finish(false);
    response.on("drain", onDrain);
    response.on("close", onClose);
  });
}
