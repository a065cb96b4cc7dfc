import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTask, runFfmpeg } from "~/media/encode/task.server";
import { processImage } from "~/media/images/process-image.server";
import {
  ffmpegAvailable,
  filesAreReadOnly,
  forgetFfmpeg,
  limitedCommand,
  run,
} from "~/media/probe/ffmpeg.server";
import { runCommand } from "~/platform/child-process.server";
import { stopRuntime } from "~db/runtime.server";
import { ffmpeg, makeClip } from "../../media-clips";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let folder: string;
beforeEach(() => {
  site = useTemporarySite();
  folder = path.join(site.folder, "task");
  fs.mkdirSync(folder);
});
afterEach(async () => {
  // Also stop the image process, which was started with the test's setpriv.
  await stopRuntime();
  await site.remove();
  forgetFfmpeg();
});

const LIMITS = { seconds: 20, cpuSeconds: 20 };
const RUN = { seconds: 1, fileBytes: 1024 ** 2, cpuSeconds: 20 };

/**
 * Puts a setpriv wrapper first in PATH. Like setpriv in util-linux 2.41, the wrapper accepts Landlock options. It logs
 * the folders that may be written to, and runs the rest of its command line.
 */
function noteWritableFolders(): () => string[] {
  const noted = path.join(site.folder, "noted");
  const programs = path.join(site.folder, "programs");
  fs.mkdirSync(programs, { recursive: true });
  const script = `#!/bin/sh
while :; do case "$1" in
  --pdeathsig|--landlock-access) shift 2 ;;
  --landlock-rule) echo "$2" >> '${noted}'; shift 2 ;;
  *) exec "$@" ;;
esac; done`;
  fs.writeFileSync(path.join(programs, "setpriv"), script, { mode: 0o755 });
  process.env.PATH = `${programs}:${process.env.PATH}`;
  forgetFfmpeg();
  ffmpegAvailable();
  fs.rmSync(noted, { force: true });
  return () => {
    const rules = fs.readFileSync(noted, "utf8").trim().split("\n");
    fs.rmSync(noted);
    return rules.filter((rule) => rule.includes("make-reg")).map((rule) => rule.split(":")[2]!);
  };
}

describe.runIf(ffmpegAvailable())("a process that reads an untrusted file", () => {
  it("may write only to its task's folder", async () => {
    const clip = makeClip(site.folder, "clip");
    const image = path.join(site.folder, "image.png");
    ffmpeg(["-i", clip, "-frames:v", "1", image]);
    await stopRuntime();
    const writable = noteWritableFolders();
    const task = createTask(folder, () => {});
    await runFfmpeg(task, ["-i", clip, "-c", "copy", "copy.mp4"], RUN);
    expect(writable()).toEqual([folder]);
    const other = path.join(site.folder, "stream");
    fs.mkdirSync(other);
    await runFfmpeg(task, ["-i", clip, "-c", "copy", "2.mp4"], { ...RUN, folder: other });
    expect(writable()).toEqual([folder, other]);
    await run("ffprobe", ["-show_format", "-i", clip], LIMITS);
    expect(writable()).toEqual([]);
    const target = path.join(site.uploads, "tmp", "image.webp");
    await processImage({ kind: "thumbnail", file: image, target });
    expect(writable()).toEqual([path.join(site.uploads, "tmp")]);
  });

  it.runIf(filesAreReadOnly())("can't write anywhere else", async () => {
    const elsewhere = path.join(site.folder, "elsewhere");
    const script = `echo no > '${elsewhere}'; echo yes > '${folder}/a' && mv '${folder}/a' '${folder}/b'; cat /etc/passwd > /dev/null`;
    const [command, ...args] = limitedCommand(["sh", "-c", script], { writable: [folder] });
    const { exitCode } = await runCommand(command, args, { reject: false });
    expect(exitCode).toBe(0);
    expect(fs.existsSync(elsewhere)).toBe(false);
    expect(fs.readFileSync(path.join(folder, "b"), "utf8")).toBe("yes\n");
  });
});
