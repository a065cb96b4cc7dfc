import fs from "node:fs";
import path from "node:path";
import { getSystemErrorMap } from "node:util";

/** Thrown if the folder in a setting can't be used. Its message is for the operator. */
export class FolderError extends Error {}

/**
 * Creates the folder in a setting, including its parents, and checks that the folder is writable.
 *
 * @param setting the environment variable, for the error message.
 * @throws {FolderError} if it is a file, can't be created, or isn't writable.
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
 * Creates a folder and its parents. Node's recursive `mkdir` never returns if an existing parent, such as /proc or a
 * broken link, can't contain new folders.
 */
export function createFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) createFolder(parent);
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    // Another process may have created the folder in the meantime.
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
    return `${setting} needs the folder ${folder}, but ${error.path} is not a folder. Move that file away, or set ${setting} to another path.`;
  }
  const [, reason] = getSystemErrorMap().get(error.errno ?? 0) ?? [];
  return `${setting} needs the folder ${folder}, which this user can't create or write to (${reason ?? error.message}). Change its owner, or set ${setting} to another path.`;
}
