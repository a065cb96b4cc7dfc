import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { whatToDo } from "../../../scripts/system-packages.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const NOBODY = 65_534;
const NEEDED = ["ffmpeg", "chromium", "exiftool", "nginx"];
const NIGHTLY = ["firefox-esr", "WebKitWebDriver", "Xvfb"];
const FASTER = "chromium-headless-shell";
const PACKAGES = "ffmpeg chromium libimage-exiftool-perl nginx chromium-headless-shell";
const NIGHTLY_PACKAGES =
  "ffmpeg chromium libimage-exiftool-perl nginx firefox-esr webkit2gtk-driver gstreamer1.0-libav gstreamer1.0-plugins-good gstreamer1.0-plugins-bad xvfb python3-swift chromium-headless-shell";

let temporary: string;
let folder: string;
beforeEach(() => {
  temporary = fs.mkdtempSync(path.join(os.tmpdir(), "system-packages-"));
  folder = path.join(temporary, "bin");
  fs.mkdirSync(folder);
  for (const each of [temporary, folder]) fs.chmodSync(each, 0o777);
});
afterEach(() => fs.rmSync(temporary, { recursive: true, force: true }));

/** The path of the only library among the packages, relative to Debian's folder for executables. */
const SWIFT = "../lib/python3/dist-packages/swift/common/middleware/s3api";

/** Creates an executable that records its arguments, and creates the executables in `creates`. */
function recorder(name: string, ...creates: string[]): void {
  const lines = creates.map((program) =>
    program === SWIFT
      ? `/bin/mkdir -p ${path.join(folder, program)}`
      : `: > ${path.join(folder, program)}`,
  );
  const script = ["#!/bin/sh", `echo "${name} $*" >> ${path.join(folder, "calls")}`, ...lines];
  fs.writeFileSync(path.join(folder, name), script.join("\n"), { mode: 0o755 });
}
const calls = () => {
  const file = path.join(folder, "calls");
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n") : [];
};

/** Runs the first step of `npm test` with only the executables in `folder`, and without a terminal. */
async function installs({
  uid,
  env = {},
  options = "",
}: {
  uid?: number;
  env?: Record<string, string>;
  options?: string;
} = {}) {
  const script = `import { installExecutables } from "${root}/scripts/system-packages.mjs";
    console.log(JSON.stringify(await installExecutables(${options})));`;
  const { stdout } = await execa(process.execPath, ["--input-type=module", "--eval", script], {
    env: { PATH: folder, ...env },
    extendEnv: false,
    stdin: "ignore",
    uid,
    timeout: 20_000,
  });
  return { stdout, untestable: JSON.parse(stdout.split("\n").at(-1)!) as string[] };
}

const ROOT = { isRoot: true, hasApt: true, isCi: false, isContainer: false, isTerminal: true };

describe("executables that the tests need", () => {
  it.each([
    ["installed after a question on a developer's machine", {}, "ask"],
    ["installed in CI", { isCi: true }, "install"],
    ["installed in a container", { isContainer: true }, "install"],
    ["installed without a terminal", { isTerminal: false }, "install"],
    ["only reported without root", { isRoot: false, isCi: true }, "report"],
    ["only reported without apt-get", { hasApt: false }, "report"],
  ])("are %s", (_, circumstances, todo) => {
    expect(whatToDo({ ...ROOT, ...circumstances })).toBe(todo);
  });

  it.runIf(process.getuid?.() === 0).each([
    ["the default tests", "", PACKAGES, [...NEEDED, FASTER]],
    ["all tests", "{ all: true }", NIGHTLY_PACKAGES, [...NEEDED, SWIFT, ...NIGHTLY, FASTER]],
  ])(
    "are installed with apt-get for %s if the user is root",
    async (_, options, packages, creates) => {
      recorder("apt-get", ...creates);
      recorder("sudo");
      expect((await installs({ options })).untestable).toEqual([]);
      expect(calls()).toEqual([
        "apt-get -qq update",
        `apt-get -qq install -y --no-install-recommends ${packages}`,
      ]);
    },
  );

  it("aren't required or reported by the default tests if only nightly tests need them", async () => {
    for (const program of NEEDED) recorder(program);
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    const { stdout, untestable } = await installs({ uid });
    expect(stdout).not.toContain("firefox");
    expect(untestable).toEqual([]);
    const all = await installs({ uid, options: "{ all: true }" });
    expect(all.untestable).toEqual([
      "firefox-esr is missing: tests in Firefox are skipped",
      "WebKitWebDriver is missing: tests in WebKit are skipped",
      "Xvfb is missing: tests in WebKit, which needs a screen, are skipped",
      "swift is missing: tests of an S3-compatible store are skipped",
    ]);
  });

  it("are reported but not required if they only save time", async () => {
    for (const program of NEEDED) recorder(program);
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    const { stdout, untestable } = await installs({ uid });
    expect(stdout).toContain(
      "chromium-headless-shell is missing: end-to-end tests run in the full",
    );
    expect(untestable).toEqual([]);
  });

  it("aren't installed with sudo, and the report describes what can't be tested and how to fix it", async () => {
    recorder("apt-get");
    recorder("sudo");
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    const { stdout, untestable } = await installs({ uid, env: { CI: "true" } });
    expect(calls()).toEqual([]);
    expect(stdout).toContain(`As root: apt-get install ${PACKAGES}`);
    expect(untestable).toEqual([
      "ffmpeg is missing: tests that use real clips fail",
      "chromium is missing: end-to-end tests fail",
      "exiftool is missing: the metadata of public files isn't checked with a second tool",
      "nginx is missing: tests of the documented proxy fail",
    ]);
  });
});
