import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { flushOne } from "~/shared/move-files.server";
import { type ObjectStore, StorageError, type StoredObject } from "./object-store";
import { writeHashed } from "./write-hashed.server";

/** The first object that is written. A folder without any objects is assumed to be an unmounted store. */
const MARKER = "site.json";
/** The prefix for the names of incomplete files. */
const PARTIAL = ".partial-";
const NO_ROOM = ["ENOSPC", "EDQUOT", "EFBIG"];
const NO_RIGHT = ["EACCES", "EPERM", "EROFS"];

/** Returns a store in a folder, which may be on another disk or on a volume that is mounted on several machines. */
export function folderStore(root: string): ObjectStore {
  const fileOf = (key: string) => path.join(root, key);

  async function put(key: string, file: string) {
    const target = fileOf(key);
    const partial = path.join(path.dirname(target), `${PARTIAL}${randomUUID()}`);
    try {
      await mkdir(path.dirname(target), { recursive: true });
      const source = createReadStream(file, { highWaterMark: 1024 * 1024 });
      const written = await writeHashed(source, partial, { flags: "wx" });
      await flushOne(partial);
      await rename(partial, target);
      await flushOne(path.dirname(target));
      return written;
    } catch (error) {
      await rm(partial, { force: true }).catch(() => {});
      throw toStorageError(error);
    }
  }

  async function find(key: string) {
    try {
      return await stat(fileOf(key));
    } catch (error) {
      const failure = toStorageError(error);
      if (!(failure instanceof StorageError) || failure.failure !== "missing") throw failure;
      // If the disk isn't mounted, the folder is empty.
      const names = await readdir(root).catch(() => undefined);
      if (!names || (names.length === 0 && key !== MARKER)) throw new StorageError("away", root);
      return undefined;
    }
  }

  async function* files(folder = root): AsyncGenerator<StoredObject & { name: string }> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) yield* files(file);
      const found = entry.isFile() ? await stat(file).catch(() => undefined) : undefined;
      if (!found) continue;
      const key = path.relative(root, file).split(path.sep).join("/");
      yield { key, name: entry.name, bytes: found.size, modifiedMs: found.mtimeMs };
    }
  }

  async function unfinished(before: number): Promise<string[]> {
    const keys: string[] = [];
    for await (const { name, key, modifiedMs } of files()) {
      if (name.startsWith(PARTIAL) && modifiedMs < before) keys.push(key);
    }
    return keys;
  }

  return {
    put,
    async get(key, range, signal) {
      if (!(await find(key))) throw new StorageError("missing", key);
      signal?.throwIfAborted();
      return createReadStream(fileOf(key), { ...range, highWaterMark: 256 * 1024 });
    },
    async head(key) {
      const found = await find(key);
      return found && { bytes: found.size };
    },
    remove: (key) => rm(fileOf(key), { force: true }),
    async *list() {
      for await (const { name, ...object } of files()) {
        if (!name.startsWith(PARTIAL)) yield object;
      }
    },
    presign: async () => undefined,
    unfinished,
    async removeUnfinished(before) {
      const keys = await unfinished(before);
      for (const key of keys) await rm(fileOf(key), { force: true });
      return keys.length;
    },
  };
}

function toStorageError(error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (NO_ROOM.includes(code)) return new StorageError("full", message);
  if (NO_RIGHT.includes(code)) return new StorageError("denied", message);
  if (code === "ENOENT" || code === "ENOTDIR") return new StorageError("missing", message);
  return error;
}
