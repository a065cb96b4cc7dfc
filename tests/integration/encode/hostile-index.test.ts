import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planFolder } from "~/features/upload/import/folder.server";
import { importVideos } from "~/features/upload/import/import.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { sqliteHandle } from "~db/client.server";
import { workUntilIdle } from "../../encode-library";
import { measureImpact } from "../../event-loop";
import { makeClip } from "../../media-clips";
import { insertUser } from "../../sign-in-requests";
import { useTemporarySite } from "../../temporary-site";
import { fileBlob, uploadRequest } from "../../upload-requests";

/**
 * The custom parser that the site once had would exceed these limits. It blocked the thread for four seconds per
 * million boxes, and used a gigabyte of memory.
 */
const MAX_BLOCKED_MS = 1_000;
const MAX_GROWN_BYTES = 700 * 1024 ** 2;

let site: ReturnType<typeof useTemporarySite>;
let userId: string;
beforeEach(() => {
  site = useTemporarySite();
  userId = insertUser().id;
});
afterEach(() => site.remove());

/** Returns the offset and length of a box in a file. */
function find(bytes: Buffer, type: string) {
  const start = bytes.indexOf(type, 0, "latin1") - 4;
  return { start, size: bytes.readUInt32BE(start) };
}

/** Creates a clip that has its index at the end and additional content in one of its boxes. */
function hostile(name: string, inside: readonly string[], more: (file: Buffer) => Buffer): string {
  const bytes = fs.readFileSync(makeClip(site.folder, `${name}-clip`, { seconds: 1 }));
  const added = more(bytes);
  const last = find(bytes, inside.at(-1)!);
  for (const type of inside) {
    const { start, size } = find(bytes, type);
    bytes.writeUInt32BE(size + added.length, start);
  }
  const end = last.start + last.size;
  const file = path.join(site.folder, `${name}.mp4`);
  fs.writeFileSync(file, Buffer.concat([bytes.subarray(0, end), added, bytes.subarray(end)]));
  return file;
}

const BOX = Buffer.from("\0\0\0\x08free", "latin1");
const boxes = (count: number) => () => Buffer.alloc(count * BOX.length, BOX);
const tracks = (count: number) => (file: Buffer) => {
  const { start, size } = find(file, "trak");
  return Buffer.alloc(count * size, file.subarray(start, start + size));
};

const FILES: [string, readonly string[], (file: Buffer) => Buffer][] = [
  ["500,000 boxes in moov", ["moov"], boxes(500_000)],
  ["200,000 boxes in stbl", ["moov", "trak", "mdia", "minf", "stbl"], boxes(200_000)],
  ["100,000 tracks", ["moov"], tracks(100_000)],
];

describe.runIf(ffmpegAvailable())("an MP4 with a hostile index", () => {
  it.each(FILES)(
    "doesn't block the server when it is uploaded (%s)",
    async (name, inside, more) => {
      const file = hostile("sent", inside, more);
      const request = uploadRequest(fileBlob(file, "video/mp4"));
      const measured = await measureImpact(async () => {
        const outcome = await receiveUpload(request, userId);
        if (name === "100,000 tracks") expect(outcome).toMatchObject({ ok: false, status: 422 });
        sqliteHandle().exec("UPDATE jobs SET state = 'done' WHERE kind <> 'transcode'");
        await workUntilIdle();
      });
      expect(measured.longestBlockMs).toBeLessThan(MAX_BLOCKED_MS);
      expect(measured.memoryGrowthBytes).toBeLessThan(MAX_GROWN_BYTES);
      const states = sqliteHandle().prepare("SELECT state FROM jobs").pluck().all();
      for (const state of states) expect(["done", "failed", "waiting"]).toContain(state);
    },
    120_000,
  );

  it.each(FILES)(
    "doesn't block the server when it is imported (%s)",
    async (_, inside, more) => {
      const folder = path.join(site.folder, "to-import");
      fs.mkdirSync(folder);
      fs.renameSync(hostile("imported", inside, more), path.join(folder, "imported.mp4"));
      const plan = await planFolder(folder, { category: "english", status: "published" });
      const measured = await measureImpact(() => importVideos(plan, { userId, mode: "copy" }));
      expect(measured.longestBlockMs).toBeLessThan(MAX_BLOCKED_MS);
      expect(measured.memoryGrowthBytes).toBeLessThan(MAX_GROWN_BYTES);
    },
    120_000,
  );
});
