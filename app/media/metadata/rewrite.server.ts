import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { FIRST_BOXES } from "../probe/box-headers.server";
import { planMatroska } from "./matroska-metadata";
import { planMp4 } from "./mp4-metadata";
import { type Bytes, type Edit, LayoutError, type Plan, PlanBuilder } from "./plan";

export interface MetadataTask {
  file: string;
  /** Others share the file: it is only looked at. */
  isShared?: boolean;
  /** The file is served or backed up already, by its size and modification time: that has to change. */
  isInUse?: boolean;
}

/** `copy`: it can't be done in place, and nothing was changed. */
export type MetadataAnswer =
  | { done: "nothing" | "rewritten" }
  | { done: "copy"; reason: string }
  | { failed: string };

const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

/** Returns how the metadata of a file are removed. */
export function planFor(file: Bytes): Plan {
  const head = file.read(0, 8);
  const builder = new PlanBuilder(file);
  try {
    if (head.subarray(0, 4).equals(EBML)) return planMatroska(builder);
    if (FIRST_BOXES.has(head.toString("latin1", 4))) return planMp4(builder);
    return { kind: "copy", reason: "It is no MP4, MOV, WebM or Matroska." };
  } catch (error) {
    if (error instanceof LayoutError) return { kind: "copy", reason: error.message };
    throw error;
  }
}

/** Rewrites a file in place; whatever fails, it is as it was. */
export function rewrite({ file, isShared, isInUse }: MetadataTask): MetadataAnswer {
  const handle = fs.openSync(file, isShared ? "r" : "r+");
  try {
    const bytes = bytesOf(handle);
    const plan = planFor(bytes);
    if (plan.kind === "copy") return { done: "copy", reason: plan.reason };
    if (plan.edits.length === 0) return { done: "nothing" };
    if (isShared) return { done: "copy", reason: "Others use the file." };
    const before = plan.edits.map(({ at, bytes: { length } }) => ({
      at,
      bytes: bytes.read(at, length),
    }));
    const { atime, mtime } = fs.fstatSync(handle);
    try {
      write(handle, plan.edits);
      fs.fdatasyncSync(handle);
      const again = planFor(bytes);
      if (again.kind === "copy" || again.edits.length > 0) throw new Error("Metadata is left.");
      // No edit of a plan lies in the media data, so that nothing of it has to be read.
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
