import type { FileHandle } from "node:fs/promises";
import { type Readable, Writable } from "node:stream";
import { cutOff } from "./upload-refused.server";

/** Chunks from the network are about 64 KiB; written many at a time they cost a part of the calls. */
const GATHER_BYTES = 1024 * 1024;
const FLUSH_AFTER_MS = 200;

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
  let isHeadDue = head !== undefined;
  let gathered: Buffer[] = [];
  let gatheredBytes = 0;
  let writing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function take(chunk: Buffer): Promise<void> {
    admit(chunk.length);
    gathered.push(chunk);
    gatheredBytes += chunk.length;
    if (head && isHeadDue) {
      if (gatheredBytes < head.bytes) return;
      await checkHead(head);
    }
    if (gatheredBytes >= GATHER_BYTES) await flush();
    // What comes slowly does not wait long for more.
    else timer ??= setTimeout(() => flush().catch(fail), FLUSH_AFTER_MS);
  }

  async function checkHead({ bytes, check }: NonNullable<SinkWatch["head"]>): Promise<void> {
    isHeadDue = false;
    await check(Buffer.concat(gathered).subarray(0, bytes));
  }

  /** One write after the other, each of all that has been gathered. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const chunks = gathered;
    gathered = [];
    gatheredBytes = 0;
    writing = writing.then(async () => {
      at = await writeAll(file, chunks, at);
      for (const chunk of chunks) wrote(chunk);
    });
    return writing;
  }

  const fail = (error: Error) => sink.destroy(error);
  const sink = new Writable({
    highWaterMark: GATHER_BYTES,
    write(chunk: Buffer, _encoding, done) {
      take(chunk).then(() => done(), done);
    },
    final(done) {
      const checked = head && isHeadDue ? checkHead(head) : Promise.resolve();
      checked.then(flush).then(() => done(), done);
    },
    destroy(error, done) {
      clearTimeout(timer);
      writing.then(
        () => done(error),
        () => done(error),
      );
    },
  });
  return sink;
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
      sink.once("close", () => reject(error));
      sink.destroy();
      if (sink.closed) reject(error);
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
