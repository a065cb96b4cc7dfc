/**
 * The files of a generated hover preview in two codecs. They are in the same folder, and the row refers to the H.264
 * file.
 */
export const H264_PREVIEW = "h264.mp4";
export const AV1_PREVIEW = "av1.mp4";

/** Returns the URL of the AV1 version of a clip, or undefined if there is none. */
export function av1Preview(url: string): string | undefined {
  return url.endsWith(`/${H264_PREVIEW}`)
    ? url.slice(0, -H264_PREVIEW.length) + AV1_PREVIEW
    : undefined;
}

const PREVIEW_START_SECONDS = 25;
const MIN_LOOP_SECONDS = 1;

/**
 * Returns the position in seconds at which a hover preview starts: 25 (specification, section 9); the middle of the
 * video if less than a second would remain after that; or 0 if the video is too short for either.
 */
export function previewStart(durationSeconds: number): number {
  const starts = [PREVIEW_START_SECONDS, durationSeconds / 2];
  return starts.find((start) => durationSeconds - start >= MIN_LOOP_SECONDS) ?? 0;
}
