import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { whatToDo } from "../../../scripts/system-packages.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const NOBODY = 65_534;
const NEEDED = ["ffmpeg", "chromium", "nginx"];
const OTHER_BROWSERS = ["firefox-esr", "WebKitWebDriver", "Xvfb"];
const FASTER = "chromium-headless-shell";
const PACKAGES =
  "ffmpeg chromium nginx python3-swift firefox-esr webkit2gtk-driver gstreamer1.0-libav gstreamer1.0-plugins-good gstreamer1.0-plugins-bad xvfb chromium-headless-shell";

let temporary: string;
let folder: string;
beforeEach(() => {
  temporary = fs.mkdtempSync(path.join(os.tmpdir(), "system-packages-"));
  folder = path.join(temporary, "bin");
  fs.mkdirSync(folder);
  for (const each of [temporary, folder]) fs.chmodSync(each, 0o777);
});
afterEach(() => fs.rmSync(temporary, { recursive: true, force: true }));

/** The one library among the programs, beside the folder of programs as Debian has it. */
const SWIFT = "../lib/python3/dist-packages/swift/common/middleware/s3api";
const addSwift = () => fs.mkdirSync(path.join(folder, SWIFT), { recursive: true });

/** A program that writes down how it was called, and creates those named by `creates`. */
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

/** What `npm test` does first, where no program is but those of `folder`. No terminal is there. */
async function installs({
  uid,
  env = {},
  options = "",
}: {
  uid?: number;
  env?: Record<string, string>;
  options?: string;
} = {}) {
  const script = `import { installPrograms } from "${root}/scripts/system-packages.mjs";
    console.log(JSON.stringify(await installPrograms(${options})));`;
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

describe("programs that the tests need", () => {
  it.each([
    ["asked for on a machine of one's own", {}, "ask"],
    ["installed in CI", { isCi: true }, "install"],
    ["installed in a container", { isContainer: true }, "install"],
    ["installed where nobody can answer", { isTerminal: false }, "install"],
    ["named only, without root", { isRoot: false, isCi: true }, "report"],
    ["named only, without apt-get", { hasApt: false }, "report"],
  ])("are %s", (_, circumstances, todo) => {
    expect(whatToDo({ ...ROOT, ...circumstances })).toBe(todo);
  });

  it.runIf(process.getuid?.() === 0)("are installed by apt-get when root runs it", async () => {
    recorder("apt-get", ...NEEDED, SWIFT, ...OTHER_BROWSERS, FASTER);
    recorder("sudo");
    expect((await installs()).untestable).toEqual([]);
    expect(calls()).toEqual([
      "apt-get -qq update",
      `apt-get -qq install -y --no-install-recommends ${PACKAGES}`,
    ]);
  });

  it("are named when they are other browsers, and count only where every browser is wanted", async () => {
    for (const program of NEEDED) recorder(program);
    addSwift();
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    const { stdout, untestable } = await installs({ uid });
    expect(stdout).toContain("firefox-esr is missing: the journeys in Firefox are not tested");
    expect(untestable).toEqual([]);
    const strict = await installs({ uid, options: "{ everyBrowser: true }" });
    expect(strict.untestable).toEqual([
      "firefox-esr is missing: the journeys in Firefox are not tested",
      "WebKitWebDriver is missing: the journeys in WebKit are not tested",
      "Xvfb is missing: WebKit has no screen, so it is not tested",
    ]);
  });

  it("are named when they only save time, and never count", async () => {
    for (const program of [...NEEDED, ...OTHER_BROWSERS]) recorder(program);
    addSwift();
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    const { stdout, untestable } = await installs({ uid, options: "{ everyBrowser: true }" });
    expect(stdout).toContain("chromium-headless-shell is missing: the end-to-end tests");
    expect(untestable).toEqual([]);
  });

  it("are not installed by sudo: what cannot be tested is said, and how to mend it", async () => {
    recorder("apt-get");
    recorder("sudo");
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    const { stdout, untestable } = await installs({ uid, env: { CI: "true" } });
    expect(calls()).toEqual([]);
    expect(stdout).toContain(`As root: apt-get install ${PACKAGES}`);
    expect(untestable).toEqual([
      "ffmpeg is missing: what needs real clips cannot be tested",
      "chromium is missing: the journeys in a browser cannot be tested",
      "nginx is missing: the documented proxy cannot be tested",
      "swift is missing: files in an S3-compatible store cannot be tested",
    ]);
  });
});
