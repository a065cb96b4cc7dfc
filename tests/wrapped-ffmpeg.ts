import fs from "node:fs";
import path from "node:path";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";

/**
 * Puts a script in front of ffmpeg or ffprobe.
 *
 * @param folder where the script is put.
 * @param lines of the shell, run before the program: they may change its arguments, "$@", run it themselves,
 *   or exit.
 * @returns a PATH by which the script is found. A temporary site restores the PATH when it is removed.
 */
export function wrapProgram(
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

/** Lines that make the program read its files at `speed` times the speed at which they play. */
export function readingAt(speed: number): string[] {
  return [
    "n=$#",
    `for each in "$@"; do [ "$each" = -i ] && set -- "$@" -readrate ${speed}; set -- "$@" "$each"; done`,
    "shift $n",
  ];
}

/**
 * An ffmpeg that reads files at `speed` times the speed at which they play, so that a test can act while
 * it works: on any machine, and at the cost of hardly any processor time.
 *
 * @returns a PATH by which it is found.
 */
export function slowFfmpeg(folder: string, speed = 1): string {
  return wrapProgram(folder, "ffmpeg", [`set -- -readrate ${speed} "$@"`]);
}

/**
 * Runs `first` before a program, the first time that its arguments match.
 *
 * @param pattern of the shell, such as `*file:*`.
 */
export function interruptOnce(
  folder: string,
  program: "ffmpeg" | "ffprobe",
  pattern: string,
  first: readonly string[],
): void {
  // Looking for the programs is no run of theirs.
  ffmpegAvailable();
  const once = path.join(folder, "interrupted");
  process.env.PATH = wrapProgram(folder, program, [
    `case "$*" in ${pattern}) if [ ! -e "${once}" ]; then : > "${once}"`,
    ...first,
    "fi;; esac",
  ]);
}

export const KILLED = ["kill -9 $$"];
