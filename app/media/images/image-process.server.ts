import sharp from "sharp";
import type { ImageFailure, ImageResult, ImageTask } from "./process-image.server";

/**
 * The entry point of the image process. It decodes and encodes images one at a time, responds to its parent over the
 * IPC channel, and exits when its parent exits.
 */

/**
 * The maximum number of pixels. A 10 MB file can decode to gigabytes of pixels. The largest photos from cameras have 40
 * megapixels.
 */
const MAX_INPUT_PIXELS = 40_000_000;
const MAX_WIDTH_PIXELS = 1280;
const QUALITY = 80;
const SPRITE_QUALITY = 60;
/** The average red, green and blue values of each of the image's four quarters. */
const COLOR_BYTES = 12;

sharp.cache(false);
sharp.concurrency(1);

const open = (file: string) =>
  sharp(file, { limitInputPixels: MAX_INPUT_PIXELS, failOn: "error", sequentialRead: true });

/** Returns the average colors of the quarters: top left, top right, bottom left, bottom right. */
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
 * Returns a score for how well an image works as a poster. Good posters are sharp, neither too dark nor too bright, and
 * have contrast and detail. Black, white and single-color images score close to 0.
 */
async function posterScore(file: string): Promise<number> {
  // Apply the preceding steps first, because stats() always measures the original input.
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

async function perform(task: ImageTask): Promise<ImageResult> {
  switch (task.kind) {
    case "thumbnail":
      // Rotate the image upright, and keep only its first frame, without EXIF or other metadata.
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

function failureOf(error: unknown): ImageFailure {
  const message = String(error);
  if (/exceeds pixel limit/i.test(message)) return "too many pixels";
  if (/No space left|ENOSPC/i.test(message)) return "disk full";
  return "unreadable";
}

process.on("message", (task: ImageTask) => {
  perform(task).then(
    (answer) => process.send?.({ answer }),
    (error) => process.send?.({ failure: failureOf(error), reason: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
