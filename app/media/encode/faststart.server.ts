import { type FileHandle, open, rm } from "node:fs/promises";
import {
  ALIGNMENT_BYTES,
  BLOCK_BYTES,
  type BlockFile,
  type BlockReader,
  openBlockFile,
  openBlockReader,
  returnBlock,
  takeBlock,
} from "../block-file.server";
import { type Box, boxes } from "../mp4-boxes.server";
import { box, OtherLayoutError, rewriteIndex, type Span } from "./mp4-index";
import type { Task } from "./task.server";

/** The index of a whole day at 60 pictures a second has about as much. */
const MOST_INDEX_BYTES = 64 * 1024 ** 2;
/** The last place that fits into 32 bits, less what can come in front of it. */
const NARROW_UNTIL = 0xffff_ffff - MOST_INDEX_BYTES - 2 * ALIGNMENT_BYTES;
/** Blocks on their way at once: one is read while another is written. */
const AT_ONCE = 2;

/**
 * Copies an MP4 so that its index stands in front, reading and writing every byte once; ffmpeg
 * writes all samples anew, one by one, at ten times the CPU. The samples keep their distance from
 * the disk's own blocks, so that the same memory is read into and written from.
 *
 * @returns false for a file that is not plainly built: fragments, other tracks than one picture and
 *   one sound, several places for samples. Nothing is left then.
 */
export async function copyWithIndexInFront(
  from: string,
  to: string,
  task: Pick<Task, "signal" | "report">,
): Promise<boolean> {
  const plain = await open(from);
  let plan: { head: Buffer; data: Span };
  try {
    plan = await planCopy(plain);
  } catch (error) {
    if (error instanceof OtherLayoutError) return false;
    throw error;
  } finally {
    await plain.close();
  }
  const source = await openBlockReader(from);
  const target = await openBlockFile(to, "wx");
  try {
    await target.write(plan.head, 0);
    await copyData(source, target, plan.data, plan.head.length, task);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  } finally {
    await target.close();
    await source.close();
  }
  return true;
}

/** What the copy begins with, and which bytes of the file follow it. */
async function planCopy(file: FileHandle): Promise<{ head: Buffer; data: Span }> {
  const { size } = await file.stat();
  const top = await boxes(file, 0, size);
  const named = (type: string) => top.filter((each) => each.type === type);
  const [[ftyp, ...otherFtyp], [moov, ...otherMoov], [mdat, ...otherMdat]] = [
    named("ftyp"),
    named("moov"),
    named("mdat"),
  ];
  const others = otherFtyp.length + otherMoov.length + otherMdat.length + named("moof").length;
  if (!ftyp || !moov || !mdat || others > 0) throw new OtherLayoutError();
  if (lengthOf(moov) > MOST_INDEX_BYTES || lengthOf(ftyp) > ALIGNMENT_BYTES) {
    throw new OtherLayoutError();
  }
  const brand = await bytesOf(file, ftyp.start, ftyp.end);
  const index = await bytesOf(file, moov.start, moov.end);

  const wide = mdat.end > NARROW_UNTIL;
  const samples = { start: mdat.body, end: mdat.end };
  const before = brand.length + rewriteIndex(index, samples, 0, wide).length;
  const gap = gapBetween(before, mdat.start);
  const shift = before + gap - mdat.start;
  // Up to the first border of a block the samples belong to the head.
  const whole = Math.min(mdat.end, Math.ceil(mdat.start / ALIGNMENT_BYTES) * ALIGNMENT_BYTES);
  const head = Buffer.concat([
    brand,
    rewriteIndex(index, samples, shift, wide),
    box("free", Buffer.alloc(gap - 8)),
    await bytesOf(file, mdat.start, whole),
  ]);
  return { head, data: { start: whole, end: mdat.end } };
}

/** The length of a box after which a place is as far from the border of a block as it was. */
function gapBetween(before: number, place: number): number {
  const least = 8;
  const rest = (place - before - least) % ALIGNMENT_BYTES;
  return least + ((rest + ALIGNMENT_BYTES) % ALIGNMENT_BYTES);
}

async function copyData(
  source: BlockReader,
  target: BlockFile,
  data: Span,
  to: number,
  { signal, report }: Pick<Task, "signal" | "report">,
): Promise<void> {
  let next = data.start;
  let done = 0;
  const carry = async () => {
    const block = takeBlock();
    try {
      while (next < data.end) {
        signal.throwIfAborted();
        const start = next;
        const length = Math.min(BLOCK_BYTES, data.end - start);
        next += length;
        await source.read(block, start, length);
        await target.write(block.subarray(0, length), to + start - data.start);
        done += length;
        report({ fraction: done / (data.end - data.start) });
      }
    } catch (error) {
      next = data.end;
      throw error;
    } finally {
      returnBlock(block);
    }
  };
  // All of them end before the files are closed, also when one fails.
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, carry));
  const failed = ended.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
}

function lengthOf({ start, end }: Box): number {
  return end - start;
}

async function bytesOf(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  if (bytesRead < bytes.length) throw new OtherLayoutError();
  return bytes;
}
