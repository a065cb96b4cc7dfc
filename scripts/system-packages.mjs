// The programs that the tests need in addition to Node. They are installed with apt-get if the current user is allowed
// to do so. sudo is never called.
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { run } from "./prepare.mjs";

const TESTED_WITH = [
  { program: "ffmpeg", debian: "ffmpeg", without: "tests that use real clips fail" },
  { program: "chromium", debian: "chromium", without: "end-to-end tests fail" },
  {
    program: "exiftool",
    debian: "libimage-exiftool-perl",
    without: "the metadata of public files isn't checked with a second tool",
  },
  { program: "nginx", debian: "nginx", without: "tests of the documented proxy fail" },
];
const NIGHTLY = [
  {
    program: "firefox-esr",
    debian: "firefox-esr",
    without: "tests in Firefox are skipped",
  },
  {
    program: "WebKitWebDriver",
    debian:
      "webkit2gtk-driver gstreamer1.0-libav gstreamer1.0-plugins-good gstreamer1.0-plugins-bad",
    without: "tests in WebKit are skipped",
  },
  {
    program: "Xvfb",
    debian: "xvfb",
    without: "tests in WebKit, which needs a screen, are skipped",
  },
  {
    program: "swift",
    // A library that tests/s3/swift_s3.py uses.
    file: "lib/python3/dist-packages/swift/common/middleware/s3api",
    debian: "python3-swift",
    without: "tests of an S3-compatible store are skipped",
  },
];
/** Optional programs. No test is skipped if they are missing. */
const FASTER = [
  {
    program: "chromium-headless-shell",
    debian: "chromium-headless-shell",
    without: "end-to-end tests run in the full Chromium, which takes 50% longer",
  },
];
/** Programs that are needed only if a package has no prebuilt binary for this version of Node. */
const COMPILERS = [
  { program: "python3", debian: "python3" },
  { program: "make", debian: "make" },
  { program: "g++", debian: "g++" },
];

/**
 * Returns what to do about missing programs: "install" them, "ask" first, or only "report" them. In CI, in a container
 * or without a terminal, there may be nobody to answer.
 */
export function whatToDo({ isRoot, hasApt, isCi, isContainer, isTerminal }) {
  if (!isRoot || !hasApt) return "report";
  return isCi || isContainer || !isTerminal ? "install" : "ask";
}

/**
 * Installs the Debian packages that contain missing programs, if that is possible and wanted.
 *
 * @param all whether the nightly tests run too.
 * @returns a message for each program that is still missing, explaining what can't be tested.
 */
export async function installExecutables({ compilers = false, all = false } = {}) {
  const needed = [...TESTED_WITH, ...(all ? NIGHTLY : [])];
  const wanted = [...needed, ...FASTER, ...(compilers ? COMPILERS : [])];
  const missing = (programs) => programs.filter((each) => !isInstalled(each));
  const packages = missing(wanted).flatMap(({ debian }) => debian.split(" "));
  if (packages.length === 0) return [];
  const todo = whatToDo({
    isRoot: process.getuid?.() === 0,
    hasApt: isOnPath("apt-get"),
    isCi: Boolean(process.env.CI),
    isContainer: ["/.dockerenv", "/run/.containerenv"].some((file) => fs.existsSync(file)),
    isTerminal: Boolean(process.stdin.isTTY && process.stdout.isTTY),
  });
  if (todo === "install" || (todo === "ask" && (await isAgreed(packages)))) install(packages);
  else
    console.log(
      `Not installed: ${packages.join(", ")}. As root: apt-get install ${packages.join(" ")}`,
    );
  const message = ({ program, without }) => `${program} is missing: ${without}`;
  for (const program of missing(FASTER)) console.log(message(program));
  return missing(needed).map(message);
}

async function isAgreed(packages) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Install ${packages.join(", ")} with apt-get? [Y/n] `);
  terminal.close();
  return /^(y(es)?)?$/i.test(answer.trim());
}

function install(packages) {
  console.log(`Installing ${packages.join(", ")} with apt-get …`);
  const apt = (...args) => run("apt-get", ["-qq", ...args], { DEBIAN_FRONTEND: "noninteractive" });
  apt("update");
  apt("install", "-y", "--no-install-recommends", ...packages);
}

function isInstalled({ program, file }) {
  if (!file) return isOnPath(program);
  return folders().some((folder) => fs.existsSync(path.join(folder, "..", file)));
}

function isOnPath(program) {
  return folders().some((folder) => fs.existsSync(path.join(folder, program)));
}

function folders() {
  return (process.env.PATH ?? "").split(path.delimiter);
}
