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
  // With one for each processor, a fifth of the time nobody works: some tests wait for a video or a retry.
  workers: availableParallelism() + 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: "list",
  use: {
    launchOptions: HEADLESS_LAUNCH,
    // Recording tests that pass takes a third of all processor time. Only CI retries.
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    actionTimeout: 15_000,
    // What a worker asks for passes a test's own routes by; offline.spec.ts allows it.
    serviceWorkers: "block",
  },
  projects: [
    { name: "desktop", use: DESKTOP, testIgnore: NIGHTLY, grepInvert: /@phone-only/ },
    {
      name: "phone",
      use: { ...devices["Pixel 7"], viewport: { width: 360, height: 740 } },
      testIgnore: NIGHTLY,
      // Tests of what differs on a phone; those tagged @phone-only run nowhere else.
      grep: /@phone/,
    },
    ...(process.env.NIGHTLY ? [{ name: "nightly", use: DESKTOP, testMatch: NIGHTLY }] : []),
  ],
});
