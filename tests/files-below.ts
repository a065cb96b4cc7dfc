import fs from "node:fs";
import path from "node:path";

/** All files below a folder, relative to it, but those that keep it in the repository. */
export function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name !== ".gitkeep")
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
