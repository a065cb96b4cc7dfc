import sharp from "sharp";
import { arrivingPath, discardArrived } from "./arriving.server";
import { posterColors } from "./poster-colors.server";
import { notAnImage } from "./sniff.server";
import { asRefusal } from "./upload-refused.server";

const MAX_WIDTH_PIXELS = 1280;
/** A small file can hold a picture of gigabytes; this is a 100-megapixel photograph. */
const MAX_INPUT_PIXELS = 100_000_000;
const DECODE_TIMEOUT_SECONDS = 20;
const QUALITY = 80;

export interface EncodedThumbnail {
  /** In `uploads/tmp`. */
  file: string;
  colors: string | undefined;
}

/**
 * Re-encodes a picture as WebP: upright, at most 1280 pixels wide, first frame only, without EXIF
 * (which may hold the place it was taken) or anything else that is not pixels.
 *
 * @throws {UploadRefused} 415 when it cannot be read as a picture, 507 when the disk is full.
 */
export async function encodeThumbnail(file: string): Promise<EncodedThumbnail> {
  const target = await arrivingPath();
  try {
    await sharp(file, { limitInputPixels: MAX_INPUT_PIXELS, failOn: "error" })
      .timeout({ seconds: DECODE_TIMEOUT_SECONDS })
      .rotate()
      .resize({ width: MAX_WIDTH_PIXELS, withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .toFile(target);
    return { file: target, colors: await posterColors(target) };
  } catch (error) {
    await discardArrived({ path: target, name: "", bytes: 0, sha256: "" });
    if (/No space left|ENOSPC/i.test(String(error))) {
      throw asRefusal(Object.assign(new Error(String(error)), { code: "ENOSPC" }));
    }
    throw notAnImage();
  }
}
