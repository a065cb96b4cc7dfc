import fs from "node:fs";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

/**
 * Playwright's options for launching Debian's Chromium instead of a downloaded one. The flags prevent requests to the
 * internet. Chromium needs --no-sandbox to run as root.
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

/**
 * Options for launching the headless shell, which is the same engine without the browser UI. Without the UI, a page
 * takes half as much CPU time. Falls back to Chromium if Debian's package is missing or `CHROMIUM_PATH` is set.
 */
export const HEADLESS_LAUNCH = {
  ...CHROMIUM_LAUNCH,
  executablePath:
    process.env.CHROMIUM_PATH || !fs.existsSync(HEADLESS_SHELL)
      ? CHROMIUM_LAUNCH.executablePath
      : HEADLESS_SHELL,
};
