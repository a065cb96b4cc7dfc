// npm test: install what is missing, then types, format and lint, unit and integration tests, and
// the journeys in a real browser. Everything runs even when something before it failed.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, installPackages, requireNode, root, run, runPackage } from "./prepare.mjs";

const TOOLS = [
  { program: "ffmpeg", debian: "ffmpeg", without: "what needs real clips cannot be tested" },
  {
    program: "chromium",
    debian: "chromium",
    without: "the journeys in a browser cannot be tested",
  },
];

requireNode();
process.chdir(root);
installPackages({ development: true });
const missing = installTools();

const reports = fs.mkdtempSync(path.join(os.tmpdir(), "site-reports-"));
const unitReport = path.join(reports, "unit.json");
const e2eReport = path.join(reports, "e2e.json");
const failures = [];

step("types", "tsc", []);
step("format and lint", "biome", ["check", "--error-on-warnings", "."]);
build();
step("unit and integration tests", "vitest", [
  "run",
  "--config=tests/vitest.config.ts",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${unitReport}`,
]);
step("end-to-end tests", "playwright", ["test", "--config=tests/e2e/playwright.config.ts"], {
  E2E_REPORT: e2eReport,
});
for (const { program, without } of missing) failures.push(`${program} is missing: ${without}`);
summarise();

function step(name, program, args, env) {
  console.log(`\n=== ${name} ===`);
  if (runPackage(program, args, env) !== 0) failures.push(name);
}

/** Debian's packages for the programs that are not here. Returns those that still are not. */
function installTools() {
  const absent = () => TOOLS.filter(({ program }) => !isOnPath(program));
  if (absent().length === 0) return [];
  const names = absent().map(({ debian }) => debian);
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  if (
    !isOnPath("apt-get") ||
    (sudo.length > 0 && spawnSync(sudo[0], ["-n", "true"]).status !== 0)
  ) {
    console.log(`${names.join(" and ")} cannot be installed here: that takes root and apt-get.`);
    return absent();
  }
  console.log(`Installing ${names.join(" and ")} with apt-get ...`);
  const apt = (...args) => {
    const [command, ...rest] = [...sudo, "apt-get", "-qq", ...args];
    return run(command, rest, { DEBIAN_FRONTEND: "noninteractive" });
  };
  apt("update");
  apt("install", "-y", "--no-install-recommends", ...names);
  return absent();
}

function isOnPath(program) {
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .some((folder) => fs.existsSync(path.join(folder, program)));
}

function summarise() {
  const unit = readReport(unitReport);
  const e2e = readReport(e2eReport)?.stats;
  fs.rmSync(reports, { recursive: true, force: true });
  const passed = (unit?.numPassedTests ?? 0) + (e2e?.expected ?? 0) + (e2e?.flaky ?? 0);
  const failed = (unit?.numFailedTests ?? 0) + (e2e?.unexpected ?? 0);
  const skipped = (unit?.numPendingTests ?? 0) + (e2e?.skipped ?? 0);
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
