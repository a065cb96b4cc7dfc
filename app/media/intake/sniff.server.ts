import { fileTypeFromBuffer } from "file-type";
import { EMPTY_FILE } from "~/shared/file-rules";
import { HEAD_BYTES } from "./received-file.server";
import { UploadError } from "./upload-error.server";

/** What the site takes, by the type that the content itself shows, and the ending it is kept with. */
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
  // Its first stream is a description of the others (Skeleton), or unknown.
  "application/ogg": "ogv",
  "video/x-flv": "flv",
  "video/x-ms-asf": "wmv",
  // By its first stream, which need not be the pictures; the probe refuses sound alone.
  "audio/x-ms-asf": "wmv",
  "application/vnd.ms-asf": "wmv",
  "application/mxf": "mxf",
  "video/3gpp": "3gp",
  "video/3gpp2": "3g2",
};
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/**
 * The ending a video is kept with, told by its first bytes and by nothing else.
 *
 * @throws {UploadError} 415 when it is not a video.
 */
export async function videoExtension(head: Buffer): Promise<string> {
  if (head.length === 0) throw new UploadError(415, EMPTY_FILE, "video");
  const type = await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES));
  const ending = type && VIDEO_EXTENSIONS[type.mime];
  if (!ending) throw notAVideo();
  return ending;
}

/**
 * Holds that the first bytes are those of a picture. SVG is none here: it is a document that can
 * hold scripts.
 *
 * @throws {UploadError} 415
 */
export async function requireImage(head: Buffer): Promise<void> {
  const type = await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES));
  if (!type || !IMAGE_TYPES.has(type.mime)) throw notAnImage();
}

function notAVideo(): UploadError {
  return new UploadError(415, "This file is not a video that the site can read.", "video");
}

export function notAnImage(): UploadError {
  return new UploadError(
    415,
    "The thumbnail must be a PNG, JPG, GIF, WebP or AVIF picture.",
    "thumbnail",
  );
}
