import { createHash } from "node:crypto";
import fs from "node:fs";
import { clip, mp4Clip } from "../../clips";
import type { Random } from "../random";

/** Short videos that need processing: one is playable immediately, and the other is rewritten first. */
function sources(): { file: string; frames: number }[] {
  const args = "-f lavfi -i testsrc2=size=128x72:rate=10:duration=1 -c:v libx264".split(" ");
  const preset = "-preset ultrafast -pix_fmt yuv420p".split(" ");
  return [
    { file: mp4Clip(1, "128x72"), frames: 25 },
    { file: clip("mp4", [...args, ...preset]), frames: 10 },
  ];
}

/** Returns a unique video. The word that makes it unique is appended in a `free` box, which players skip. */
export function newVideo(
  random: Random,
  word: string,
): { bytes: Buffer; sha256: string; frames: number } {
  const name = Buffer.from(word.padEnd(24, " "));
  const box = Buffer.alloc(8);
  box.writeUInt32BE(8 + name.length);
  box.write("free", 4);
  const { file, frames } = random.pick(sources());
  const bytes = Buffer.concat([fs.readFileSync(file), box, name]);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex"), frames };
}

const COLORS = ["teal", "olive", "maroon", "navy"];

export function newImage(random: Random): Buffer {
  const color = `color=${random.pick(COLORS)}:size=64x36`;
  return fs.readFileSync(clip("png", ["-f", "lavfi", "-i", color, "-frames:v", "1"]));
}
