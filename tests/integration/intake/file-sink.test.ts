import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  acquireBlock,
  BLOCK_BYTES,
  type BlockFile,
  openBlockFile,
  releaseBlock,
} from "~/media/intake/block-file.server";
import { fileSink, pump } from "~/media/intake/file-sink.server";

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "file-sink-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

let files = 0;
function newPath(): string {
  files += 1;
  return path.join(folder, String(files));
}

function* piecesOf(bytes: Buffer, ...lengths: number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** Sends `bytes` in pieces to a new file; what the sink said it has written. */
async function send(bytes: Buffer, offset: number, ...lengths: number[]) {
  const target = newPath();
  const before = randomBytes(offset);
  fs.writeFileSync(target, before);
  const file = await openBlockFile(target, "r+");
  const hash = createHash("sha256");
  const sink = fileSink(file, offset, {
    admit: () => {},
    wrote: (written) => hash.update(written),
  });
  await pump(Readable.from(piecesOf(bytes, ...lengths)), sink);
  await file.close();
  const stored = fs.readFileSync(target);
  expect(stored.length).toBe(offset + bytes.length);
  expect(stored.subarray(0, offset).equals(before)).toBe(true);
  expect(stored.subarray(offset).equals(bytes)).toBe(true);
  expect(hash.digest("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
}

/** How many of the blocks that a disk takes directly are not in use. */
function spareBlocks(): number {
  const taken = Array.from({ length: 64 }, acquireBlock);
  const ordinary = taken.at(-1)?.buffer.byteLength;
  const spare = taken.filter((block) => block.buffer.byteLength !== ordinary).length;
  taken.forEach(releaseBlock);
  return spare;
}

describe("a file that is written in blocks", () => {
  test.each([
    ["nothing", 0, 0, [1]],
    ["one byte", 1, 0, [1]],
    ["exactly one block", BLOCK_BYTES, 0, [65_536]],
    ["a block and a byte", BLOCK_BYTES + 1, 0, [65_536]],
    ["pieces of odd lengths", 5 * BLOCK_BYTES + 777, 0, [65_535, 1, 4_097, 131_071]],
    ["a piece longer than a block", 7 * BLOCK_BYTES, 0, [3 * BLOCK_BYTES + 5]],
    ["from the middle of a block", 3 * BLOCK_BYTES + 9, 12_345, [65_536]],
    ["from a page that is no block", 3 * BLOCK_BYTES, 8_192, [65_536]],
    ["from the last byte of a block", 2 * BLOCK_BYTES, BLOCK_BYTES - 1, [65_536]],
  ])("holds what was sent: %s", async (_, bytes, offset, lengths) => {
    await send(randomBytes(bytes), offset, ...lengths);
  });

  test("holds what was sent when more arrive than there are blocks", async () => {
    const spare = spareBlocks();
    const uploads = Array.from({ length: 48 }, (_, index) =>
      send(randomBytes(2 * BLOCK_BYTES + index), index % 3 === 0 ? index : 0, 50_000 + index),
    );
    await Promise.all(uploads);
    expect(spareBlocks()).toBe(spare);
  });

  test("what comes slowly is written without waiting for a whole block", async () => {
    const target = newPath();
    const file = await openBlockFile(target, "wx");
    const sink = fileSink(file, 0, { admit: () => {}, wrote: () => {} });
    for (const piece of ["one ", "two ", "three"]) {
      sink.write(Buffer.from(piece));
      while (!fs.readFileSync(target, "utf8").endsWith(piece)) await pause(20);
    }
    sink.destroy();
    await file.close();
    expect(fs.readFileSync(target, "utf8")).toBe("one two three");
  });

  test("a disk that fails ends it, and every block comes back", async () => {
    const spare = spareBlocks();
    for (const good of [0, 1, 2]) {
      let writes = 0;
      const failing: BlockFile = {
        async write() {
          writes += 1;
          await pause(1);
          if (writes > good) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        },
        truncate: async () => {},
        close: async () => {},
      };
      let written = 0;
      const sink = fileSink(failing, 0, {
        admit: () => {},
        wrote: (bytes) => {
          written += bytes.length;
        },
      });
      const sent = pump(Readable.from(piecesOf(randomBytes(6 * BLOCK_BYTES), 65_536)), sink);
      await expect(sent).rejects.toMatchObject({ code: "ENOSPC" });
      expect(written).toBe(good * BLOCK_BYTES);
    }
    expect(spareBlocks()).toBe(spare);
  });

  test("a sender that leaves in the middle of a block gives it back", async () => {
    const spare = spareBlocks();
    const file = await openBlockFile(newPath(), "wx");
    const source = new Readable({ read() {} });
    const sink = fileSink(file, 0, { admit: () => {}, wrote: () => {} });
    const sent = pump(source, sink);
    source.push(randomBytes(BLOCK_BYTES + 10));
    await pause(5);
    source.destroy();
    await expect(sent).rejects.toThrow("cut off");
    await file.close();
    expect(spareBlocks()).toBe(spare);
  });

  test("what is refused is never written", async () => {
    const target = newPath();
    const file = await openBlockFile(target, "wx");
    const refuse = async () => {
      throw new Error("not a video");
    };
    const sink = fileSink(file, 0, {
      admit: () => {},
      wrote: () => {},
      head: { bytes: 100, check: refuse },
    });
    await expect(pump(Readable.from([randomBytes(5_000)]), sink)).rejects.toThrow("not a video");
    await file.close();
    expect(fs.statSync(target).size).toBe(0);
  });
});
