// What `npm start` and `npm test` do before anything else. Plain JavaScript on Node alone, because
// it runs when nothing is installed yet.
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

/** Prints one sentence and ends the process. */
export function giveUp(message) {
  console.error(message);
  process.exit(1);
}

/** Runs a program in the repository's folder with its output shown; its status when it ended. */
export function run(command, args, env = {}, options = {}) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
    ...options,
  });
  return status ?? 1;
}

/** Runs a program that a package of node_modules brings. */
export function runPackage(name, args, env) {
  return run(process.execPath, [packageExecutable(name), ...args], env);
}

/** The same beside other steps: resolves with whether it succeeded, and all that it printed. */
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

/** The same with its output shown as it comes, and returned with the status. */
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

/** By the lock file: what node_modules/.bin has is a script for a shell on Windows. */
function packageExecutable(name) {
  const packages = readPackages(path.join(root, "node_modules", ".package-lock.json")) ?? {};
  const [where, { bin }] =
    Object.entries(packages).find(([, each]) => each.bin && Object.hasOwn(each.bin, name)) ??
    giveUp(`The command ${name} is not installed. Run npm ci.`);
  return path.join(root, where, bin[name]);
}

/** Runs npm, by the file that npm itself names where it started this process. On Windows npm is a shell script. */
function runNpm(args, env) {
  const { npm_execpath: file } = process.env;
  if (file?.endsWith(".js")) return run(process.execPath, [file, ...args], env);
  return run(isWindows ? "npm.cmd" : "npm", args, env, { shell: isWindows });
}

export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
    giveUp(`Node.js ${MIN_NODE.join(".")} or newer is needed; this is ${process.versions.node}.`);
  }
}

/** Installs the packages of the lock file when some are missing or of another version. */
export function installPackages({ development }) {
  if (!packagesAreInstalled({ development })) installAll();
  if (!sqliteIsSound()) compileSqlite();
}

/** Whether `npm ci` or a compilation is still to come. */
export function packagesAreMissing() {
  return !packagesAreInstalled({ development: true }) || !sqliteIsSound();
}

function installAll() {
  if (fs.lstatSync(path.join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) {
    giveUp("node_modules is a link and not up to date; run npm ci in the folder it leads to.");
  }
  console.log("Installing packages (compiling SQLite takes a few minutes the first time) ...");
  if (runNpm(["ci", "--include=dev", "--no-audit", "--no-fund"], compilerFlags()) !== 0) {
    giveUp("The packages could not be installed; what npm said stands above.");
  }
}

/** For whatever C++ npm compiles; native/object-wrap.h says why. */
function compilerFlags() {
  // The compiler of Windows has no such option.
  if (isWindows) return {};
  const header = path.join(root, "scripts", "native", "object-wrap.h").replaceAll(" ", "\\ ");
  return { CXXFLAGS: `${process.env.CXXFLAGS ?? ""} -include ${header}`.trim() };
}

/** Whether SQLite was compiled for this Node, and without what native/object-wrap.h keeps out. */
function sqliteIsSound() {
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
  console.log("Compiling SQLite for this version of Node (a few minutes) ...");
  // Not the binary that can be downloaded, which may be the one that is not sound.
  const fromSource = ["rebuild", "better-sqlite3", "--build-from-source"];
  if (runNpm(fromSource, compilerFlags()) !== 0 || !sqliteIsSound()) {
    giveUp("SQLite could not be compiled; what npm said stands above.");
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

/** Whether build/ was made from exactly the sources that are here. */
export function buildIsFresh() {
  return isMadeFrom(FINGERPRINT, siteFingerprint());
}

/** Whether a file records this fingerprint of what something was made from. */
export function isMadeFrom(record, from) {
  try {
    return fs.readFileSync(record, "utf8") === from;
  } catch {
    return false;
  }
}

/** Builds the site when its sources have changed since the last build. */
export function build() {
  if (buildIsFresh()) return;
  console.log("Building the site ...");
  fs.rmSync(FINGERPRINT, { force: true });
  if (runPackage("remix", ["vite:build", "--logLevel", "warn"], { NODE_ENV: "production" }) !== 0) {
    giveUp("The site could not be built; what went wrong stands above.");
  }
  fs.writeFileSync(FINGERPRINT, siteFingerprint());
}

let hashedSite;
/** Of all sources of the site. They are read once: what changes during a build is built by the next. */
export function siteFingerprint() {
  hashedSite ??= fingerprint(SOURCES);
  return hashedSite;
}

/** The SHA-256 of these files and folders of the repository. */
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
