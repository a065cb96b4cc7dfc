import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { Duplex, Readable } from "node:stream";
import { removeTemporary, temporaryPath } from "../files/temporary-files.server";
import type { Reservation } from "./disk-space.server";
import { fileSink, pump, pumpThrough } from "./file-sink.server";
import { toUploadError, UploadError } from "./upload-error.server";

/** Files of forms, streamed to `uploads/tmp`. */

/** A file that was received completely and is in `uploads/tmp`. */
export interface ReceivedFile {
  path: string;
  /** As the sender named it: to be shown, never to be used as a path. */
  name: string;
  bytes: number;
  /** Hexadecimal, computed while the bytes came in. */
  sha256: string;
  /** Hexadecimal, once the block list has MD5 digests to compare it with. */
  md5?: string;
  /** The version of the uploaders' terms that its sender named, where one was named before the form. */
  terms?: string;
}

/** What a file has to be, checked while it arrives. */
export interface FileRule {
  maxBytes: number;
  tooLarge: string;
  /** Sees the first bytes as soon as they are here; throws UploadError for what it is not. */
  checkHead: (head: Buffer) => Promise<void>;
  /** What the bytes go through before anything of them is written, such as what encrypts them. */
  through?: () => Duplex;
}

/** Enough for every signature that is looked for. */
export const HEAD_BYTES = 4_100;

/**
 * Writes a stream to `uploads/tmp`, with back-pressure.
 *
 * @throws {UploadError} 413 as soon as the stream is too long, 507 when the disk is full, and what
 *   the rule's check throws. Nothing is left then.
 */
export async function receiveFile(
  stream: Readable,
  name: string,
  rule: FileRule,
  field?: string,
  room?: Reservation,
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
      room?.written(written.length);
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

/** Removes files of `uploads/tmp`; one that is gone already is no error. */
export async function discardReceived(...files: (ReceivedFile | undefined)[]): Promise<void> {
  await removeTemporary(...files.map((file) => file?.path));
}
