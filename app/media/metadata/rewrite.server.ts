import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type Bytes, type Edit, planFor } from "./mp4-metadata";

export interface MetadataTask {
  file: string;
  /** Whether another path links to the same file. If so, the file must not be modified. */
  isShared?: boolean;
  /**
   * Whether the file is already served or backed up. Servers and backups detect changes by size and modification time,
   * so the time has to change.
   */
  isInUse?: boolean;
}

/** `copy`: the file can't be cleaned in place and hasn't been changed. */
export type MetadataResult = { done: "nothing" | "rewritten" | "copy" } | { failed: string };

/** Cleans a file in place. If cleaning fails, the file is left unchanged. */
export function rewrite({ file, isShared, isInUse }: MetadataTask): MetadataResult {
  const handle = fs.openSync(file, isShared ? "r" : "r+");
  try {
    const bytes = bytesOf(handle);
    const plan = planFor(bytes);
    if (plan?.edits.length === 0) return { done: "nothing" };
    if (!plan || isShared) return { done: "copy" };
    const before = plan.edits.map(({ at, bytes: { length } }) => ({
      at,
      bytes: bytes.read(at, length),
    }));
    const { atime, mtime } = fs.fstatSync(handle);
    try {
      write(handle, plan.edits);
      fs.fdatasyncSync(handle);
      const again = planFor(bytes);
      if (again?.edits.length !== 0) throw new Error("Some metadata could not be removed.");
      if (!isDeepStrictEqual(again.media, plan.media)) throw new Error("The layout has changed.");
    } catch (error) {
      write(handle, before);
      throw error;
    } finally {
      // Imports recognize a source file, which may be a link to this file, by its size and modification time.
      if (!isInUse) fs.futimesSync(handle, atime, mtime);
    }
    return { done: "rewritten" };
  } catch (error) {
    return { failed: String(error) };
  } finally {
    fs.closeSync(handle);
  }
}

function bytesOf(handle: number): Bytes {
  return {
    size: fs.fstatSync(handle).size,
    read(at, length) {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, fs.readSync(handle, bytes, 0, length, at));
    },
  };
}

function write(handle: number, edits: readonly Edit[]): void {
  for (const { at, bytes } of edits) {
    for (let written = 0; written < bytes.length; ) {
      written += fs.writeSync(handle, bytes, written, bytes.length - written, at + written);
    }
  }
}
