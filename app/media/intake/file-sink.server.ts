import type { FileHandle } from "node:fs/promises";
import { type Duplex, type Readable, Writable } from "node:stream";
import { truncated } from "./upload-error.server";

/** While one write is running, what arrives is collected up to here for the next one. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** A write for each chunk of a socket, 64 KiB, would take half as much CPU time again. */
const MIN_WRITE_BYTES = 512 * 1024;
/** What comes slowly isn't kept waiting for more: a sender that leaves would have to send it again. */
const FLUSH_AFTER_MS = 200;

export interface SinkWatch {
  /** Sees the length of each chunk before it is written; refuses it by throwing. */
  admit: (bytes: number) => void;
  /** Sees what has been written, in order. */
  wrote: (bytes: Buffer) => void;
  /** Sees the first bytes, or all if there are fewer, before any of them is written. */
  head?: { bytes: number; check: (head: Buffer) => Promise<void> };
}

/**
 * Returns a stream that writes to a file, from `position` on. It closes after its last write has
 * ended, so the file can be truncated then.
 */
export function fileSink(
  file: FileHandle,
  position: number,
  { admit, wrote, head }: SinkWatch,
): Writable {
  let end = position;
  let uncheckedHead = head;
  let unwritten: Buffer[] = [];
  let unwrittenBytes = 0;
  let writing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function take(chunks: Buffer[], isLast: boolean): Promise<void> {
    for (const chunk of chunks) {
      admit(chunk.length);
      unwritten.push(chunk);
      unwrittenBytes += chunk.length;
    }
    if (uncheckedHead) {
      if (unwrittenBytes < uncheckedHead.bytes && !isLast) return;
      await uncheckedHead.check(Buffer.concat(unwritten).subarray(0, uncheckedHead.bytes));
      uncheckedHead = undefined;
    }
    if (isLast || unwrittenBytes >= MIN_WRITE_BYTES) await flush();
    else timer ??= setTimeout(() => flush().catch((error) => sink.destroy(error)), FLUSH_AFTER_MS);
  }

  /** Writes what has been collected, after the write that is running. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const taken = unwritten;
    unwritten = [];
    unwrittenBytes = 0;
    writing = writing.then(async () => {
      if (sink.destroyed || taken.length === 0) return;
      end = await writeAll(file, taken, end);
      for (const bytes of taken) wrote(bytes);
    });
    return writing;
  }

  const sink = new Writable({
    highWaterMark: MAX_WAITING_BYTES,
    writev(chunks, done) {
      const all = chunks.map(({ chunk }) => chunk as Buffer);
      take(all, false).then(() => done(), done);
    },
    final: (done) => void take([], true).then(() => done(), done),
    destroy(error, done) {
      clearTimeout(timer);
      const close = () => done(error);
      writing.then(close, close);
    },
  });
  return sink;
}

/** Writes all of `chunks` and returns the position behind them. */
async function writeAll(file: FileHandle, chunks: Buffer[], position: number): Promise<number> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const { bytesWritten } = await file.writev(chunks, position);
  const end = position + bytesWritten;
  if (bytesWritten === length) return end;
  // The system may write less, for example on a disk that is almost full.
  return writeAll(file, [Buffer.concat(chunks).subarray(bytesWritten)], end);
}

/**
 * Pipes a stream into a sink until its end. Unlike `pipeline` it leaves the stream alone when the
 * sink fails: behind it is a connection that still has to carry the answer.
 *
 * @throws what the sink or the stream throws, UploadError when the stream stops before its end.
 */
export function pump(stream: Readable, sink: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      stream.unpipe(sink);
      sink.once("close", () => reject(error));
      sink.destroy();
      if (sink.closed) reject(error);
    };
    // It may have been given up between its coming and now; then no event will ever tell.
    if (stream.destroyed) return fail(truncated());
    sink.on("error", fail);
    sink.on("finish", resolve);
    stream.on("error", fail);
    stream.on("close", () => {
      if (!stream.readableEnded) fail(truncated());
    });
    stream.pipe(sink);
  });
}

/** The same, with something in between. */
export async function pumpThrough(
  stream: Readable,
  between: Duplex,
  sink: Writable,
): Promise<void> {
  const out = pump(between, sink);
  out.catch((error) => between.destroy(error));
  // Its own failure is the cause of the other one.
  const [fed, written] = await Promise.allSettled([pump(stream, between), out]);
  for (const half of [fed, written]) if (half.status === "rejected") throw half.reason;
}
