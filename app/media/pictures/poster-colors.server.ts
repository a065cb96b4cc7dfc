import { PictureError, processPicture } from "./picture-process.server";

/**
 * The average colours of a picture's four quarters, 24 hexadecimal digits: left and right above,
 * left and right below. Undefined for what cannot be read as a picture.
 */
export async function posterColors(file: string): Promise<string | undefined> {
  try {
    return (await processPicture({ kind: "colors", file })).colors;
  } catch (error) {
    if (error instanceof PictureError) return undefined;
    throw error;
  }
}
