import type { FileHandle } from "node:fs/promises";
import { type Readable, Writable } from "node:stream";
import { cutOff } from "./upload-refused.server";

/** Chunks from the network are about 64 KiB; written several at a time they cost half the calls. */
const GATHER_BYTES = 1024 * 1024;

export interface SinkWatch {
  /** Sees the length of what comes before it is written; refuses it by throwing. */
  admit: (bytes: number) => void;
  /** Sees what has been written. */
  wrote: (chunk: Buffer) => void;
  /** Sees the first bytes, or all when there are fewer, before they are written. */
  head?: { bytes: number; check: (head: Buffer) => Promise<void> };
}

/** Writes what it is given to a file, from `position` on. */
export function fileSink(
  file: FileHandle,
  position: number,
  { admit, wrote, head }: SinkWatch,
): Writable {
  let at = position;
  let waiting: Buffer[] | undefined = head ? [] : undefined;

  async function take(chunks: Buffer[], last: boolean): Promise<void> {
    for (const chunk of chunks) admit(chunk.length);
    if (head && waiting) {
      waiting.push(...chunks);
      const known = waiting.reduce((sum, chunk) => sum + chunk.length, 0);
      if (known < head.bytes && !last) return;
      chunks = waiting;
      waiting = undefined;
      await head.check(Buffer.concat(chunks).subarray(0, head.bytes));
    }
    at = await writeAll(file, chunks, at);
    for (const chunk of chunks) wrote(chunk);
  }

  return new Writable({
    highWaterMark: GATHER_BYTES,
    write(chunk: Buffer, _encoding, done) {
      take([chunk], false).then(() => done(), done);
    },
    writev(entries, done) {
      take(
        entries.map(({ chunk }) => chunk as Buffer),
        false,
      ).then(() => done(), done);
    },
    final(done) {
      take([], true).then(() => done(), done);
    },
  });
}

/** A write may end short of what it was given, on a disk that is nearly full for one. */
async function writeAll(file: FileHandle, chunks: Buffer[], position: number): Promise<number> {
  let at = position;
  let left = chunks.filter((chunk) => chunk.length > 0);
  while (left.length > 0) {
    let { bytesWritten } = await file.writev(left, at);
    at += bytesWritten;
    while (left[0] && bytesWritten >= left[0].length) {
      bytesWritten -= left[0].length;
      left = left.slice(1);
    }
    if (left[0] && bytesWritten > 0) left = [left[0].subarray(bytesWritten), ...left.slice(1)];
  }
  return at;
}

/**
 * Pipes a stream into a sink until its end. Unlike `pipeline` it leaves the stream alone when the
 * sink fails: behind it is a connection that still has to carry the answer.
 *
 * @throws what the sink or the stream throws, UploadRefused when the stream stops before its end.
 */
export function pump(stream: Readable, sink: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      stream.unpipe(sink);
      sink.destroy();
      reject(error);
    };
    // It may have been given up between its coming and now; then no event will ever tell.
    if (stream.destroyed) return fail(cutOff());
    sink.on("error", fail);
    sink.on("finish", resolve);
    stream.on("error", fail);
    stream.on("close", () => {
      if (!stream.readableEnded) fail(cutOff());
    });
    stream.pipe(sink);
  });
}
