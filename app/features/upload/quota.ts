import { formatBytes } from "~/shared/format-bytes";

/** What an uploader may have. A limit is undefined if there is none. */
export interface Quota {
  /** Of all files of their videos. */
  maxBytes: number | undefined;
  /** In any 24 hours. */
  maxVideosPerDay: number | undefined;
  maxQueuedJobs: number | undefined;
}

/** How much of a quota is used. */
export interface QuotaUse {
  bytes: number;
  videosToday: number;
  queuedJobs: number;
}

/** Says what is used of each limit, such as "1.2GB of 5GB used · 3 of 10 videos in the last 24 hours". */
export function quotaText(quota: Quota, use: QuotaUse): string {
  const { maxBytes, maxVideosPerDay, maxQueuedJobs } = quota;
  return [
    maxBytes !== undefined && `${formatBytes(use.bytes)} of ${formatBytes(maxBytes)} used`,
    maxVideosPerDay !== undefined &&
      `${use.videosToday} of ${maxVideosPerDay} videos in the last 24 hours`,
    maxQueuedJobs !== undefined && `${use.queuedJobs} of ${maxQueuedJobs} jobs queued`,
  ]
    .filter(Boolean)
    .join(" · ");
}
