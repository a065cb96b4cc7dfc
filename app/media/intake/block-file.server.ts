import { constants } from "node:fs";
import fs, { type FileHandle } from "node:fs/promises";

/**
 * Files that are written in large blocks past the system's page cache (`O_DIRECT`), where the file
 * system can do that. Copying gigabytes into the cache costs more CPU than receiving them, and
 * drives out of it what visitors are watching. The disk takes such a write only from memory and to
 * a place that are multiples of its own blocks; everything else is written the usual way.
 */
export interface BlockFile {
  /** Writes all of `bytes`, however often the system stops short of it. */
  write(bytes: Buffer, position: number): Promise<void>;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

export const BLOCK_BYTES = 1024 * 1024;
/** A multiple of what any common disk asks for. */
const ALIGNMENT_BYTES = 4096;
/** Blocks that are aligned, for all files together. Further ones are ordinary memory. */
const ALIGNED_BLOCKS = 32;
const WASM_PAGE_BYTES = 64 * 1024;

let aligned: { memory: ArrayBufferLike; spare: Buffer[] } | undefined;

function alignedBlocks() {
  if (aligned) return aligned;
  const memory = pageAligned(ALIGNED_BLOCKS * BLOCK_BYTES);
  const spare = Array.from({ length: memory.byteLength / BLOCK_BYTES }, (_, index) =>
    Buffer.from(memory, index * BLOCK_BYTES, BLOCK_BYTES),
  );
  aligned = { memory, spare };
  return aligned;
}

/** The memory of WebAssembly is what Node has that begins at a page; untouched it takes no room. */
function pageAligned(bytes: number): ArrayBufferLike {
  const pages = bytes / WASM_PAGE_BYTES;
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer;
  } catch {
    // It reserves addresses far beyond its size, which a limit on them (ulimit -v) forbids.
    return new ArrayBuffer(0);
  }
}

/** Memory for one block, to be given back with `releaseBlock`. */
export function acquireBlock(): Buffer {
  return alignedBlocks().spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
}

/** Takes back a block that nothing reads any more. */
export function releaseBlock(block: Buffer): void {
  const { memory, spare } = alignedBlocks();
  if (block.buffer === memory) spare.push(block);
}

/** @param flags `wx` makes a new file, `r+` goes on with one that exists. */
export async function openBlockFile(file: string, flags: "wx" | "r+"): Promise<BlockFile> {
  const plain = await fs.open(file, flags);
  let direct = await openDirect(file, constants.O_WRONLY);

  async function writeSome(bytes: Buffer, position: number): Promise<number> {
    if (direct && isAligned(bytes, position)) {
      try {
        return (await direct.write(bytes, 0, bytes.length, position)).bytesWritten;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
        // Opened, but not written: some file systems find out late that they can't.
        await direct.close();
        direct = undefined;
      }
    }
    return (await plain.write(bytes, 0, bytes.length, position)).bytesWritten;
  }

  return {
    async write(bytes, position) {
      for (let done = 0; done < bytes.length; ) {
        done += await writeSome(bytes.subarray(done), position + done);
      }
    },
    truncate: (bytes) => plain.truncate(bytes),
    async close() {
      await direct?.close();
      await plain.close();
    },
  };
}

async function openDirect(file: string, access: number): Promise<FileHandle | undefined> {
  // Linux only, and not on every file system.
  if (constants.O_DIRECT === undefined) return undefined;
  try {
    return await fs.open(file, access | constants.O_DIRECT);
  } catch {
    return undefined;
  }
}

function isAligned(bytes: Buffer, position: number): boolean {
  const { memory } = alignedBlocks();
  return (
    bytes.buffer === memory &&
    bytes.byteOffset % ALIGNMENT_BYTES === 0 &&
    bytes.length % ALIGNMENT_BYTES === 0 &&
    position % ALIGNMENT_BYTES === 0
  );
}
