import fs from "node:fs";
import path from "node:path";

/** Returns all files in a folder and its subfolders, except `.gitkeep` files, as relative paths. */
export function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name !== ".gitkeep")
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
