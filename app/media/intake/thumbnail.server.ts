import { removeTemporary, temporaryPath } from "../files/temporary-files.server";
import {
  PictureError,
  type PictureFailure,
  processPicture,
} from "../pictures/picture-process.server";
import { notAnImage } from "./sniff.server";
import { diskFull, UploadError } from "./upload-error.server";

export interface EncodedThumbnail {
  /** In `uploads/tmp`. */
  file: string;
  colors: string | undefined;
}

/**
 * Re-encodes a picture as WebP: upright, at most 1280 pixels wide, first frame only, without EXIF
 * (which may hold the location it was taken at) or anything else that is not pixels.
 *
 * @throws {UploadError} 415 when it cannot be read as a picture, 422 when it is too large to be
 *   read, 503 when what reads it was killed, 507 when the disk is full.
 */
export async function encodeThumbnail(file: string): Promise<EncodedThumbnail> {
  const target = await temporaryPath();
  try {
    const { colors } = await processPicture({ kind: "thumbnail", file, target });
    return { file: target, colors };
  } catch (error) {
    await removeTemporary(target);
    throw error instanceof PictureError ? toUploadError(error.failure) : error;
  }
}

function toUploadError(failure: PictureFailure): UploadError {
  switch (failure) {
    case "disk full":
      return diskFull();
    case "unreadable":
      return notAnImage();
    case "too many pixels":
      return pictureError(
        "The thumbnail has more than 40 megapixels. Please choose a smaller picture.",
      );
    case "interrupted":
      return new UploadError(
        503,
        "The thumbnail could not be read just now. Please try again in a moment.",
        "thumbnail",
      );
    case "too slow":
    case "crashed":
      return pictureError("The thumbnail takes too long to read. Please choose a smaller picture.");
  }
}

function pictureError(message: string): UploadError {
  return new UploadError(422, message, "thumbnail");
}
