import { availableParallelism } from "node:os";
import { defineConfig, devices } from "playwright/test";
import { HEADLESS_LAUNCH } from "../chromium";

const DESKTOP = { viewport: { width: 1440, height: 900 } };
/** Tests that need an object store or run for minutes. */
const NIGHTLY = "nightly/*.spec.ts";

export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results",
  globalSetup: "../build-site.ts",
  forbidOnly: Boolean(process.env.CI),
  // With only one worker per CPU, the CPUs would be idle a fifth of the time, because some tests wait for a video or a
  // retry.
  workers: availableParallelism() + 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: "list",
  use: {
    launchOptions: HEADLESS_LAUNCH,
    // Traces are recorded only for retries, because recording them for passing tests would take a third of the CPU
    // time. Only CI retries tests.
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    actionTimeout: 15_000,
    // A service worker's requests bypass the routes that a test sets. offline.spec.ts allows service workers.
    serviceWorkers: "block",
  },
  projects: [
    { name: "desktop", use: DESKTOP, testIgnore: NIGHTLY, grepInvert: /@phone-only/ },
    {
      name: "phone",
      use: { ...devices["Pixel 7"], viewport: { width: 360, height: 740 } },
      testIgnore: NIGHTLY,
      // Tests of behavior that differs on a phone. Tests tagged @phone-only run only here.
      grep: /@phone/,
    },
    ...(process.env.NIGHTLY ? [{ name: "nightly", use: DESKTOP, testMatch: NIGHTLY }] : []),
  ],
});
