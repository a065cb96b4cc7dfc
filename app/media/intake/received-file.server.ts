import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { type Duplex, type Readable, Writable } from "node:stream";
import { removeTemporary, temporaryPath } from "../files/temporary-files.server";
import type { Reservation } from "./disk-space.server";
import { toUploadError, truncated, UploadError } from "./upload-error.server";

/** A file that was received completely and is in `uploads/tmp`. */
export interface ReceivedFile {
  path: string;
  /** The file name as sent by the client. Use it only for display, never as a path. */
  name: string;
  bytes: number;
  /** The SHA-256 digest in hexadecimal, computed while the file is received. */
  sha256: string;
  /** The MD5 digest in hexadecimal; set if the block list contains MD5 digests. */
  md5?: string;
  /** The version of the uploaders' terms that the client has accepted, if sent with a resumable upload. */
  terms?: string;
}

/** Requirements that are checked while a file is being received. */
export interface FileRule {
  maxBytes: number;
  tooLarge: string;
  /** Checks the first bytes as soon as they arrive; throws UploadError to reject the file. */
  checkHead: (head: Buffer) => Promise<void>;
  /** Returns a transform, such as encryption, that is applied to the bytes before they are written. */
  through?: () => Duplex;
}

/** The number of bytes to check, which is enough for every file signature that is detected. */
export const HEAD_BYTES = 4_100;

/**
 * Writes a stream to `uploads/tmp`, with back-pressure.
 *
 * @throws {UploadError} 413 as soon as the stream is too long, 507 if the disk is full, and any error thrown by the
 *   rule's check. In that case, no file is left behind.
 */
export async function receiveFile(
  stream: Readable,
  name: string,
  rule: FileRule,
  field?: string,
  reservation?: Reservation,
): Promise<ReceivedFile> {
  const target = await temporaryPath();
  const file = await open(target, "wx");
  const hash = createHash("sha256");
  let bytes = 0;
  const sink = fileSink(file, 0, {
    admit(length) {
      bytes += length;
      if (bytes > rule.maxBytes) throw new UploadError(413, rule.tooLarge, field);
    },
    wrote(written) {
      hash.update(written);
      reservation?.written(written.length);
    },
    head: { bytes: HEAD_BYTES, check: rule.checkHead },
  });
  try {
    if (rule.through) await pumpThrough(stream, rule.through(), sink);
    else await pump(stream, sink);
  } catch (error) {
    await removeTemporary(target);
    throw toUploadError(error);
  } finally {
    await file.close();
  }
  return { path: target, name, bytes, sha256: hash.digest("hex") };
}

/** Removes received files. Missing ones are skipped. */
export async function discardReceived(...files: (ReceivedFile | undefined)[]): Promise<void> {
  await removeTemporary(...files.map((file) => file?.path));
}

/**
 * The size of the writes into which chunks are combined. Writing each chunk separately takes 1.5 times as much CPU
 * time.
 */
const WRITE_BYTES = 1024 * 1024;
/** How long to wait for more bytes before writing a smaller piece. */
const WRITE_DELAY_MS = 20;

export interface SinkWatch {
  /** Called with the length of each chunk before it is written; throws to reject it. */
  admit: (bytes: number) => void;
  /** Called with each chunk, in order, after the chunk has been written. */
  wrote: (bytes: Buffer) => void;
  /** Checks the first bytes (or all bytes, if there are fewer) before any are written. */
  head?: { bytes: number; check: (head: Buffer) => Promise<void> };
}

/**
 * Returns a stream that writes to a file from `position` on. If it is destroyed without having failed itself, it writes
 * the chunks that it has already accepted before it closes, so that a resumed upload continues from there. After that,
 * the file can be truncated.
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
  let delayed: NodeJS.Timeout | undefined;

  async function take(chunks: Buffer[], isLast: boolean): Promise<void> {
    for (const chunk of chunks) {
      admit(chunk.length);
      unwritten.push(chunk);
      unwrittenBytes += chunk.length;
    }
    if (uncheckedHead) {
      const start = Buffer.concat(unwritten).subarray(0, uncheckedHead.bytes);
      if (start.length < uncheckedHead.bytes && !isLast) return;
      await uncheckedHead.check(start);
      uncheckedHead = undefined;
    }
    if (isLast || unwrittenBytes >= WRITE_BYTES) return flush();
    delayed = setTimeout(run, WRITE_DELAY_MS, flush, (error?: Error) => {
      if (error) sink.destroy(error);
    });
  }

  async function flush(): Promise<void> {
    const chunks = unwritten;
    unwritten = [];
    unwrittenBytes = 0;
    if (chunks.length === 0) return;
    end = await writeAll(file, chunks, end);
    for (const bytes of chunks) wrote(bytes);
  }

  /** Runs `work` after any work that was started earlier. */
  function run(work: () => Promise<void>, done: (error?: Error) => void): void {
    clearTimeout(delayed);
    writing = writing.then(work);
    writing.then(() => done(), done);
  }

  const sink = new Writable({
    highWaterMark: WRITE_BYTES,
    writev: (chunks, done) =>
      run(
        () =>
          take(
            chunks.map(({ chunk }) => chunk as Buffer),
            false,
          ),
        done,
      ),
    final: (done) => run(() => take([], true), done),
    destroy: (error, done) =>
      run(
        async () => (uncheckedHead ? undefined : flush()),
        () => done(error),
      ),
  });
  return sink;
}

/** Writes all chunks and returns the position after the last one. */
async function writeAll(file: FileHandle, chunks: Buffer[], position: number): Promise<number> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const { bytesWritten } = await file.writev(chunks, position);
  const end = position + bytesWritten;
  if (bytesWritten === length) return end;
  // The system may write fewer bytes, for example on a disk that is almost full.
  return writeAll(file, [Buffer.concat(chunks).subarray(bytesWritten)], end);
}

/**
 * Pipes a stream into a sink until the stream ends. Unlike `pipeline`, it doesn't destroy the stream if the sink fails,
 * because the response still has to be sent over its connection.
 *
 * @throws the error of the sink or the stream, or UploadError if the stream closes before its end.
 */
export function pump(stream: Readable, sink: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      stream.unpipe(sink);
      sink.once("close", () => reject(error));
      sink.destroy();
      if (sink.closed) reject(error);
    };
    // If the stream was destroyed before this call, it doesn't emit any more events.
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

/** Pipes a stream through a transform into a sink. */
async function pumpThrough(stream: Readable, between: Duplex, sink: Writable): Promise<void> {
  const out = pump(between, sink);
  out.catch((error) => between.destroy(error));
  // If both failed, the first half's failure caused the other.
  const [fed, written] = await Promise.allSettled([pump(stream, between), out]);
  for (const half of [fed, written]) if (half.status === "rejected") throw half.reason;
}
