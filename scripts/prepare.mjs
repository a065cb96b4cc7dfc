// The first steps of `npm start` and `npm test`. They are written in plain JavaScript that needs only Node, because
// they run before any package is installed.
import { execFile, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const MIN_NODE = [20, 19];
const SOURCES = [
  "app",
  "db",
  "remix.config.js",
  "vite.config.ts",
  "scripts/hls-build.ts",
  "tsconfig.json",
  "package.json",
  "package-lock.json",
];
const SQLITE = "node_modules/better-sqlite3/build/Release/better_sqlite3.node";
const isWindows = process.platform === "win32";
const FINGERPRINT = path.join(root, "build", "fingerprint");

/** Prints a message and exits with status 1. */
export function giveUp(message) {
  console.error(message);
  process.exit(1);
}

/** Runs a program in the repository's folder, shows its output, and returns its exit status. */
export function run(command, args, env = {}, options = {}) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
    ...options,
  });
  return status ?? 1;
}

/** Runs a program from a package in node_modules. */
export function runPackage(name, args, env) {
  return run(process.execPath, [packageExecutable(name), ...args], env);
}

/** Runs the program in the background. Resolves with its output and whether it succeeded. */
export function runPackageBeside(name, args) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [packageExecutable(name), ...args],
      { cwd: root },
      (error, out, err) => {
        resolve({ succeeded: !error, output: out + err });
      },
    );
  });
}

/** Runs the program, shows its output, and returns both the exit status and the output. */
export async function runPackageWithOutput(name, args) {
  const colors = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  const child = spawn(process.execPath, [packageExecutable(name), ...args], {
    cwd: root,
    stdio: ["inherit", "pipe", "inherit"],
    env: { ...process.env, ...colors },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    process.stdout.write(text);
  });
  const [status] = await once(child, "close");
  return { status: status ?? 1, output };
}

/** Looks up the program in the lock file, because on Windows, node_modules/.bin contains shell scripts. */
function packageExecutable(name) {
  const packages = readPackages(path.join(root, "node_modules", ".package-lock.json")) ?? {};
  const [where, { bin }] =
    Object.entries(packages).find(([, each]) => each.bin && Object.hasOwn(each.bin, name)) ??
    giveUp(`The command ${name} is not installed. Run npm ci.`);
  return path.join(root, where, bin[name]);
}

/**
 * Runs npm. On Windows, npm is a shell script, so this uses the file whose path npm passes to the processes that it
 * starts.
 */
function runNpm(args, env) {
  const { npm_execpath: file } = process.env;
  if (file?.endsWith(".js")) return run(process.execPath, [file, ...args], env);
  return run(isWindows ? "npm.cmd" : "npm", args, env, { shell: isWindows });
}

export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
    giveUp(`Node.js ${MIN_NODE.join(".")} or later is required. This is ${process.versions.node}.`);
  }
}

/** Installs the packages in the lock file if any are missing or have a different version. */
export function installPackages({ development }) {
  if (!packagesAreInstalled({ development })) installAll();
  if (!sqliteIsUsable()) compileSqlite();
}

/** Whether it is still necessary to run `npm ci` or compile SQLite. */
export function packagesAreMissing() {
  return !packagesAreInstalled({ development: true }) || !sqliteIsUsable();
}

function installAll() {
  if (fs.lstatSync(path.join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) {
    giveUp(
      "node_modules is a link to packages that aren't up to date. Run npm ci in the folder that it points to.",
    );
  }
  console.log("Installing packages (compiling SQLite takes a few minutes) …");
  if (runNpm(["ci", "--include=dev", "--no-audit", "--no-fund"], compilerFlags()) !== 0) {
    giveUp("The packages couldn't be installed. See the output of npm above.");
  }
}

/** Returns the flags for compiling SQLite; native/object-wrap.h explains why. */
function compilerFlags() {
  // The compiler on Windows doesn't have this flag.
  if (isWindows) return {};
  const header = path.join(root, "scripts", "native", "object-wrap.h").replaceAll(" ", "\\ ");
  return { CXXFLAGS: `${process.env.CXXFLAGS ?? ""} -include ${header}`.trim() };
}

/** Whether SQLite was compiled for this version of Node, and with native/object-wrap.h. */
function sqliteIsUsable() {
  const file = path.join(root, SQLITE);
  try {
    const bytes = fs.readFileSync(file);
    if (!isWindows && bytes.includes("RemoveEnvironmentCleanupHook")) return false;
    process.dlopen({ exports: {} }, file);
    return true;
  } catch {
    return false;
  }
}

function compileSqlite() {
  console.log("Compiling SQLite for this version of Node (a few minutes) …");
  // Build from source, because the prebuilt binary may contain the cleanup hook.
  const fromSource = ["rebuild", "better-sqlite3", "--build-from-source"];
  if (runNpm(fromSource, compilerFlags()) !== 0 || !sqliteIsUsable()) {
    giveUp("SQLite couldn't be compiled. See the output of npm above.");
  }
}

function packagesAreInstalled({ development }) {
  const wanted = readPackages(path.join(root, "package-lock.json"));
  const present = readPackages(path.join(root, "node_modules", ".package-lock.json"));
  if (!present) return false;
  return Object.entries(wanted).every(([where, { version, dev, optional, peer, link }]) => {
    if (where === "" || link || optional || (peer && !present[where])) return true;
    if (dev && !development) return true;
    return present[where]?.version === version;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/** Whether build/ was built from the current sources. */
export function buildIsFresh() {
  return isMadeFrom(FINGERPRINT, siteFingerprint());
}

/** Whether a file contains the given fingerprint of the sources. */
export function isMadeFrom(record, from) {
  try {
    return fs.readFileSync(record, "utf8") === from;
  } catch {
    return false;
  }
}

/** Builds the site if its sources have changed since the last build. */
export function build() {
  if (buildIsFresh()) return;
  console.log("Building the site …");
  fs.rmSync(FINGERPRINT, { force: true });
  if (runPackage("remix", ["vite:build", "--logLevel", "warn"], { NODE_ENV: "production" }) !== 0) {
    giveUp("The site couldn't be built. See the errors above.");
  }
  fs.writeFileSync(FINGERPRINT, siteFingerprint());
}

let hashedSite;
/** Returns the fingerprint of the site's sources. They are read once, so changes during a build cause another build. */
export function siteFingerprint() {
  hashedSite ??= fingerprint(SOURCES);
  return hashedSite;
}

/** Returns the SHA-256 of the given files and folders in the repository. */
export function fingerprint(sources) {
  const hash = createHash("sha256");
  for (const file of sources.flatMap((source) => filesBelow(path.join(root, source)))) {
    hash.update(path.relative(root, file)).update("\0").update(fs.readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

function filesBelow(file) {
  if (!fs.existsSync(file)) return [];
  if (!fs.statSync(file).isDirectory()) return [file];
  return fs
    .readdirSync(file)
    .sort()
    .filter((name) => !(name === "data" && path.basename(file) === "db"))
    .flatMap((name) => filesBelow(path.join(file, name)));
}
