import fs from "node:fs/promises";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { move } from "~/shared/move-files.server";

/** How long unreferenced files are left alone, because a row that references them may still be added. */
export const UNCHANGED_MS = 7 * 24 * 3_600_000;

/** How long quarantined objects stay in the store. */
export const QUARANTINE_MS = 30 * 24 * 3_600_000;

/** Returns the folder that `check-library --fix` moves unreferenced files to. The site never removes files from it. */
export const quarantineFolder = () => path.join(settings().uploadsDir, ".quarantine");

/**
 * Moves a file or folder to today's folder in the quarantine.
 *
 * @param name the path in that folder.
 */
export async function moveToQuarantine(
  file: string,
  name: string,
  now = Date.now(),
): Promise<void> {
  const day = new Date(now).toISOString().slice(0, 10);
  for (let n = 1; ; n++) {
    const folder = path.join(quarantineFolder(), n === 1 ? day : `${day}-${n}`);
    const target = path.join(folder, name);
    if (await fs.lstat(target).catch(() => undefined)) continue;
    await move(file, target);
    return;
  }
}

/** Returns whether a file, or everything in a folder, has been unchanged for a week: not modified, moved or created. */
export async function isUnchanged(file: string, now = Date.now()): Promise<boolean> {
  const stat = await fs.lstat(file).catch(() => undefined);
  // A copy may keep the modification time of its source, but the file system sets the change time.
  if (!stat || now - Math.max(stat.mtimeMs, stat.ctimeMs) < UNCHANGED_MS) return false;
  if (!stat.isDirectory()) return true;
  for (const name of await fs.readdir(file)) {
    if (!(await isUnchanged(path.join(file, name), now))) return false;
  }
  return true;
}
