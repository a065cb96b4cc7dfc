import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import { open } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileSink, pump } from "~/media/intake/received-file.server";

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "file-sink-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const MIB = 1024 * 1024;

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

/** Sends `bytes` in chunks to a new file, and checks what the sink reports as written. */
async function send(bytes: Buffer, offset: number, ...lengths: number[]) {
  const target = newPath();
  const before = randomBytes(offset);
  fs.writeFileSync(target, before);
  const file = await open(target, "r+");
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

describe("a file sink", () => {
  test.each([
    ["nothing", 0, 0, [1]],
    ["one byte", 1, 0, [1]],
    ["pieces of odd lengths", 5 * MIB + 777, 0, [65_535, 1, 4_097, 131_071]],
    ["a piece longer than the buffer limit", 7 * MIB, 0, [3 * MIB + 5]],
    ["more pieces than a system call accepts", 20_000, 0, [1]],
    ["from the middle of the file", 3 * MIB + 9, 12_345, [65_536]],
  ])("writes exactly the bytes that were sent (%s)", async (_, bytes, offset, lengths) => {
    await send(randomBytes(bytes), offset, ...lengths);
  });

  test("writes all data even if there are many concurrent uploads", async () => {
    const uploads = Array.from({ length: 48 }, (_, index) =>
      send(randomBytes(2 * MIB + index), index % 3 === 0 ? index : 0, 50_000 + index),
    );
    await Promise.all(uploads);
  });

  test("writes each chunk immediately if the next one arrives slowly", async () => {
    const target = newPath();
    const file = await open(target, "wx");
    const sink = fileSink(file, 0, { admit: () => {}, wrote: () => {} });
    for (const piece of ["one ", "two ", "three"]) {
      sink.write(Buffer.from(piece));
      while (!fs.readFileSync(target, "utf8").endsWith(piece)) await pause(20);
    }
    sink.destroy();
    await file.close();
    expect(fs.readFileSync(target, "utf8")).toBe("one two three");
  });

  test("continues after a partial write", async () => {
    const target = newPath();
    const file = await open(target, "wx");
    const writev = file.writev.bind(file);
    file.writev = async (chunks, position) => {
      const [first] = chunks as unknown as Buffer[];
      const { bytesWritten } = await writev([first!.subarray(0, 1_000)], position!);
      return { bytesWritten, buffers: chunks };
    };
    const bytes = randomBytes(10_500);
    const sink = fileSink(file, 0, { admit: () => {}, wrote: () => {} });
    await pump(Readable.from(piecesOf(bytes, 4_000)), sink);
    await file.close();
    expect(fs.readFileSync(target).equals(bytes)).toBe(true);
  });

  test("reports only the bytes that were written before the disk failed", async () => {
    for (const good of [0, 1, 2]) {
      const target = newPath();
      const file = await open(target, "wx");
      const writev = file.writev.bind(file);
      let writes = 0;
      file.writev = async (chunks, position) => {
        writes += 1;
        if (writes > good) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        return writev(chunks, position!);
      };
      let written = 0;
      const sink = fileSink(file, 0, {
        admit: () => {},
        wrote: (bytes) => {
          written += bytes.length;
        },
      });
      const sent = pump(Readable.from(piecesOf(randomBytes(6 * MIB), 65_536)), sink);
      await expect(sent).rejects.toMatchObject({ code: "ENOSPC" });
      await file.close();
      expect(written).toBe(fs.statSync(target).size);
    }
  });

  test("writes the received data and then fails if the client disconnects", async () => {
    const target = newPath();
    const file = await open(target, "wx");
    const source = new Readable({ read() {} });
    let written = 0;
    const sink = fileSink(file, 0, {
      admit: () => {},
      wrote: (bytes) => {
        written += bytes.length;
      },
    });
    const sent = pump(source, sink);
    source.push(randomBytes(MIB + 10));
    while (source.readableLength > 0) await pause(1);
    source.destroy();
    await expect(sent).rejects.toThrow("ended before it was complete");
    await file.close();
    expect(written).toBe(MIB + 10);
    expect(fs.statSync(target).size).toBe(written);
  });

  test("never writes rejected data", async () => {
    const target = newPath();
    const file = await open(target, "wx");
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
