import fs from "node:fs";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/**
 * How Playwright starts Debian's Chromium, not a download of its own. The flags keep it from asking
 * anybody outside for anything, and root needs --no-sandbox.
 */
export const CHROMIUM_LAUNCH = {
  executablePath: fs.existsSync(CHROMIUM) ? CHROMIUM : undefined,
  args: [
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};
