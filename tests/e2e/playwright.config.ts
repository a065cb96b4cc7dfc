import fs from "node:fs";
import { defineConfig, devices, type ReporterDescription } from "playwright/test";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

// Debian's Chromium, not a download of Playwright's own. The flags keep it from asking anybody
// outside for anything, and root needs --no-sandbox.
const launchOptions = {
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

const reporter: ReporterDescription[] = [["list"]];
if (process.env.E2E_REPORT) reporter.push(["json", { outputFile: process.env.E2E_REPORT }]);

export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results",
  globalSetup: "./build-site.ts",
  forbidOnly: Boolean(process.env.CI),
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter,
  use: { launchOptions, trace: "retain-on-failure", actionTimeout: 15_000 },
  projects: [
    { name: "desktop", use: { viewport: { width: 1440, height: 900 } } },
    {
      name: "phone",
      use: { ...devices["Pixel 7"], viewport: { width: 360, height: 740 } },
      // What is tagged so runs on a phone too; all of it twice would only take twice the time.
      grep: /@phone/,
    },
  ],
});
