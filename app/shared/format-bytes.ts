const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** Bytes in the largest unit that gives at least 1, with at most one decimal: `2GB`, `1.5GB`. */
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
