import { formatBytes } from "~/shared/format-bytes";
import type { UploadLimits } from "./upload-fields";

/** The hints of the form, with the sizes that the settings allow. */

export function videoHint({ maxVideoBytes }: UploadLimits): string {
  return `MP4, MOV, AVI up to ${formatBytes(maxVideoBytes)}`;
}

export function thumbnailHint({ maxThumbnailBytes }: UploadLimits): string {
  return `PNG, JPG, GIF up to ${formatBytes(maxThumbnailBytes)}`;
}
