import fs from "node:fs";
import path from "node:path";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";

/**
 * Wraps ffmpeg or ffprobe in a shell script.
 * @param folder the folder to create the script in.
 * @param lines shell code that runs before the command. It may change the arguments ("$@"), run the command itself, or
 * exit.
 * @returns a PATH on which the script is found first. A temporary site restores the PATH when it is removed.
 */
export function wrapCommand(
  folder: string,
  program: "ffmpeg" | "ffprobe",
  lines: readonly string[],
): string {
  const programs = path.join(folder, "programs");
  const folders = process.env.PATH!.split(":").filter((each) => each !== programs);
  const script = ["#!/bin/sh", `PATH='${folders.join(":")}'`, ...lines, `exec ${program} "$@"`];
  fs.mkdirSync(programs, { recursive: true });
  fs.writeFileSync(path.join(programs, program), script.join("\n"), { mode: 0o755 });
  return [programs, ...folders].join(":");
}

/** Returns shell code that makes ffmpeg read its inputs at `speed` times their playback speed. */
export function readSpeedLines(speed: number): string[] {
  return [
    "n=$#",
    `for each in "$@"; do [ "$each" = -i ] && set -- "$@" -readrate ${speed}; set -- "$@" "$each"; done`,
    "shift $n",
  ];
}

/**
 * Wraps ffmpeg so that it reads its inputs at `speed` times their playback speed. This gives a test time to act while
 * ffmpeg is running, on any machine and with little CPU time.
 * @returns a PATH on which the wrapper is found first.
 */
export function slowFfmpeg(folder: string, speed = 1): string {
  return wrapCommand(folder, "ffmpeg", [`set -- -readrate ${speed} "$@"`]);
}

/**
 * Puts a wrapper for a command on the PATH. The wrapper executes the lines in `first` before the first run whose
 * arguments match `pattern`.
 * @param pattern a shell pattern, such as `*file:*`.
 */
export function interruptOnce(
  folder: string,
  program: "ffmpeg" | "ffprobe",
  pattern: string,
  first: readonly string[],
): void {
  // This checks for ffmpeg before the wrapper exists, so that the check doesn't count as a run.
  ffmpegAvailable();
  const once = path.join(folder, "interrupted");
  process.env.PATH = wrapCommand(folder, program, [
    `case "$*" in ${pattern}) if [ ! -e "${once}" ]; then : > "${once}"`,
    ...first,
    "fi;; esac",
  ]);
}

export const KILL_LINES = ["kill -9 $$"];
