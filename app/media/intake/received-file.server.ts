import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { openBlockFile } from "./block-file.server";
import { arrivingFolder, type Reservation } from "./disk-space.server";
import { fileSink, pump } from "./file-sink.server";
import { asRefusal, UploadRefused } from "./upload-error.server";

/** `uploads/tmp`: what is still arriving. */

/** A file that has arrived whole and stands in `uploads/tmp`. */
export interface ArrivedFile {
  path: string;
  /** As the sender named it: to be shown, never to be used as a path. */
  name: string;
  bytes: number;
  /** Hexadecimal, computed while the bytes came in. */
  sha256: string;
}

/** What a file has to be, checked while it arrives. */
export interface FileRule {
  maxBytes: number;
  tooLarge: string;
  /** Sees the first bytes as soon as they are here; throws UploadRefused for what it is not. */
  checkHead: (head: Buffer) => Promise<void>;
}

/** Enough for every signature that is looked for. */
export const HEAD_BYTES = 4_100;

/** A path in `uploads/tmp` that nobody uses. */
export async function arrivingPath(): Promise<string> {
  await fs.mkdir(arrivingFolder(), { recursive: true });
  return path.join(arrivingFolder(), randomUUID());
}

/**
 * Writes a stream to `uploads/tmp`, with back-pressure.
 *
 * @throws {UploadRefused} 413 as soon as the stream is too long, 507 when the disk is full, and what
 *   the rule's check throws. Nothing is left then.
 */
export async function writeArriving(
  stream: Readable,
  name: string,
  rule: FileRule,
  field?: string,
  room?: Reservation,
): Promise<ArrivedFile> {
  const target = await arrivingPath();
  const file = await openBlockFile(target, "wx");
  const hash = createHash("sha256");
  let bytes = 0;
  const sink = fileSink(file, 0, {
    admit(length) {
      bytes += length;
      if (bytes > rule.maxBytes) throw new UploadRefused(413, rule.tooLarge, field);
    },
    wrote(written) {
      hash.update(written);
      room?.written(written.length);
    },
    head: { bytes: HEAD_BYTES, check: rule.checkHead },
  });
  try {
    await pump(stream, sink);
  } catch (error) {
    await fs.rm(target, { force: true });
    throw asRefusal(error);
  } finally {
    await file.close();
  }
  return { path: target, name, bytes, sha256: hash.digest("hex") };
}

/** Removes files of `uploads/tmp`; one that is gone already is no error. */
export async function discardArrived(...files: (ArrivedFile | undefined)[]): Promise<void> {
  for (const file of files) if (file) await fs.rm(file.path, { force: true });
}
