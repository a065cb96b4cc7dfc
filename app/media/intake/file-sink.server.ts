import { type Duplex, type Readable, Writable } from "node:stream";
import { acquireBlock, BLOCK_BYTES, type BlockFile, releaseBlock } from "./block-file.server";
import { truncated } from "./upload-error.server";

const FLUSH_AFTER_MS = 200;

export interface SinkWatch {
  /** Sees the length of what comes before it is written; refuses it by throwing. */
  admit: (bytes: number) => void;
  /** Sees what has been written; the memory is used again afterwards. */
  wrote: (bytes: Buffer) => void;
  /** Sees the first bytes, or all when there are fewer, before they are written. */
  head?: { bytes: number; check: (head: Buffer) => Promise<void> };
}

/**
 * Writes what it is given to a file, from `position` on, gathered into blocks: the chunks of a
 * connection are about 64 KiB, and each write has its price.
 */
export function fileSink(
  file: BlockFile,
  position: number,
  { admit, wrote, head }: SinkWatch,
): Writable {
  let isHeadDue = head !== undefined;
  let block: Buffer | undefined;
  let blockStart = position;
  let filled = 0;
  let writing = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** Copies into the block what it has room for; gives back the rest. */
  function fill(chunk: Buffer): Buffer {
    block ??= acquireBlock();
    // A block ends where the next one of the file begins, wherever it began.
    const room = BLOCK_BYTES - (blockStart % BLOCK_BYTES) - filled;
    const copied = chunk.copy(block, filled, 0, Math.min(chunk.length, room));
    filled += copied;
    return chunk.subarray(copied);
  }

  /** What cannot be done at once: the check of the head, and writing a full block. */
  async function goOn(rest: Buffer): Promise<void> {
    let left = rest;
    await checkHead(false);
    while (left.length > 0) {
      await flush();
      if (sink.destroyed) return;
      left = fill(left);
    }
    startTimer();
  }

  async function checkHead(isAll: boolean): Promise<void> {
    if (!head || !isHeadDue || (filled < head.bytes && !isAll)) return;
    isHeadDue = false;
    await head.check(
      Buffer.from((block ?? Buffer.alloc(0)).subarray(0, Math.min(filled, head.bytes))),
    );
  }

  /** What comes slowly does not wait long for more, but for the head to be whole. */
  function startTimer(): void {
    if (!isHeadDue) timer ??= setTimeout(() => flush().catch(fail), FLUSH_AFTER_MS);
  }

  /** One write after the other, each of what the block holds. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (!block) return writing;
    const taken = block;
    const bytes = taken.subarray(0, filled);
    const start = blockStart;
    block = undefined;
    blockStart += filled;
    filled = 0;
    writing = writing
      .then(async () => {
        await file.write(bytes, start);
        wrote(bytes);
      })
      .finally(() => releaseBlock(taken));
    return writing;
  }

  const fail = (error: Error) => sink.destroy(error);
  const sink = new Writable({
    highWaterMark: BLOCK_BYTES,
    write(chunk: Buffer, _encoding, done) {
      try {
        admit(chunk.length);
      } catch (error) {
        return done(error as Error);
      }
      const rest = fill(chunk);
      if (rest.length === 0 && !isHeadDue) {
        startTimer();
        return done();
      }
      goOn(rest).then(() => done(), done);
    },
    final(done) {
      checkHead(true)
        .then(flush)
        .then(() => done(), done);
    },
    destroy(error, done) {
      clearTimeout(timer);
      if (block) releaseBlock(block);
      block = undefined;
      writing.then(
        () => done(error),
        () => done(error),
      );
    },
  });
  return sink;
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
