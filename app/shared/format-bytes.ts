const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/**
 * Formats bytes in the largest unit in which the number is at least 1, with at most one decimal place: `2GB`, `1.5GB`.
 */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const rounded = Number(value.toFixed(1));
  return unit === 0 ? `${rounded} ${UNITS[unit]}` : `${rounded}${UNITS[unit]}`;
}

const MB = 1024 ** 2;
const GB = 1024 ** 3;

/** The assumed size of a video if disk usage is unknown (specification, section 8). */
const ESTIMATED_VIDEO_MB = 50;

/**
 * Formats bytes in GB with two decimal places, or in MB with one decimal place below 1 GB (specification, section 9).
 */
export function formatStorage(bytes: number): string {
  return bytes >= GB ? `${(bytes / GB).toFixed(2)} GB` : `${(bytes / MB).toFixed(1)} MB`;
}

/** Estimates disk usage when the disk can't be read, such as `~0.05 GB` for one video. */
export function estimateStorage(videos: number): string {
  return `~${((videos * ESTIMATED_VIDEO_MB * MB) / GB).toFixed(2)} GB`;
}
