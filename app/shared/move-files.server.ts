import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, cp, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";

/** The error codes of `link` across file systems and on file systems without hard links. */
const WITHOUT_HARD_LINKS = new Set(["EPERM", "EXDEV", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"]);

/** Whether a file has to be copied because `link` failed with this code. */
export function needsCopy(code: string | undefined): boolean {
  return code !== undefined && WITHOUT_HARD_LINKS.has(code);
}

/**
 * Moves a file or folder, atomically replacing any existing file. Across file systems, it is first copied next to the
 * target.
 */
export async function move(from: string, to: string): Promise<void> {
  await moveWith(from, to, async () => {});
}

/**
 * Moves a file or folder durably: it is flushed to disk before it is renamed, so that a power failure can't leave an
 * empty file under the new name.
 */
export async function moveFlushed(from: string, to: string): Promise<void> {
  await moveWith(from, to, flush);
  await flushOne(path.dirname(to));
}

async function moveWith(
  from: string,
  to: string,
  beforeRename: (file: string) => Promise<void>,
): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  try {
    await beforeRename(from);
    await rename(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EXDEV") throw error;
    const partial = path.join(path.dirname(to), `.${randomBytes(6).toString("hex")}`);
    try {
      await cp(from, partial, { recursive: true, preserveTimestamps: true });
      await beforeRename(partial);
      await rename(partial, to);
      await rm(from, { recursive: true, force: true });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }
}

/**
 * Creates a hard link, or a copy if links aren't supported. Both keep the content when the original file is replaced.
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code === "ENOENT") throw error;
    // The file system doesn't support hard links. If a file with this name already exists, it is complete.
    const partial = path.join(path.dirname(to), `.${randomBytes(6).toString("hex")}`);
    try {
      await copyFile(from, partial, constants.COPYFILE_FICLONE);
      await flush(partial);
      await rename(partial, to);
    } finally {
      await rm(partial, { force: true });
    }
  }
  await flushOne(path.dirname(to));
}

async function flush(file: string): Promise<void> {
  if ((await stat(file)).isDirectory()) {
    for (const name of await readdir(file)) await flush(path.join(file, name));
  }
  await flushOne(file);
}

/** Flushes a file, or the entries of a folder, to disk. */
export async function flushOne(file: string): Promise<void> {
  const handle = await open(file);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
