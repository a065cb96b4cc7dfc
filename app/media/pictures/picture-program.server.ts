import sharp from "sharp";
import type { PictureAnswer, PictureFailure, PictureTask } from "./picture-process.server";

/**
 * The program of the picture process: decodes and encodes pictures, one at a time, and answers over
 * the channel to its parent, with which it ends.
 */

/** A 10 MB file can hold gigabytes of pixels; a camera's largest photograph has 40 million. */
const MAX_INPUT_PIXELS = 40_000_000;
const MAX_WIDTH_PIXELS = 1280;
const QUALITY = 80;
const SPRITE_QUALITY = 60;
/** Four quarters of red, green and blue. */
const COLOR_BYTES = 12;

sharp.cache(false);
sharp.concurrency(1);

const open = (file: string) =>
  sharp(file, { limitInputPixels: MAX_INPUT_PIXELS, failOn: "error", sequentialRead: true });

/** The average colours of the quarters: left and right above, left and right below. */
async function colorsOf(file: string): Promise<string | undefined> {
  const pixels = await open(file)
    .flatten({ background: "#000" })
    .resize(2, 2, { fit: "fill", kernel: "linear" })
    .toColourspace("srgb")
    .raw()
    .toBuffer();
  return pixels.length === COLOR_BYTES ? pixels.toString("hex") : undefined;
}

/**
 * How well a picture serves as a poster: sharp, neither dark nor washed out, with something to see
 * in it. A black, white or single-coloured one has next to nothing.
 */
async function posterScore(file: string): Promise<number> {
  // stats() reads its input, not at what the steps before it make of that.
  const grey = await open(file).greyscale().png().toBuffer();
  const { channels, sharpness, entropy } = await sharp(grey).stats();
  const { mean, stdev } = channels[0]!;
  const brightness = Math.max(0.02, 1 - Math.abs(mean - 118) / 118);
  const contrast = Math.min(1, stdev / 50);
  return brightness * (0.02 + contrast) * (1 + Math.min(8, sharpness) / 4) * (1 + entropy / 8);
}

async function bestOf(files: readonly string[]): Promise<string> {
  let best = { file: files[0]!, score: Number.NEGATIVE_INFINITY };
  for (const file of files) {
    const score = await posterScore(file);
    if (score > best.score) best = { file, score };
  }
  return best.file;
}

async function perform(task: PictureTask): Promise<PictureAnswer> {
  switch (task.kind) {
    case "thumbnail":
      // Upright, the first frame alone, without EXIF or anything else that is not pixels.
      await open(task.file)
        .rotate()
        .resize({ width: task.width ?? MAX_WIDTH_PIXELS, withoutEnlargement: true })
        .webp({ quality: QUALITY })
        .toFile(task.target);
      return { colors: await colorsOf(task.target).catch(() => undefined) };
    case "colors":
      return { colors: await colorsOf(task.file) };
    case "drawing": {
      const { svg, width, height, background, target } = task;
      await sharp({ create: { width, height, channels: 3, background } })
        .composite([{ input: Buffer.from(svg) }])
        .png()
        .toFile(target);
      return {};
    }
    case "poster": {
      const best = await bestOf(task.files);
      await open(best).webp({ quality: QUALITY }).toFile(task.target);
      return { colors: await colorsOf(best).catch(() => undefined) };
    }
    case "sprite": {
      const { width, height, parts, target } = task;
      await sharp({ create: { width, height, channels: 3, background: "black" } })
        .composite(parts.map(({ file, left, top }) => ({ input: file, left, top })))
        .webp({ quality: SPRITE_QUALITY })
        .toFile(target);
      return {};
    }
  }
}

function failureOf(error: unknown): PictureFailure {
  const said = String(error);
  if (/exceeds pixel limit/i.test(said)) return "too many pixels";
  if (/No space left|ENOSPC/i.test(said)) return "disk full";
  return "unreadable";
}

process.on("message", (task: PictureTask) => {
  perform(task).then(
    (answer) => process.send?.({ answer }),
    (error) => process.send?.({ failure: failureOf(error), reason: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
