/** The files of a hover preview that is there in two codecs: one folder, whose first file the row names. */
export const H264_PREVIEW = "h264.mp4";
export const AV1_PREVIEW = "av1.mp4";

/** The address of the same clip in AV1; undefined where there is none. */
export function av1Preview(url: string): string | undefined {
  return url.endsWith(`/${H264_PREVIEW}`)
    ? url.slice(0, -H264_PREVIEW.length) + AV1_PREVIEW
    : undefined;
}
