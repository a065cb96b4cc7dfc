import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import fs from "node:fs/promises";
import { HEAD_BYTES } from "~/media/arriving.server";
import { type BoxSource, readingAhead } from "~/media/mp4-boxes.server";
import { quickDuration } from "~/media/mp4-look.server";
import { probe } from "~/media/probe.server";
import { videoEnding } from "~/media/sniff.server";

const READ_BYTES = 1024 * 1024;

export interface ReadFile {
  /** Hexadecimal. */
  sha256: string;
  /** Its first MiB, or all of a shorter one. */
  head: Buffer;
}

/**
 * Reads a file once, for its digest.
 *
 * @param onBytes called with the length of each piece that was read.
 */
export async function readWhole(
  file: string,
  onBytes: (length: number) => void,
  signal?: AbortSignal,
): Promise<ReadFile> {
  const hash = createHash("sha256");
  let head: Buffer | undefined;
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES, signal })) {
    head ??= chunk as Buffer;
    hash.update(chunk as Buffer);
    onBytes((chunk as Buffer).length);
  }
  return { sha256: hash.digest("hex"), head: head ?? Buffer.alloc(0) };
}

/** What the content of a file says. */
export interface Examined {
  ending: string;
  durationSeconds?: number;
  playable: boolean;
}

/**
 * Looks at a file as an upload is looked at, as far as that takes no other program: the length is
 * told where the index of the file shows that every browser plays it.
 *
 * @param head its beginning; nothing more is read of a file whose index is within it.
 * @throws {UploadRefused} for what is no video.
 */
export async function glance(file: string, bytes: number, head: Buffer): Promise<Glance> {
  const ending = await videoEnding(head.subarray(0, HEAD_BYTES));
  const source = openedWhenRead(file);
  try {
    return { ending, seconds: await quickDuration(readingAhead(source, head, bytes), bytes) };
  } finally {
    await source.close();
  }
}

export interface Glance {
  ending: string;
  seconds: number | undefined;
}

/**
 * Asks ffprobe about a file whose length a glance did not tell.
 *
 * @throws {RefusedFileError} for what is no video.
 */
export async function examine(file: string, { ending, seconds }: Glance): Promise<Examined> {
  if (seconds !== undefined) return { ending, durationSeconds: seconds, playable: true };
  const found = await probe(file);
  if (!found) return { ending, playable: true };
  return { ending, durationSeconds: found.durationSeconds, playable: found.playable };
}

function openedWhenRead(file: string): BoxSource & { close(): Promise<void> } {
  let handle: fs.FileHandle | undefined;
  return {
    async read(...position) {
      handle ??= await fs.open(file, "r");
      return handle.read(...position);
    },
    async close() {
      await handle?.close();
    },
  };
}
