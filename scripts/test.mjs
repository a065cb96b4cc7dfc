// npm test: installs missing packages, then runs the type check, formatter, linter, and unit, integration and
// end-to-end tests. All steps run, even if an earlier one failed. --changed[=COMMIT]  runs only tests affected by files
// changed since COMMIT (default: the last commit) --prepare           only installs and builds --all               also
// runs the nightly tests: other browsers, an object store, torture, screenshots
import { stripVTControlCharacters } from "node:util";
import { bundleCommands } from "./commands.mjs";
import {
  build,
  giveUp,
  installPackages,
  packagesAreMissing,
  requireNode,
  root,
  runPackageBeside,
  runPackageWithOutput,
} from "./prepare.mjs";
import { installExecutables } from "./system-packages.mjs";

const { changed, all, prepare } = readOptions(process.argv.slice(2));
const isCi = Boolean(process.env.CI);
// tests/e2e/playwright.config.ts reads this variable.
if (all) process.env.NIGHTLY = "1";

requireNode();
process.chdir(root);
const failures = await installExecutables({ compilers: packagesAreMissing(), all });
installPackages({ development: true });

if (prepare) {
  build();
  await bundleCommands();
  reportFailures();
  process.exit();
}

const summaries = [];
const checks = [
  ["types", runPackageBeside("tsc", [])],
  ["format and lint", runPackageBeside("biome", ["check", "--error-on-warnings", "."])],
  ["unused code and packages", runPackageBeside("knip", ["--no-progress"])],
];
build();

const affected = changed ? [`--changed=${changed}`, "--passWithNoTests"] : [];
const vitest = (config, ...more) => ["run", `--config=tests/${config}`, ...more, ...affected];
const unit = vitest(
  "vitest.config.ts",
  "--project=rules",
  "--project=components",
  "--project=isolated",
);
await runTests("unit tests", "vitest", unit, "--retry=1");
await runTests("integration tests", "vitest", vitest("integration.config.ts"), "--retry=1");

for (const [name, check] of checks) {
  const { succeeded, output } = await check;
  console.log(`\n=== ${name} ===\n${output}`);
  if (!succeeded) failures.push(name);
}

const playwright = ["test", "--config=tests/e2e/playwright.config.ts"];
if (changed) playwright.push(`--only-changed=${changed}`, "--pass-with-no-tests");
await runTests("end-to-end tests", "playwright", playwright, "--retries=1");

if (all) {
  const nightly = ["run", "--config=tests/nightly.config.ts"];
  await runTests("nightly tests", "vitest", nightly, "--retry=1");
  await runTests("screenshots", "tsx", [
    "tests/screenshots/screenshots.ts",
    "test-results/screenshots",
  ]);
}

console.log(`\n${summaries.join("\n\n")}`);
if (changed) {
  console.log(`
Only changed test files, and test files that import a changed file, were run. Tests of the built site don't
import its sources: run the tests for the pages that you changed with "npm run test:e2e -- FILE".`);
}
reportFailures();

function reportFailures() {
  for (const failure of failures) console.log(`Failed: ${failure}`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

/** Runs tests. Failed tests are retried once, but only in CI, where the runner reports them as flaky. */
async function runTests(name, program, args, retry) {
  console.log(`\n=== ${name} ===`);
  const { status, output } = await runPackageWithOutput(
    program,
    isCi && retry ? [...args, retry] : args,
  );
  summaries.push(`${name}:\n${summaryOf(output)}`);
  if (status !== 0) {
    failures.push(name);
    summaries.push(failedTestsIn(output));
  }
}

/** Returns the last lines of the Vitest or Playwright report, which are repeated at the end. */
function summaryOf(output) {
  const counts =
    /^\s*(Test Files|Tests|Errors|Duration|\d+ (passed|failed|flaky|skipped|did not run))/;
  const lines = output.trimEnd().split("\n").slice(-40);
  const summary = lines.filter((line) => counts.test(stripVTControlCharacters(line)));
  return summary.join("\n") || lines.at(-1) || "No tests were run.";
}

/** Returns the names and messages of failed tests, which are repeated at the end because logs are often truncated. */
function failedTestsIn(output) {
  const failure = /^\s*(FAIL |\w*Error: |\[\w+\] › |\d+\) \[\w+\] › )/;
  const lines = output.split("\n").filter((line) => failure.test(stripVTControlCharacters(line)));
  return [...new Set(lines)].slice(-40).join("\n");
}

function readOptions(args) {
  const options = {};
  for (const arg of args) {
    const [name, value] = arg.split("=");
    if (name === "--changed") options.changed = value ?? "HEAD";
    else if (arg === "--all" || arg === "--prepare") options[arg.slice(2)] = true;
    else
      giveUp(`Unknown option ${arg}. Usage: npm test [-- --changed[=COMMIT] | --all | --prepare]`);
  }
  return options;
}
