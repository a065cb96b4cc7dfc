import sharp, { type SharpInput } from "sharp";

/** Four quarters of red, green and blue. */
const BYTES = 12;

/**
 * The average colours of a picture's four quarters, 24 hexadecimal digits: left and right above,
 * left and right below. Undefined for what cannot be read as a picture.
 */
export async function posterColors(picture: SharpInput): Promise<string | undefined> {
  try {
    const pixels = await sharp(picture)
      .flatten({ background: "#000" })
      .resize(2, 2, { fit: "fill", kernel: "linear" })
      .toColourspace("srgb")
      .raw()
      .toBuffer();
    return pixels.length === BYTES ? pixels.toString("hex") : undefined;
  } catch {
    return undefined;
  }
}
