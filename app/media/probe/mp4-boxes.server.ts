import { type FileHandle, open } from "node:fs/promises";
import { type BoxHeader, boxHeaders } from "../encode/box-headers.server";

/** Headers that are read of one file: a film of a camera has about a hundred. */
const MOST_HEADERS = 2_000;
/** Bytes of sample entries that are looked at: they lie side by side, one to three in a track. */
const MOST_ENTRIES = 16;

/**
 * How samples are named whose bytes are encrypted: ISO/IEC 14496-12 §8.12 (Common Encryption,
 * ISO/IEC 23001-7, whatever its scheme), and `drmi` and `drms`, which FairPlay had before that.
 */
const ENCRYPTED = new Set(["encv", "enca", "drmi", "drms"]);

/** The way from the top of a file to the descriptions of its samples, ISO/IEC 14496-12 §6. */
const TO_ENTRIES = ["moov", "trak", "mdia", "minf", "stbl", "stsd"] as const;
/** `stsd` begins with version, flags and a count (§8.5.2). */
const ENTRIES_AFTER = 8;

/**
 * Whether the header of an MP4 or MOV says that picture or sound are encrypted. ffprobe names the
 * format inside, as if there was nothing around it. Headers alone are read, at most 2,000 of 16
 * bytes, whatever the file is; a file with more counts as one that is not encrypted.
 */
export async function isEncryptedMp4(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const budget = { left: MOST_HEADERS };
    return await hasEncryptedEntry(handle, 0, (await handle.stat()).size, 0, budget);
  } finally {
    await handle.close();
  }
}

async function hasEncryptedEntry(
  handle: FileHandle,
  from: number,
  to: number,
  depth: number,
  budget: { left: number },
): Promise<boolean> {
  for await (const box of limited(handle, from, to, budget)) {
    if (box.type !== TO_ENTRIES[depth]) continue;
    if (box.type === "stsd") {
      const entries = { left: Math.min(MOST_ENTRIES, budget.left) };
      for await (const { type } of limited(handle, box.body + ENTRIES_AFTER, box.end, entries)) {
        if (ENCRYPTED.has(type)) return true;
      }
    } else if (await hasEncryptedEntry(handle, box.body, box.end, depth + 1, budget)) return true;
  }
  return false;
}

async function* limited(
  handle: FileHandle,
  from: number,
  to: number,
  budget: { left: number },
): AsyncGenerator<BoxHeader> {
  for await (const box of boxHeaders(handle, from, to)) {
    if (budget.left-- <= 0) return;
    yield box;
  }
}
