import { formatDuration } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";

const WIDTH = 24;
const REDRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;

/**
 * Shows a progress bar on standard error: percentage, files, speed and time left. If standard error isn't a terminal,
 * prints a line every ten seconds instead.
 */
export function progressBar(totalFiles: number, totalBytes: number) {
  const startedAt = performance.now();
  let files = 0;
  let bytes = 0;
  let drawnAt = 0;
  const terminal = process.stderr.isTTY;

  function draw(): void {
    const share =
      totalBytes > 0 ? Math.min(1, bytes / totalBytes) : files / Math.max(1, totalFiles);
    const seconds = (performance.now() - startedAt) / 1000;
    const left = share > 0 ? Math.round((seconds / share) * (1 - share)) : undefined;
    const filled = Math.round(share * WIDTH);
    const text = [
      `[${"#".repeat(filled)}${".".repeat(WIDTH - filled)}] ${Math.floor(share * 100)} %`,
      `${files} of ${totalFiles}`,
      `${formatBytes(bytes / 2 / Math.max(seconds, 0.001))}/s`,
      left === undefined ? "" : `${formatDuration(left)} left`,
    ].join("  ");
    process.stderr.write(terminal ? `\r\x1b[K${text}` : `${text}\n`);
  }

  return {
    /** @param moreBytes the number of bytes read and written, so that each byte of a file counts twice. */
    advance(moreBytes: number, moreFiles: number): void {
      bytes += moreBytes;
      files += moreFiles;
      const now = performance.now();
      if (now - drawnAt < (terminal ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
      drawnAt = now;
      draw();
    },
    /** Removes the bar, so that later output starts on a new line. */
    end(): void {
      if (terminal) process.stderr.write("\r\x1b[K");
    },
  };
}
