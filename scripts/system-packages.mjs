// The programs that the tests need besides Node. They are installed with apt-get where that takes
// no more rights than this account has; sudo is never called.
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
    without: "no second tool looks for metadata in files that are public",
  },
  { program: "nginx", debian: "nginx", without: "tests of the documented proxy fail" },
];
const NIGHTLY = [
  {
    program: "firefox-esr",
    debian: "firefox-esr",
    without: "tests in Firefox are left out",
  },
  {
    program: "WebKitWebDriver",
    debian:
      "webkit2gtk-driver gstreamer1.0-libav gstreamer1.0-plugins-good gstreamer1.0-plugins-bad",
    without: "tests in WebKit are left out",
  },
  { program: "Xvfb", debian: "xvfb", without: "WebKit has no screen, so its tests are left out" },
  {
    program: "swift",
    // A library without a program: tests/s3/swift_s3.py is the program.
    file: "lib/python3/dist-packages/swift/common/middleware/s3api",
    debian: "python3-swift",
    without: "tests of an S3-compatible store are left out",
  },
];
/** No test is left out without it. */
const FASTER = [
  {
    program: "chromium-headless-shell",
    debian: "chromium-headless-shell",
    without: "end-to-end tests run in the full Chromium, which takes half as much time again",
  },
];
/** Needed only where a package has no ready binary for this version of Node. */
const COMPILERS = [
  { program: "python3", debian: "python3" },
  { program: "make", debian: "make" },
  { program: "g++", debian: "g++" },
];

/**
 * What to do about missing programs: "install" without a question, "ask" first, or only "report".
 * Nobody may be there to answer: in CI, in a container, or without a terminal.
 */
export function whatToDo({ isRoot, hasApt, isCi, isContainer, isTerminal }) {
  if (!isRoot || !hasApt) return "report";
  return isCi || isContainer || !isTerminal ? "install" : "ask";
}

/**
 * Installs Debian's packages for the programs that are missing, when that is possible and wanted.
 *
 * @param all whether the nightly tests run as well.
 * @returns what cannot be tested, one sentence for each program that is still missing.
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
  console.log(`Installing ${packages.join(", ")} with apt-get ...`);
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
