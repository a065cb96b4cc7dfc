import fs from "node:fs/promises";
import path from "node:path";
import type { Upload } from "@tus/server";
import { removeTemporary } from "../files/temporary-files.server";

/**
 * What is known of each resumable upload, as `{id}.json` beside its bytes. Written whole or not at
 * all, so that a process that is killed leaves nothing half-written behind.
 *
 * `creation_date` is the time of the last byte: the tus packages count an upload's life from there, and
 * one that goes on for days must not expire in the middle.
 */
export function uploadRecords(directory: string) {
  const file = (id: string) => path.join(directory, `${id}.json`);
  return {
    async get(id: string): Promise<Upload | undefined> {
      try {
        const upload = JSON.parse(await fs.readFile(file(id), "utf8")) as Upload;
        const bytes = await fs.stat(path.join(directory, id)).catch(() => undefined);
        return bytes ? ({ ...upload, creation_date: bytes.mtime.toISOString() } as Upload) : upload;
      } catch {
        return undefined;
      }
    },
    async set(id: string, upload: Upload): Promise<void> {
      const partial = `${file(id)}.partial`;
      await fs.writeFile(partial, JSON.stringify(upload));
      await fs.rename(partial, file(id));
    },
    async delete(id: string): Promise<void> {
      await removeTemporary(file(id));
    },
    async list(): Promise<string[]> {
      const names = await fs.readdir(directory);
      return names.flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
    },
  };
}
