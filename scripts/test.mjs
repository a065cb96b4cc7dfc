// npm test: install what is missing, then types, format and lint, unit and integration tests, and
// the journeys in real browsers. Everything runs even when something before it failed.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {
  build,
  installPackages,
  packagesAreMissing,
  requireNode,
  root,
  runPackage,
  runPackageBeside,
} from "./prepare.mjs";
import { installPrograms } from "./system-packages.mjs";

requireNode();
process.chdir(root);
const untestable = await installPrograms({
  compilers: packagesAreMissing(),
  everyBrowser: process.env.EVERY_BROWSER === "1",
});
installPackages({ development: true });

const reports = fs.mkdtempSync(path.join(os.tmpdir(), "site-reports-"));
const unitReport = path.join(reports, "unit.json");
const browsersReport = path.join(reports, "browsers.json");
const e2eReport = path.join(reports, "e2e.json");
const failures = [];

// Beside the build, which keeps one processor busy.
const checks = [
  ["types", runPackageBeside("tsc", [])],
  ["format and lint", runPackageBeside("biome", ["check", "--error-on-warnings", "."])],
];
build();
for (const [name, check] of checks) {
  const { succeeded, output } = await check;
  console.log(`\n=== ${name} ===\n${output}`);
  if (!succeeded) failures.push(name);
}
step("unit and integration tests", "vitest", vitest("tests/vitest.config.ts", unitReport));
step(
  "journeys in every browser",
  "vitest",
  vitest("tests/browsers/vitest.config.ts", browsersReport),
);
step("end-to-end tests", "playwright", ["test", "--config=tests/e2e/playwright.config.ts"], {
  E2E_REPORT: e2eReport,
});
failures.push(...untestable);
summarise();

function vitest(config, report) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return ["run", `--config=${config}`, ...reporters];
}

function step(name, program, args, env) {
  console.log(`\n=== ${name} ===`);
  if (runPackage(program, args, env) !== 0) failures.push(name);
}

function summarise() {
  const vitests = [unitReport, browsersReport].map(readReport);
  const e2e = readReport(e2eReport)?.stats;
  fs.rmSync(reports, { recursive: true, force: true });
  const sum = (count) => vitests.reduce((total, report) => total + (report?.[count] ?? 0), 0);
  const passed = sum("numPassedTests") + (e2e?.expected ?? 0) + (e2e?.flaky ?? 0);
  const failed = sum("numFailedTests") + (e2e?.unexpected ?? 0);
  const skipped = sum("numPendingTests") + (e2e?.skipped ?? 0);
  console.log("");
  for (const failure of failures) console.log(`Failed: ${failure}`);
  // A step can fail without a failing test: types, lint, a runner that could not start.
  console.log(
    `tests: ${passed} passed, ${Math.max(failed, failures.length)} failed, ${skipped} skipped`,
  );
  process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
}

function readReport(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
