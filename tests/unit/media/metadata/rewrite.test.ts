import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Bytes, planFor } from "~/media/metadata/mp4-metadata";
import { rewrite } from "~/media/metadata/rewrite.server";

const SECRET = "+52.5200+013.4050/";
const MEDIA = Buffer.from("what is seen and heard");

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "metadata-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

const bytesOf = (buffer: Buffer): Bytes => ({
  size: buffer.length,
  read: (at, length) => buffer.subarray(at, at + length),
});

/** Rewrites a file to remove its metadata, and returns the result and the file's new content. */
function rewritten(bytes: Buffer) {
  const file = path.join(folder, "file");
  fs.writeFileSync(file, bytes);
  return { result: rewrite({ file }), after: fs.readFileSync(file) };
}

function box(type: string, ...contents: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(contents.map((each) => Buffer.from(each as string, "latin1")));
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, body]);
}
const zeros = (length: number) => Buffer.alloc(length);
const DATE = Buffer.from([0xe3, 1, 2, 3]);
const times = Buffer.concat([zeros(4), DATE, DATE, zeros(88)]);
const handler = (type: string, name: string) =>
  box("hdlr", zeros(8), type, zeros(12), name, zeros(1));
const entry = box(
  "avc1",
  zeros(12),
  "GoPr",
  zeros(26),
  "GoPro AVC encoder".padEnd(32, "\0"),
  zeros(4),
);
const track = (type: string, ...more: Buffer[]) =>
  box(
    "trak",
    box("tkhd", times),
    box(
      "mdia",
      box("mdhd", times),
      handler(type, "Ada's phone"),
      box(
        "minf",
        box(
          "dinf",
          box(
            "dref",
            zeros(4),
            Buffer.from([0, 0, 0, 1]),
            box("url ", Buffer.from([0, 0, 0, 1]), "/home/ada"),
          ),
        ),
        box("stbl", box("stsd", zeros(4), Buffer.from([0, 0, 0, 1]), entry)),
      ),
    ),
    ...more,
  );
const mp4 = (...parts: Buffer[]) =>
  Buffer.concat([box("ftyp", "isom", zeros(4)), ...parts, box("mdat", MEDIA)]);
const full = mp4(
  box(
    "moov",
    box("mvhd", times),
    track("vide", box("udta", box("name", "My bedroom"))),
    box("udta", box("\xa9xyz", SECRET)),
    box("meta", zeros(4), "com.apple", SECRET),
    box("uuid", zeros(16), SECRET),
    box("XYZW", SECRET),
  ),
  box("meta", "<NonRealTimeMeta serial>"),
  box("free", `left over ${SECRET}`),
);

/** The signature of Matroska and WebM files. */
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

const PRIVATE = /Ada|ada|bedroom|52\.5|GoPr|serial|\xe3\x01\x02\x03/;

describe("the metadata of an MP4", () => {
  const bytes = full;

  it("is overwritten in place without changing anything else", () => {
    expect(bytes.toString("latin1")).toMatch(PRIVATE);
    const { result, after } = rewritten(bytes);
    expect(result).toEqual({ done: "rewritten" });
    expect(after.toString("latin1")).not.toMatch(PRIVATE);
    expect(after.length).toBe(bytes.length);
    expect(after.indexOf(MEDIA)).toBe(bytes.indexOf(MEDIA));
    expect(rewritten(after).result).toEqual({ done: "nothing" });
  });

  it("is removed completely by a second attempt, no matter when the first one was interrupted", () => {
    const expected = rewritten(bytes).after;
    const plan = planFor(bytesOf(bytes));
    if (!plan) throw new Error("The file can't be rewritten.");
    for (let done = 0; done <= plan.edits.length; done += 1) {
      const killed = Buffer.from(bytes);
      for (const { at, bytes: written } of plan.edits.slice(0, done)) written.copy(killed, at);
      const again = rewritten(killed);
      expect([done, again.result, again.after.toString("latin1")]).toEqual([
        done,
        expect.anything(),
        expected.toString("latin1"),
      ]);
    }
  });

  it("is restored if the disk fails during the rewrite", () => {
    const sync = vi.spyOn(fs, "fdatasyncSync").mockImplementationOnce(() => {
      throw new Error("EIO");
    });
    const { result, after } = rewritten(bytes);
    sync.mockRestore();
    expect(result).toEqual({ failed: "Error: EIO" });
    expect(after.equals(bytes)).toBe(true);
  });

  it("isn't overwritten in a file that has several hard links", () => {
    const file = path.join(folder, "shared");
    fs.writeFileSync(file, bytes);
    const task = { file, isShared: true };
    expect(rewrite(task)).toMatchObject({ done: "copy" });
    expect(fs.readFileSync(file).equals(bytes)).toBe(true);
  });
});

const long = (type: string, size: bigint) => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(1);
  bytes.write(type, 4, "latin1");
  bytes.writeBigUInt64BE(size, 8);
  return bytes;
};
it("keeps a track's role (such as forced captions), but removes other text from boxes of the same type", () => {
  const kind = (text: string) => box("kind", zeros(4), text);
  const role = kind("urn:mpeg:dash:role:2011\0forced-subtitle\0");
  const others = [kind("Ada's phone\0x\0"), kind("urn:mpeg:dash:role:2011\0Ada's phone\0")];
  const file = mp4(box("moov", track("vide", box("udta", role, ...others))));
  const { result, after } = rewritten(file);
  expect(result).toEqual({ done: "rewritten" });
  expect(after.includes(role)).toBe(true);
  expect(after.toString("latin1")).not.toMatch(PRIVATE);
});

/** Creates a file in whose index the media data starts at an offset within a box of the given type. */
function pointingInto(type: "mdat" | "free", offsets: "stco" | "co64"): Buffer {
  const index = (offset: number) => {
    const table = Buffer.alloc(offsets === "stco" ? 12 : 16);
    table.writeUInt32BE(1, 4);
    table.writeUInt32BE(offset, table.length - 4);
    const tables = box("stbl", box("stsd", zeros(8)), box(offsets, table));
    const media = box("mdia", box("mdhd", times), handler("vide", ""), box("minf", tables));
    return box("moov", box("mvhd", times), box("trak", box("tkhd", times), media));
  };
  const video = (offset: number) => mp4(index(offset), box("free", MEDIA));
  return video(video(0).indexOf(type, 0, "latin1") + 4);
}
it.each(["stco", "co64"] as const)("clears unreferenced data (%s)", (offsets) => {
  expect(rewritten(pointingInto("mdat", offsets)).result).toEqual({ done: "rewritten" });
});

it.each<[string, Buffer]>([
  ["with a track of places", mp4(box("moov", track("vide"), track("meta")))],
  ["with a track of chapters", mp4(box("moov", track("vide"), track("text")))],
  ["with the time of day in a track", mp4(box("moov", track("vide"), track("tmcd")))],
  ["with fragments", mp4(box("moov", track("vide")), box("moof"))],
  ["with a compressed index", mp4(box("moov", box("cmov", SECRET)))],
  [
    "with a box that is longer than its parent",
    mp4(box("moov", Buffer.from([0, 0, 1, 0]), "udta")),
  ],
  [
    "with a box that is shorter than its header",
    mp4(box("moov", Buffer.from([0, 0, 0, 4]), "udta")),
  ],
  ["with a length of 64 bits that is no length", mp4(long("moov", 1n << 62n))],
  ["with a length of 64 bits that is too short", mp4(box("moov", long("udta", 3n)))],
  ["whose index points into a box that is cleared", pointingInto("free", "stco")],
  ["whose index points there with 64 bits", pointingInto("free", "co64")],
  ["whose index is cut off", mp4(box("moov", track("vide"))).subarray(0, 60)],
  ["with something behind its last box", Buffer.concat([full, Buffer.from("SEFH and more")])],
  ["with a header that is too short", mp4(box("moov", box("mvhd", zeros(5))))],
  [
    "with more metadata than can be edited",
    mp4(box("moov", track("vide")), box("free", zeros(65 * 1024 ** 2))),
  ],
  ["with too many boxes", mp4(...Array.from({ length: 20_001 }, () => box("free")))],
  ["in Matroska", Buffer.concat([EBML, Buffer.from(SECRET)])],
  ["of an unknown type", Buffer.from("RIFF....AVI LIST")],
  ["that is empty", zeros(0)],
])("leaves a file unchanged and reports that the file must be copied: %s", (_, bytes) => {
  const { result, after } = rewritten(bytes);
  expect(result).toMatchObject({ done: "copy" });
  expect(after.equals(bytes)).toBe(true);
});

it("removes the metadata of a truncated video", () => {
  const cut = full.subarray(0, full.length - 5);
  expect(rewritten(cut).result).toEqual({ done: "rewritten" });
});

describe("rewriting arbitrary bytes", () => {
  const videos = [full, mp4(box("moov", track("vide"), track("soun")))];
  const damaged = fc
    .tuple(
      fc.constantFrom(...videos),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
      fc.option(fc.nat(), { nil: undefined }),
    )
    .map(([video, bytes, end]) => {
      const copy = Buffer.from(end === undefined ? video : video.subarray(0, end % video.length));
      for (const [at, byte] of bytes) if (copy.length > 0) copy[at % copy.length] = byte;
      return copy;
    });

  it("terminates, and never plans edits outside the file or inside the media data", () => {
    fc.assert(
      fc.property(
        fc.oneof(damaged, fc.uint8Array({ maxLength: 200 }).map(Buffer.from)),
        (bytes) => {
          const plan = planFor(bytesOf(bytes));
          if (!plan) return;
          for (const { at, bytes: written } of plan.edits) {
            expect(at >= 0 && at + written.length <= bytes.length).toBe(true);
            for (const { from, to } of plan.media)
              expect(at >= to || at + written.length <= from).toBe(true);
          }
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("either removes all metadata or leaves the file unchanged", () => {
    fc.assert(
      fc.property(damaged, (bytes) => {
        const { result, after } = rewritten(bytes);
        if (!("done" in result)) throw new Error(result.failed);
        if (result.done !== "rewritten") expect(after.equals(bytes)).toBe(true);
        else expect(rewritten(after).result).toEqual({ done: "nothing" });
      }),
      { numRuns: 500 },
    );
  });
});
