import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { imageProcess, processImage } from "~/media/images/process-image.server";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { measureImpact } from "../../event-loop";
import { until } from "../../process-figures";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

async function createImage(name: string, side: number): Promise<string> {
  const file = path.join(site.folder, name);
  await sharp({
    create: { width: side, height: side, channels: 3, background: "teal" },
    limitInputPixels: false,
  })
    .png({ progressive: true })
    .toFile(file);
  return file;
}
const errorOf = (file: string) =>
  encodeThumbnail(file).then(
    () => undefined,
    (error: UploadError) => error,
  );

describe("images that are expensive to decode", () => {
  it("are rejected immediately with a message if they have 100 megapixels, without blocking file reads", async () => {
    const file = await createImage("huge.png", 9_990);
    expect(fs.statSync(file).size).toBeLessThan(10 * 1024 ** 2);
    const reads: number[] = [];
    const started = performance.now();
    const measured = await measureImpact(async () => {
      const errors = Promise.all([1, 2, 3, 4].map(() => errorOf(file)));
      let over = false;
      errors.finally(() => {
        over = true;
      });
      while (!over) {
        const begun = performance.now();
        // This read uses libuv's threads, as reads of media files do.
        await fs.promises.readFile(file);
        reads.push(performance.now() - begun);
      }
      for (const error of await errors) {
        expect(error).toBeInstanceOf(UploadError);
        expect(error).toMatchObject({ status: 422, field: "thumbnail" });
        expect(error?.message).toContain("more than 40 megapixels");
      }
    });
    // Everything takes longer on a busy machine. If images were decoded in this process, a read would take as long as
    // the decoding.
    const maxMs = Math.max(1_000, (performance.now() - started) / 2);
    expect(Math.max(...reads)).toBeLessThan(maxMs);
    expect(measured.longestBlockMs).toBeLessThan(maxMs);
    expect(measured.memoryGrowthBytes).toBeLessThan(300 * 1024 ** 2);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("are turned into thumbnails in another process if they have up to 40 megapixels", async () => {
    const file = await createImage("large.png", 6_300);
    const measured = await measureImpact(async () => {
      const { file: thumbnail } = await encodeThumbnail(file);
      expect(await sharp(thumbnail).metadata()).toMatchObject({ format: "webp", width: 1280 });
    });
    expect(measured.memoryGrowthBytes).toBeLessThan(300 * 1024 ** 2);
  });

  it("are decoded one at a time, by the same process", async () => {
    const file = await createImage("small.png", 200);
    await Promise.all([1, 2, 3].map(() => encodeThumbnail(file)));
    const first = imageProcess()?.pid;
    await Promise.all([1, 2, 3].map(() => encodeThumbnail(file)));
    expect(imageProcess()?.pid).toBe(first);
  });

  it("are rejected with a message after 10 seconds, and the next one is processed", async () => {
    const file = await createImage("small.png", 200);
    await encodeThumbnail(file);
    const child = imageProcess()!;
    child.kill("SIGSTOP");
    const error = await errorOf(file);
    expect(error).toMatchObject({ status: 422, field: "thumbnail" });
    expect(error?.message).toContain("took too long");
    await until(() => child.exitCode !== null || child.signalCode !== null);
    expect(await errorOf(file)).toBeUndefined();
  }, 60_000);

  it("are decoded by a new process while the idle one is being killed", async () => {
    const file = await createImage("small.png", 200);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await processImage({ kind: "colors", file });
      const idle = imageProcess();
      vi.advanceTimersByTime(10_000);
      // The process was killed, but hasn't exited yet.
      expect([idle?.killed, idle?.connected]).toEqual([true, true]);
      expect((await processImage({ kind: "colors", file })).colors).toMatch(/^[0-9a-f]{24}$/);
      expect(imageProcess()).not.toBe(idle);
    } finally {
      vi.useRealTimers();
    }
  });

  it("are rejected if they crash the process, but may be retried if the process was killed", async () => {
    const file = await createImage("small.png", 200);
    for (const [signal, status, message] of [
      ["SIGABRT", 422, "Choose a smaller image"],
      ["SIGKILL", 503, "Try again in a moment"],
    ] as const) {
      await encodeThumbnail(file);
      const child = imageProcess()!;
      child.kill("SIGSTOP");
      const send = vi.spyOn(child, "send");
      const error = errorOf(file);
      // If the process exits before it has received the image, the image may be retried in either case.
      await until(() => send.mock.calls.length > 0);
      child.kill(signal);
      child.kill("SIGCONT");
      expect(await error).toMatchObject({
        status,
        field: "thumbnail",
        message: expect.stringContaining(message),
      });
    }
    expect(await errorOf(file)).toBeUndefined();
  });
});
