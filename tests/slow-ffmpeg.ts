import fs from "node:fs";
import path from "node:path";

/**
 * An ffmpeg that reads files at `speed` times the speed at which they play, so that a test can act while
 * it works: on any machine, and at the cost of hardly any processor time.
 *
 * @param folder in which the program is put that stands in front of ffmpeg.
 * @returns a PATH by which it is found.
 */
export function slowFfmpeg(folder: string, speed = 1): string {
  const programs = path.join(folder, "slow-programs");
  fs.mkdirSync(programs);
  fs.writeFileSync(
    path.join(programs, "ffmpeg"),
    `#!/bin/sh\nPATH='${process.env.PATH}' exec ffmpeg -readrate ${speed} "$@"\n`,
    { mode: 0o755 },
  );
  return `${programs}:${process.env.PATH}`;
}
