import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { markFinished, openUnfinished } from "~/media/encode/stream-playlists.server";
import { removeTemporary, temporaryPath } from "~/media/files/temporary-files.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

function put(name: string): string {
  const file = path.join(site.folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, name);
  return file;
}

it("removes temporary files and folders, and skips missing ones", async () => {
  const received = await temporaryPath();
  fs.writeFileSync(received, "received");
  const work = put("work/job-1/frame.webp");
  await removeTemporary(received, undefined, path.dirname(work), received);
  expect([fs.existsSync(received), fs.existsSync(path.dirname(work))]).toEqual([false, false]);
});

it.each(["uploads/videos/u/1.mp4", "uploads/thumbnails/u/1.webp", "uploads/documents/1"])(
  "doesn't remove a file that isn't temporary: %s",
  async (name) => {
    const file = put(name);
    await expect(removeTemporary(file)).rejects.toThrow("not a temporary file");
    await expect(removeTemporary(path.dirname(file))).rejects.toThrow("not a temporary file");
    expect(fs.existsSync(file)).toBe(true);
  },
);

it.each(["uploads", "."])("doesn't remove a folder that contains the uploads: %s", async (name) => {
  const file = put("uploads/videos/u/1.mp4");
  await expect(removeTemporary(path.join(site.folder, name))).rejects.toThrow("not a temporary");
  expect(fs.existsSync(file)).toBe(true);
});

it("allows a stream's files to be removed only while the stream is being encoded", async () => {
  const watch = { parent: path.join(site.uploads, "videos/u/1"), watchableSeconds: 0 };
  const folder = await openUnfinished({ ...watch, publish: async () => {} }, "hls-1");
  fs.writeFileSync(path.join(folder, "a.mp4"), "");
  fs.writeFileSync(path.join(folder, "b.mp4"), "");
  await removeTemporary(path.join(folder, "a.mp4"));
  await markFinished(folder);
  await expect(removeTemporary(path.join(folder, "b.mp4"))).rejects.toThrow("not a temporary");
  expect(fs.readdirSync(folder)).toEqual(["b.mp4"]);
});
