import { fileTypeFromBuffer } from "file-type";
import { EMPTY_FILE } from "~/shared/file-rules";
import { HEAD_BYTES } from "./received-file.server";
import { UploadError } from "./upload-error.server";

/** The accepted types, which are detected from the content, and the extension for each. */
const VIDEO_EXTENSIONS: Record<string, string> = {
  "video/mp4": "mp4",
  "video/x-m4v": "m4v",
  "video/quicktime": "mov",
  "video/vnd.avi": "avi",
  "video/matroska": "mkv",
  "video/x-matroska": "mkv",
  "video/matroska-3d": "mkv",
  "video/webm": "webm",
  "video/mpeg": "mpg",
  "video/MP1S": "mpg",
  "video/MP2P": "mpg",
  "video/mp2t": "ts",
  "video/ogg": "ogv",
  // An Ogg file has this type if its first stream is either unknown or a Skeleton stream, which describes the others.
  "application/ogg": "ogv",
  "video/x-flv": "flv",
  "video/x-ms-asf": "wmv",
  // These types are detected from the first stream, which may be audio. The probe rejects files without video.
  "audio/x-ms-asf": "wmv",
  "application/vnd.ms-asf": "wmv",
  "application/mxf": "mxf",
  "video/3gpp": "3gp",
  "video/3gpp2": "3g2",
};
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/**
 * Returns the extension for a video, based only on its first bytes.
 *
 * @throws {UploadError} 415 if it isn't a video.
 */
export async function videoExtension(head: Buffer): Promise<string> {
  if (head.length === 0) throw new UploadError(415, EMPTY_FILE, "video");
  const type = await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES));
  const extension = type && VIDEO_EXTENSIONS[type.mime];
  if (!extension) throw notAVideo();
  return extension;
}

/**
 * Ensures that the first bytes are those of an image. SVG isn't accepted, because it can contain scripts.
 *
 * @throws {UploadError} 415
 */
export async function requireImage(head: Buffer): Promise<void> {
  const type = await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES));
  if (!type || !IMAGE_TYPES.has(type.mime)) throw notAnImage();
}

function notAVideo(): UploadError {
  return new UploadError(415, "This file isn’t a supported video.", "video");
}

export function notAnImage(): UploadError {
  return new UploadError(
    415,
    "The thumbnail must be a PNG, JPG, GIF, WebP or AVIF image.",
    "thumbnail",
  );
}
