import { defineConfig, devices, type ReporterDescription } from "playwright/test";
import { HEADLESS_LAUNCH } from "../chromium";

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
  use: {
    launchOptions: HEADLESS_LAUNCH,
    // Recording tests that pass takes a third of all processor time; npm test tries again once.
    trace: "on-first-retry",
    screenshot: "only-on-failure",
    actionTimeout: 15_000,
    // What a worker asks for passes a test's own routes by; offline.spec.ts allows it.
    serviceWorkers: "block",
  },
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
