// npm test: install what is missing, then types, format and lint, unit and integration tests, and
// the journeys in real browsers. Everything runs even when something before it failed. A test that
// fails is tried once more, with nothing beside it; one that passes only then is named at the end.
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
import { failedFiles, playwrightResults, vitestResults, withSecondTry } from "./test-results.mjs";

requireNode();
process.chdir(root);
const untestable = await installPrograms({
  compilers: packagesAreMissing(),
  everyBrowser: process.env.EVERY_BROWSER === "1",
});
installPackages({ development: true });

const report = path.join(os.tmpdir(), `site-tests-${process.pid}.json`);
const results = new Map();
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
runVitest("unit and integration tests", "tests/vitest.config.ts");
runVitest("journeys in every browser", "tests/browsers/vitest.config.ts");
runPlaywright("end-to-end tests", "tests/e2e/playwright.config.ts");
failures.push(...untestable);
summarise();

function runVitest(name, config) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const options = ["run", `--config=${config}`, ...reporters];
  let status = step(name, "vitest", options);
  let outcome = vitestResults(takeReport());
  const again = failedFiles(outcome);
  if (status !== 0 && again.length > 0) {
    status = step(`${name}, second try`, "vitest", [...options, "--no-file-parallelism", ...again]);
    outcome = withSecondTry(outcome, vitestResults(takeReport()));
  }
  finish(name, status, outcome);
}

function runPlaywright(name, config) {
  const status = step(name, "playwright", ["test", `--config=${config}`, "--retries=1"], {
    E2E_REPORT: report,
  });
  finish(name, status, playwrightResults(takeReport()));
}

function step(name, program, args, env) {
  console.log(`\n=== ${name} ===`);
  return runPackage(program, args, env);
}

function finish(name, status, outcome) {
  if (status !== 0) failures.push(name);
  for (const [test, result] of outcome) results.set(test.replace(`${root}/`, ""), result);
}

function takeReport() {
  try {
    return JSON.parse(fs.readFileSync(report, "utf8"));
  } catch {
    return undefined;
  } finally {
    fs.rmSync(report, { force: true });
  }
}

function summarise() {
  const named = (status) => [...results].filter(([, is]) => is === status).map(([test]) => test);
  const [passed, failed] = [named("passed"), named("failed")];
  const unsteady = named("unsteady");
  console.log("");
  for (const test of unsteady) console.log(`Passed only at the second try: ${test}`);
  for (const test of failed) console.log(`Failed: ${test}`);
  for (const failure of failures) console.log(`Failed: ${failure}`);
  // A step can fail without a failing test: types, lint, a runner that could not start.
  const counts = {
    passed: passed.length + unsteady.length,
    failed: Math.max(failed.length, failures.length),
    skipped: named("skipped").length,
  };
  console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = failures.length > 0 || counts.passed === 0 ? 1 : 0;
}
