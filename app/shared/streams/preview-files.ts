/** The files of a generated hover preview in two codecs: one folder, whose first file the row names. */
export const H264_PREVIEW = "h264.mp4";
export const AV1_PREVIEW = "av1.mp4";

/** The address of the same clip in AV1; undefined where there is none. */
export function av1Preview(url: string): string | undefined {
  return url.endsWith(`/${H264_PREVIEW}`)
    ? url.slice(0, -H264_PREVIEW.length) + AV1_PREVIEW
    : undefined;
}

const PREVIEW_START_SECONDS = 25;
const MIN_LOOP_SECONDS = 1;

/**
 * Returns where a hover preview of a video starts, in seconds: at 25 s (specification, section 9), in the
 * middle of a video with less than a second after that, and at 0 in one that is too short for either.
 */
export function previewStart(durationSeconds: number): number {
  const starts = [PREVIEW_START_SECONDS, durationSeconds / 2];
  return starts.find((start) => durationSeconds - start >= MIN_LOOP_SECONDS) ?? 0;
}
