import { type FileHandle, open } from "node:fs/promises";
import { type BoxHeader, boxHeaders } from "../encode/box-headers.server";

/** Headers that are read of one file: a film of a camera has about a hundred. */
const MOST_HEADERS = 2_000;
/** Bytes of sample entries that are read: they lie side by side, one to three in a track. */
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

/** How an MP4 or MOV begins: ISO/IEC 14496-12 §4.2, and QuickTime before `ftyp` was there. */
const FIRST_BOXES = new Set(["ftyp", "styp", "moov", "mdat", "wide", "free", "skip", "pnot"]);

/** What the headers of the boxes of an MP4 or MOV say. */
export interface Mp4Layout {
  /** Where samples lie and when they are shown, `moov`. */
  index: "whole" | "cut" | "missing";
  /** The index is spread over the file, `moof`. */
  isFragmented: boolean;
  /** No index and no pictures end behind the end of the file. */
  isWhole: boolean;
  /** Of picture or sound; ffprobe names the format inside, as if there was nothing around it. */
  isEncrypted: boolean;
}

/**
 * How the boxes of a file lie; undefined for what is no MP4 or MOV. Headers alone are read, at most
 * 2,000 of 16 bytes, whatever the file is; of what comes behind them nothing bad is assumed.
 */
export async function readMp4Layout(file: string): Promise<Mp4Layout | undefined> {
  const handle = await open(file);
  try {
    const budget = { left: MOST_HEADERS };
    const layout: Mp4Layout = {
      index: "missing",
      isFragmented: false,
      isWhole: true,
      isEncrypted: false,
    };
    let isFirst = true;
    for await (const box of limited(handle, 0, (await handle.stat()).size, budget)) {
      if (isFirst && !FIRST_BOXES.has(box.type)) return undefined;
      isFirst = false;
      if (box.type === "moov") {
        layout.index = box.isWhole ? "whole" : "cut";
        layout.isEncrypted ||= await hasEncryptedEntry(handle, box.body, box.end, 1, budget);
      }
      if (box.type === "moov" || box.type === "mdat") layout.isWhole &&= box.isWhole;
      layout.isFragmented = box.type === "moof";
      if (layout.isFragmented) break;
    }
    if (isFirst) return undefined;
    return budget.left < 0 ? { ...layout, index: "whole" } : layout;
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
