import {
  PictureError,
  type PictureFailure,
  processPicture,
} from "../pictures/picture-process.server";
import { arrivingPath, discardArrived } from "./received-file.server";
import { notAnImage } from "./sniff.server";
import { noRoom, UploadRefused } from "./upload-error.server";

export interface EncodedThumbnail {
  /** In `uploads/tmp`. */
  file: string;
  colors: string | undefined;
}

/**
 * Re-encodes a picture as WebP: upright, at most 1280 pixels wide, first frame only, without EXIF
 * (which may hold the place it was taken) or anything else that is not pixels.
 *
 * @throws {UploadRefused} 415 when it cannot be read as a picture, 422 when it is too large to be
 *   read, 507 when the disk is full.
 */
export async function encodeThumbnail(file: string): Promise<EncodedThumbnail> {
  const target = await arrivingPath();
  try {
    const { colors } = await processPicture({ kind: "thumbnail", file, target });
    return { file: target, colors };
  } catch (error) {
    await discardArrived({ path: target, name: "", bytes: 0, sha256: "" });
    throw error instanceof PictureError ? refusalOf(error.failure) : error;
  }
}

function refusalOf(failure: PictureFailure): UploadRefused {
  switch (failure) {
    case "disk full":
      return noRoom();
    case "unreadable":
      return notAnImage();
    case "too many pixels":
      return refused("The thumbnail has more than 40 megapixels. Please choose a smaller picture.");
    case "too slow":
    case "killed":
      return refused("The thumbnail takes too long to read. Please choose a smaller picture.");
  }
}

function refused(sentence: string): UploadRefused {
  return new UploadRefused(422, sentence, "thumbnail");
}
