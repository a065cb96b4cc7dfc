/** The page that records who is shown in a video. */
export function consentHref(videoId: string): string {
  return `/admin/videos/${encodeURIComponent(videoId)}/consent`;
}
