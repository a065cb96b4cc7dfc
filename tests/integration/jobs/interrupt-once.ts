import fs from "node:fs";
import path from "node:path";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";

/**
 * Puts a program before the real one: the first time that its arguments fit, `first` is run before it.
 * Who calls it puts PATH back.
 *
 * @param fits a pattern of the shell, such as `*file:*`.
 * @param first lines of the shell, with the arguments in "$@".
 */
export function interruptOnce(
  folder: string,
  program: "ffmpeg" | "ffprobe",
  fits: string,
  first: string,
): void {
  ffmpegAvailable();
  const realPath = process.env.PATH;
  const bin = path.join(folder, "bin");
  fs.mkdirSync(bin, { recursive: true });
  const once = path.join(bin, "once");
  const lines = [
    "#!/bin/sh",
    `real() { PATH="${realPath}" exec ${program} "$@"; }`,
    `case "$*" in ${fits}) [ -e "${once}" ] || { : > "${once}"; ${first}; };; esac`,
    'real "$@"',
  ];
  fs.writeFileSync(path.join(bin, program), lines.join("\n"), { mode: 0o755 });
  process.env.PATH = `${bin}:${realPath}`;
}

export const KILLED = "kill -9 $$";
/** The program goes on as slowly as its input would be shown at a tenth of its speed. */
export const SLOWLY = [
  'n=$#; for each in "$@"; do [ "$each" = -i ] && set -- "$@" -readrate 0.1; set -- "$@" "$each"; done',
  'shift $n; real "$@"',
].join("; ");
