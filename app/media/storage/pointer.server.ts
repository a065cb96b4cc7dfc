import fs from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";

/**
 * A small file in the place of one whose bytes are in the store, as Git LFS has them. Names, deletions,
 * restorations and backups are those of the disk and know nothing of the store; only who reads bytes asks
 * here first.
 */
export interface Pointer {
  /** Of the object; holds 64 random bits, so that no key is ever used for other bytes. */
  key: string;
  bytes: number;
  sha256: string;
  /** Of the file that was moved, so that whoever watches it keeps its entity tag. */
  version: string;
  modifiedMs: number;
  /** Its Content-Type, which for a MOV depends on its first bytes. */
  type: string;
}

const FIRST_LINE = "This file is in the file store of the site.\n";
/** A longer file is none. */
export const MOST_POINTER_BYTES = 2_048;

export function pointerText(pointer: Pointer): string {
  return `${FIRST_LINE}${JSON.stringify(pointer)}\n`;
}

/** The pointer that a file is; undefined for every other file, and at once on a site without a store. */
export async function readPointer(file: string): Promise<Pointer | undefined> {
  if (!settings().storage) return undefined;
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > MOST_POINTER_BYTES) return undefined;
  const { O_RDONLY, O_NOFOLLOW } = fs.constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW).catch(() => undefined);
  if (!handle) return undefined;
  try {
    return parsePointer(await handle.readFile("utf8"));
  } finally {
    await handle.close();
  }
}

function parsePointer(text: string): Pointer | undefined {
  if (!text.startsWith(FIRST_LINE)) return undefined;
  try {
    const pointer = JSON.parse(text.slice(FIRST_LINE.length)) as Pointer;
    return typeof pointer.key === "string" && Number.isInteger(pointer.bytes) ? pointer : undefined;
  } catch {
    return undefined;
  }
}

/** `{bucket}/{path without extension}.{16 hexadecimal digits}{extension}`, as move-files.server.ts makes them. */
const KEY = /^((?:videos|thumbnails)\/.+)\.[\da-f]{16}(\.\w+)?$/;

/** Returns `{bucket}/{path}` of the file whose content an object was when it was stored. */
export function nameOfKey(key: string): string | undefined {
  const [, stem, extension = ""] = KEY.exec(key) ?? [];
  return stem && stem + extension;
}

/** The pointers in a file or folder, with how many names each has. */
export async function* pointersIn(
  target: string,
): AsyncGenerator<Pointer & { file: string; names: number }> {
  const found = await lstat(target).catch(() => undefined);
  if (found?.isDirectory()) {
    for (const name of await readdir(target).catch(() => [])) {
      yield* pointersIn(path.join(target, name));
    }
  } else if (found?.isFile()) {
    const pointer = await readPointer(target);
    if (pointer) yield { ...pointer, file: target, names: found.nlink };
  }
}
