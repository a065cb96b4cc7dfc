import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { type Bytes, type Edit, planFor } from "./mp4-metadata";

export interface MetadataTask {
  file: string;
  /** Others share the file: it is only looked at. */
  isShared?: boolean;
  /** The file is served or backed up already, by its size and modification time: that has to change. */
  isInUse?: boolean;
}

/** `copy`: it can't be done in place, and nothing was changed. */
export type MetadataAnswer = { done: "nothing" | "rewritten" | "copy" } | { failed: string };

/** Rewrites a file in place; whatever fails, it is as it was. */
export function rewrite({ file, isShared, isInUse }: MetadataTask): MetadataAnswer {
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
      if (again?.edits.length !== 0) throw new Error("Metadata is left.");
      if (!isDeepStrictEqual(again.media, plan.media)) throw new Error("Its layout changed.");
    } catch (error) {
      write(handle, before);
      throw error;
    } finally {
      // An import knows its source, which may share the file, by its size and time.
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
