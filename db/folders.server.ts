import fs from "node:fs";
import path from "node:path";
import { getSystemErrorMap } from "node:util";

/** A folder that a setting names and that cannot be used; its message is the sentence to print. */
export class FolderError extends Error {}

/**
 * Creates a folder that a setting names, with the folders above it, and checks that files can be
 * written to it.
 *
 * @param setting the environment variable that the operator has to correct otherwise.
 * @throws {FolderError} when it is a file, cannot be created, or cannot be written to.
 */
export function requireFolder(setting: string, folder: string): void {
  const wanted = path.resolve(folder);
  try {
    createFolder(wanted);
    fs.accessSync(wanted, fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw new FolderError(message(setting, wanted, error as NodeJS.ErrnoException));
  }
}

/**
 * Creates one folder after the other. `mkdir` of Node with `recursive` never returns where a parent
 * exists but takes no folders, as in /proc or behind a broken link.
 */
export function createFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) createFolder(parent);
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !isFolder(folder)) throw error;
  }
}

function isFolder(file: string): boolean {
  try {
    return fs.statSync(file).isDirectory();
  } catch {
    return false;
  }
}

function message(setting: string, folder: string, error: NodeJS.ErrnoException): string {
  if (error.code === "EEXIST" || error.code === "ENOTDIR") {
    return `${setting} needs the folder ${folder}, but ${error.path} is not a folder; move that away, or set ${setting} to another path.`;
  }
  const [, reason] = getSystemErrorMap().get(error.errno ?? 0) ?? [];
  return `${setting} needs the folder ${folder}, which this account cannot create or write to (${reason ?? error.message}); change its owner, or set ${setting} to another path.`;
}
