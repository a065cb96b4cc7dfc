import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { probe } from "~/media/probe/probe.server";
import type { CutOff } from "~/shared/cut-off";

const READ_BYTES = 1024 * 1024;

export interface HashedFile {
  /** Hexadecimal. */
  sha256: string;
  /** Hexadecimal, only if it was asked for. */
  md5?: string;
  /** Its first MiB, or all of a shorter one. */
  head: Buffer;
}

/**
 * Reads a file once, for its digests.
 *
 * @param onBytes called with the length of each piece that was read.
 */
export async function hashFile(
  file: string,
  onBytes: (length: number) => void,
  { signal, withMd5 = false }: { signal?: AbortSignal; withMd5?: boolean } = {},
): Promise<HashedFile> {
  const hash = createHash("sha256");
  const md5 = withMd5 ? createHash("md5") : undefined;
  let head: Buffer | undefined;
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES, signal })) {
    head ??= chunk as Buffer;
    hash.update(chunk as Buffer);
    md5?.update(chunk as Buffer);
    onBytes((chunk as Buffer).length);
  }
  return {
    sha256: hash.digest("hex"),
    ...(md5 && { md5: md5.digest("hex") }),
    head: head ?? Buffer.alloc(0),
  };
}

/** What the content of a file says. */
export interface InspectedFile {
  ending: string;
  durationSeconds?: number;
  cutOff?: CutOff;
  playable: boolean;
}

/**
 * Probes a file as an upload is probed; of one that every browser plays no picture is decoded,
 * which halves the time of an import of small files.
 *
 * @param ending by its first bytes, see videoEnding().
 * @throws {RefusedFileError} for what ffprobe cannot read as a video.
 */
export async function inspectFile(file: string, ending: string): Promise<InspectedFile> {
  const found = await probe(file, { decode: "unplayable" });
  if (!found) return { ending, playable: true };
  const { durationSeconds, cutOff, playable } = found;
  return { ending, durationSeconds, playable, ...(cutOff && { cutOff }) };
}
