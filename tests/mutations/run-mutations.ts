// npm run mutations: breaks the product one line at a time, and expects the named test to fail. With an argument, only
// rules that contain it are run: npm run mutations -- "preview link"
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa, execaSync, type Subprocess } from "execa";
import type { JSONReportSuite } from "playwright/types/testReporter";
import { createVitest } from "vitest/node";
import { giveUp, packagesAreMissing } from "../../scripts/prepare.mjs";
import { MUTATIONS, type Mutation } from "./mutations";

const TIMEOUT_MS = 180_000;

interface TestResult {
  file: string;
  name: string;
  status: string;
  error?: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const part = process.argv.slice(2).join(" ").toLowerCase();
// Tests that need a build run last, because all others run from source.
const selected = MUTATIONS.filter(({ rule }) => rule.toLowerCase().includes(part)).sort(
  (a, b) => Number(a.needsBuild ?? false) - Number(b.needsBuild ?? false),
);
if (selected.length === 0) {
  console.error(`No rule in tests/mutations/mutations.ts contains “${part}”.`);
  process.exit(2);
}
if (packagesAreMissing()) giveUp("The packages aren't up to date. Run npm ci.");

const started = Date.now();
// Vitest changes process.env (such as NODE_ENV), and the site must not be built with the changed variables.
const env = { ...process.env };
let subprocess: Subprocess | undefined;
const worktree = fs.mkdtempSync(path.join(os.tmpdir(), "mutations-"));
process.once("exit", removeWorktree);
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => process.exit(130));
addWorktree();
// Threads resolve "~" with the tsconfig.json in the current folder.
process.chdir(worktree);
// All runs share one Vitest instance, so that only changed modules are transformed again.
const vitest = await createVitest("test", {
  root: worktree,
  config: path.join(worktree, "tests/vitest.config.ts"),
  watch: false,
  // Use a long timeout, because a test that times out on a busy machine would count as having detected the mutation.
  testTimeout: TIMEOUT_MS,
  hookTimeout: TIMEOUT_MS,
  reporters: [{}],
});
const isSuccess = await run();
await vitest.close();
// Vitest also sets the exit code, because some tests have failed.
process.exit(isSuccess ? 0 : 1);

/** Checks out HEAD, and adds the packages and the build from this folder. */
function addWorktree(): void {
  execaSync("git", ["worktree", "add", "--detach", worktree, "HEAD"], { cwd: root });
  const copy = (name: string) =>
    fs.cpSync(path.join(root, name), path.join(worktree, name), { recursive: true });
  const link = (name: string) => fs.symlinkSync(path.join(root, name), path.join(worktree, name));
  if (fs.existsSync(path.join(root, "build"))) copy("build");
  fs.mkdirSync(path.join(worktree, "node_modules"));
  for (const name of fs.readdirSync(path.join(root, "node_modules"))) {
    // Vite provides the URL of a file, such as the hls.js build, only if the file is inside Vite's root folder.
    (name === ".cache" ? copy : link)(`node_modules/${name}`);
  }
}

function removeWorktree(): void {
  // Kills the whole process group. Otherwise, child processes would continue writing files.
  if (subprocess?.pid && subprocess.exitCode === null) process.kill(-subprocess.pid, "SIGKILL");
  execaSync("git", ["worktree", "remove", "--force", worktree], { cwd: root, reject: false });
  fs.rmSync(worktree, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns whether the tests for each mutation pass without the mutation and fail with it. */
async function run(): Promise<boolean> {
  console.log(`Running the tests of ${selected.length} mutations on the unchanged product …`);
  const unchanged = await runTests(selected);
  const broken = selected.filter((mutation) => {
    const tests = testsOf(mutation, unchanged);
    const failed = tests.find(({ status }) => status === "failed");
    if (tests.length > 0 && !failed) return false;
    const reason = failed ? (failed.error ?? "it fails") : "it didn't run";
    console.log(`NO PASSING TEST  ${describe(mutation)}: ${reason}`);
    return true;
  });
  if (broken.length > 0) return false;

  let killed = 0;
  for (const mutation of selected) {
    const revert = apply(mutation);
    const tests = testsOf(mutation, await runTests([mutation]).finally(revert));
    const isKilled = tests.some(({ status }) => status === "failed");
    if (isKilled) killed += 1;
    const outcome = isKilled ? "killed" : tests.length > 0 ? "SURVIVED" : "COULD NOT RUN";
    console.log(`${outcome}  ${describe(mutation)}`);
  }
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  console.log(`\n${killed} of ${selected.length} mutations killed in ${minutes} minutes.`);
  return killed === selected.length;
}

/** Runs a process in the worktree, in its own process group. Doesn't throw if the process fails. */
function runProcess(file: string, args: string[], more: Record<string, string> = {}) {
  const options = { cwd: worktree, env: { ...env, ...more }, extendEnv: false, preferLocal: true };
  const result = execa(file, args, { ...options, detached: true, reject: false, all: true });
  subprocess = result;
  return result;
}

function describe({ rule, file, killedBy }: Mutation): string {
  return `${rule} (${file}, ${killedBy})`;
}

/** Applies a mutation in the worktree. Returns a function that reverts it. */
function apply({ file, find, replace }: Mutation): () => void {
  const target = path.join(worktree, file);
  const source = fs.readFileSync(target, "utf8");
  if (source.split(find).length !== 2)
    throw new Error(`${file} doesn't contain exactly once: ${find}`);
  const write = (text: string) => {
    fs.writeFileSync(target, text);
    vitest.invalidateFile(target);
  };
  write(source.replace(find, () => replace));
  return () => write(source);
}

/** Returns the results of the mutation's tests that have run. */
function testsOf({ killedBy, title }: Mutation, results: readonly TestResult[]): TestResult[] {
  return results.filter(
    ({ file, name, status }) =>
      file === killedBy && name.includes(title) && ["passed", "failed"].includes(status),
  );
}

/** Runs the tests for some mutations. Returns no results if the site can't be built. */
async function runTests(mutations: readonly Mutation[]): Promise<TestResult[]> {
  if (mutations.some(({ needsBuild }) => needsBuild)) {
    const prepare = ["scripts/start.mjs", "--prepare"];
    const { failed, all } = await runProcess(process.execPath, prepare);
    if (failed) {
      console.log(all);
      return [];
    }
  }
  const inBrowser = mutations.filter(({ killedBy }) => killedBy.endsWith(".spec.ts"));
  const others = mutations.filter((mutation) => !inBrowser.includes(mutation));
  return [
    ...(others.length > 0 ? await runVitest(others) : []),
    ...(inBrowser.length > 0 ? await runPlaywright(inBrowser) : []),
  ];
}

function filesOf(mutations: readonly Mutation[]): string[] {
  return [...new Set(mutations.map(({ killedBy }) => killedBy))];
}

/** Returns a pattern that matches the titles of some mutations' tests. */
function titlesOf(mutations: readonly Mutation[]): RegExp {
  const titles = mutations.map(({ title }) => title.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp([...new Set(titles)].join("|"));
}

async function runVitest(mutations: readonly Mutation[]): Promise<TestResult[]> {
  vitest.setGlobalTestNamePattern(titlesOf(mutations));
  const specifications = await vitest.globTestSpecifications(filesOf(mutations));
  const { testModules } = await vitest.runTestSpecifications(specifications);
  return testModules.flatMap((module) =>
    [...module.children.allTests()].map((test) => ({
      file: path.relative(worktree, module.moduleId),
      name: test.name,
      status: test.result().state,
      error: test.result().errors?.[0]?.message,
    })),
  );
}

async function runPlaywright(mutations: readonly Mutation[]): Promise<TestResult[]> {
  const report = path.join(worktree, "playwright-report.json");
  fs.rmSync(report, { force: true });
  const args = ["test", "--config=tests/e2e/playwright.config.ts", ...filesOf(mutations)];
  args.push(`--grep=${titlesOf(mutations).source}`, "--reporter=json");
  await runProcess("playwright", args, { PLAYWRIGHT_JSON_OUTPUT_FILE: report });
  if (!fs.existsSync(report)) return [];
  return testsIn(JSON.parse(fs.readFileSync(report, "utf8")).suites);
}

function testsIn(suites: readonly JSONReportSuite[] = []): TestResult[] {
  return suites.flatMap(({ specs, suites: inner }) => [
    ...specs.map(({ title, file, ok }) => ({
      file: `tests/e2e/${file}`,
      name: title,
      status: ok ? "passed" : "failed",
    })),
    ...testsIn(inner),
  ]);
}
