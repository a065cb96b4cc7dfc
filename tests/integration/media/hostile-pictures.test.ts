import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeThumbnail } from "~/media/intake/thumbnail.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { pictureProcess, processPicture } from "~/media/pictures/picture-process.server";
import { measureHeld } from "../../event-loop";
import { until } from "../../process-figures";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

async function picture(name: string, side: number): Promise<string> {
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

describe("pictures that cost more than they are worth", () => {
  it("of 100 megapixels are refused at once with a sentence, four of them too, and files are read meanwhile", async () => {
    const file = await picture("huge.png", 9_990);
    expect(fs.statSync(file).size).toBeLessThan(10 * 1024 ** 2);
    const reads: number[] = [];
    const started = performance.now();
    const held = await measureHeld(async () => {
      const errors = Promise.all([1, 2, 3, 4].map(() => errorOf(file)));
      let over = false;
      errors.finally(() => {
        over = true;
      });
      while (!over) {
        const begun = performance.now();
        // By libuv's threads, as media are read.
        await fs.promises.readFile(file);
        reads.push(performance.now() - begun);
      }
      for (const error of await errors) {
        expect(error).toBeInstanceOf(UploadError);
        expect(error).toMatchObject({ status: 422, field: "thumbnail" });
        expect(error?.message).toContain("more than 40 megapixels");
      }
    });
    // On a busy machine all of it takes longer; decoded in here, one read would take as long as all.
    const mostMs = Math.max(1_000, (performance.now() - started) / 2);
    expect(Math.max(...reads)).toBeLessThan(mostMs);
    expect(held.longestMs).toBeLessThan(mostMs);
    expect(held.grownBytes).toBeLessThan(300 * 1024 ** 2);
    expect(fs.readdirSync(path.join(site.uploads, "tmp"))).toEqual([]);
  });

  it("of 40 megapixels become thumbnails, outside of this process", async () => {
    const file = await picture("large.png", 6_300);
    const held = await measureHeld(async () => {
      const { file: thumbnail } = await encodeThumbnail(file);
      expect(await sharp(thumbnail).metadata()).toMatchObject({ format: "webp", width: 1280 });
    });
    expect(held.grownBytes).toBeLessThan(300 * 1024 ** 2);
  });

  it("are decoded one at a time", async () => {
    const file = await picture("small.png", 200);
    await Promise.all([1, 2, 3].map(() => encodeThumbnail(file)));
    const first = pictureProcess()?.pid;
    await Promise.all([1, 2, 3].map(() => encodeThumbnail(file)));
    expect(pictureProcess()?.pid).toBe(first);
  });

  it("that take more than 10 seconds are given up with a sentence, and the next is taken", async () => {
    const file = await picture("small.png", 200);
    await encodeThumbnail(file);
    const child = pictureProcess()!;
    child.kill("SIGSTOP");
    const error = await errorOf(file);
    expect(error).toMatchObject({ status: 422, field: "thumbnail" });
    expect(error?.message).toContain("takes too long");
    await until(() => child.exitCode !== null || child.signalCode !== null);
    expect(await errorOf(file)).toBeUndefined();
  }, 60_000);

  it("that come while the idle decoder is being ended get a new one", async () => {
    const file = await picture("small.png", 200);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await processPicture({ kind: "colors", file });
      const idle = pictureProcess();
      vi.advanceTimersByTime(10_000);
      // It was told to end, and is not gone yet.
      expect([idle?.killed, idle?.connected]).toEqual([true, true]);
      expect((await processPicture({ kind: "colors", file })).colors).toMatch(/^[0-9a-f]{24}$/);
      expect(pictureProcess()).not.toBe(idle);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that end the decoder are refused, those during which it is killed may come again", async () => {
    const file = await picture("small.png", 200);
    for (const [signal, status, message] of [
      ["SIGABRT", 422, "choose a smaller picture"],
      ["SIGKILL", 503, "try again in a moment"],
    ] as const) {
      await encodeThumbnail(file);
      const child = pictureProcess()!;
      child.kill("SIGSTOP");
      const send = vi.spyOn(child, "send");
      const error = errorOf(file);
      // Gone before it had the picture, it may come again in either case.
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
