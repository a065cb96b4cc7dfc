import fs from "node:fs";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

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

/**
 * The same engine without windows, toolbars and their pages, which take half of a page's processor time;
 * all of Chromium where Debian's package of it is missing or another is asked for.
 */
export const HEADLESS_LAUNCH = {
  ...CHROMIUM_LAUNCH,
  executablePath:
    process.env.CHROMIUM_PATH || !fs.existsSync(HEADLESS_SHELL)
      ? CHROMIUM_LAUNCH.executablePath
      : HEADLESS_SHELL,
};
