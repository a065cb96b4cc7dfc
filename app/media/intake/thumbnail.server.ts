import { removeTemporary, temporaryPath } from "../files/temporary-files.server";
import { ImageError, type ImageFailure, processImage } from "../images/process-image.server";
import { notAnImage } from "./sniff.server";
import { diskFull, UploadError } from "./upload-error.server";

export interface EncodedThumbnail {
  /** A path in `uploads/tmp`. */
  file: string;
  colors: string | undefined;
}

/**
 * Re-encodes an image as WebP: upright, at most 1280 pixels wide, first frame only, without EXIF (which may contain
 * the location) and other metadata.
 *
 * @throws {UploadError} 415 if it can't be read as an image, 422 if it is too large, 503 if the image process was
 *   killed, 507 if the disk is full.
 */
export async function encodeThumbnail(file: string): Promise<EncodedThumbnail> {
  const target = await temporaryPath();
  try {
    const { colors } = await processImage({ kind: "thumbnail", file, target });
    return { file: target, colors };
  } catch (error) {
    await removeTemporary(target);
    throw error instanceof ImageError ? toUploadError(error.failure) : error;
  }
}

function toUploadError(failure: ImageFailure): UploadError {
  switch (failure) {
    case "disk full":
      return diskFull();
    case "unreadable":
      return notAnImage();
    case "too many pixels":
      return imageError("The thumbnail has more than 40 megapixels. Choose a smaller image.");
    case "interrupted":
      return new UploadError(
        503,
        "The thumbnail couldn’t be processed. Try again in a moment.",
        "thumbnail",
      );
    case "too slow":
    case "crashed":
      return imageError("The thumbnail took too long to process. Choose a smaller image.");
  }
}

function imageError(message: string): UploadError {
  return new UploadError(422, message, "thumbnail");
}
