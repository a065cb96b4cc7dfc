const MB = 1024 ** 2;
const GB = 1024 ** 3;

/** The assumed size of a video when disk usage is unknown (specification, section 8). */
const ESTIMATED_VIDEO_MB = 50;

/** Bytes in GB with two decimals from 1 GB on, else in MB with one (specification, section 9). */
export function formatStorage(bytes: number): string {
  return bytes >= GB ? `${(bytes / GB).toFixed(2)} GB` : `${(bytes / MB).toFixed(1)} MB`;
}

/** The figure when the disk can't be read: `~0.05 GB` for one video. */
export function estimateStorage(videos: number): string {
  return `~${((videos * ESTIMATED_VIDEO_MB * MB) / GB).toFixed(2)} GB`;
}
