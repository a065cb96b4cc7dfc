import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import fs from "node:fs/promises";
import { HEAD_BYTES } from "~/media/arriving.server";
import { readingAhead } from "~/media/mp4-boxes.server";
import { quickDuration } from "~/media/mp4-look.server";
import { probe } from "~/media/probe.server";
import { videoEnding } from "~/media/sniff.server";

const READ_BYTES = 1024 * 1024;

/**
 * SHA-256 of a file, hexadecimal.
 *
 * @param onBytes called with the length of each piece that was read.
 */
export async function hashFile(
  file: string,
  onBytes: (length: number) => void,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES, signal })) {
    hash.update(chunk as Buffer);
    onBytes((chunk as Buffer).length);
  }
  return hash.digest("hex");
}

/** What the content of a file says. */
export interface Examined {
  ending: string;
  durationSeconds?: number;
  playable: boolean;
}

/**
 * Looks at a file as an upload is looked at; ffprobe is asked only where the index of the file does
 * not already tell that every browser plays it.
 *
 * @throws {UploadRefused} or {RefusedFileError} for what is no video.
 */
export async function examine(file: string, bytes: number): Promise<Examined> {
  const { ending, seconds } = await look(file, bytes);
  if (seconds !== undefined) return { ending, durationSeconds: seconds, playable: true };
  const found = await probe(file);
  if (!found) return { ending, playable: true };
  return { ending, durationSeconds: found.durationSeconds, playable: found.playable };
}

async function look(file: string, bytes: number) {
  const handle = await fs.open(file, "r");
  try {
    const source = readingAhead(handle);
    const { buffer, bytesRead } = await source.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const ending = await videoEnding(buffer.subarray(0, bytesRead));
    return { ending, seconds: await quickDuration(source, bytes) };
  } finally {
    await handle.close();
  }
}
