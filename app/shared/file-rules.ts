import * as z from "zod/mini";
import { formatBytes } from "./format-bytes";

/** The rules for a video's files that can be checked by name, type and size. The server also checks the content. */

/** The limits from the settings. */
export interface FileLimits {
  maxVideoBytes: number;
  maxThumbnailBytes: number;
}

export interface SizeRule {
  maxBytes: number;
  /** The message for files that are too large. */
  tooLarge: string;
}

export function videoSize({ maxVideoBytes }: Pick<FileLimits, "maxVideoBytes">): SizeRule {
  const tooLarge = `The video is larger than ${formatBytes(maxVideoBytes)}.`;
  return { maxBytes: maxVideoBytes, tooLarge };
}

export function thumbnailSize({
  maxThumbnailBytes,
}: Pick<FileLimits, "maxThumbnailBytes">): SizeRule {
  const tooLarge = `The thumbnail is larger than ${formatBytes(maxThumbnailBytes)}.`;
  return { maxBytes: maxThumbnailBytes, tooLarge };
}

export const EMPTY_FILE = "This file is empty.";

/** Common extensions for video files. */
export const VIDEO_NAME =
  /\.(mp4|m4v|mov|avi|mkv|webm|mpe?g|m1v|m2v|vob|ts|mts|m2ts|ogv|flv|wmv|asf|3gp|3g2|mxf)$/i;

/** Returns the schema for a file that can be uploaded as a video. */
export function videoFile(limits: Pick<FileLimits, "maxVideoBytes">) {
  const { maxBytes, tooLarge } = videoSize(limits);
  return z.object({ name: z.string(), type: z.string(), size: z.number() }).check(
    z.refine(({ name, type }) => type.startsWith("video/") || VIDEO_NAME.test(name), {
      error: "This file is not a video.",
    }),
    z.refine(({ size }) => size > 0, { error: EMPTY_FILE }),
    z.refine(({ size }) => size <= maxBytes, { error: tooLarge }),
  );
}
