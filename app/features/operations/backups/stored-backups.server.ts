import fs from "node:fs";
import path from "node:path";
import { BACKUP } from "./backup-files.server";

/**
 * The backups below BACKUP_DIR. A folder has its name only once it is proved: what begins with a dot
 * is being made or removed, or was when a process was killed.
 */

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const UNFINISHED = ".unfinished-";
const PROOF = ".proof-";
const REMOVED = ".removed-";
const LEFTOVER = new RegExp(`^(${UNFINISHED}|${PROOF}|${REMOVED})`.replaceAll(".", "\\."));

/** The name of a backup that begins now; names sort by time. */
export function newName(now = new Date()): string {
  return now.toISOString().replaceAll(":", "-");
}

export const unfinishedFolder = (root: string, name: string) =>
  path.join(root, `${UNFINISHED}${name}`);
export const proofFolder = (root: string, name: string) => path.join(root, `${PROOF}${name}`);

/**
 * Returns the names of the verified backups, the newest first. A name in the future is from when the clock was
 * wrong, so it comes last.
 *
 * @param now the name that a backup would get now.
 */
export function storedBackups(root: string, now = newName()): string[] {
  const names = fs
    .readdirSync(root)
    .filter((name) => NAME.test(name) && fs.existsSync(path.join(root, name, BACKUP.manifest)))
    .sort()
    .reverse();
  return [...names.filter((name) => name <= now), ...names.filter((name) => name > now)];
}

/** Removes what a killed process has left. Only while nobody else makes a backup. */
export function removeLeftovers(root: string): void {
  for (const name of fs.readdirSync(root)) {
    if (LEFTOVER.test(name)) remove(path.join(root, name));
  }
}

/**
 * Removes the oldest backups, until so many are left.
 *
 * @param made the one that was made just now: it stays, whatever the clock says.
 */
export function removeOld(root: string, keep: number, made: string): void {
  const others = storedBackups(root, made).filter((name) => name !== made);
  for (const name of others.slice(Math.max(0, keep - 1))) {
    // Under another name first, so that a part of it is never taken for a backup.
    const removed = path.join(root, `${REMOVED}${name}`);
    fs.renameSync(path.join(root, name), removed);
    remove(removed);
  }
}

function remove(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true });
}
