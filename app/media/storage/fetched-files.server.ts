import fs from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { settings } from "~/server/settings.server";
import { mapConcurrently } from "~/shared/map-concurrently";
import { FolderError } from "~db/folders.server";
import { bucketFile, createBuckets, type MediaName, mediaBasePath } from "../bucket.server";
import type { StoredCopy } from "./copies.server";
import { fetchCopy, isLost } from "./fetch-copies.server";
import { writeMarker } from "./marker.server";

const ROWS_AT_ONCE = 200;

/**
 * The files of a reader, which has them from the copies in the store alone. A database beside the buckets
 * knows which copy each entry is from, so that a refresh fetches only what is new.
 *
 * @throws {FolderError} when UPLOADS_DIR has files of somebody else, such as those of the site that writes.
 */
export function openFetchedFiles() {
  const { uploadsDir, storage } = settings();
  const file = path.join(uploadsDir, ".fetched.sqlite");
  requireOwnFolder(uploadsDir, file);
  createBuckets();
  const sqlite = new Sqlite(file);
  sqlite.exec(`CREATE TABLE IF NOT EXISTS fetched (
    bucket TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (bucket, path)
  ) WITHOUT ROWID`);
  if (storage) writeMarker({ url: storage.url, direction: "there" });

  return {
    /**
     * Fetches what a copy of the database names and is not here yet.
     *
     * @param until in milliseconds of `performance.now()`: later nothing further is begun.
     * @returns whether something is left.
     * @throws {StorageError}
     */
    async fetchNew(database: string, until: number): Promise<{ fetched: number; isLeft: boolean }> {
      const due = attached(sqlite, database, () =>
        sqlite
          .prepare(`SELECT bucket, path, site.stored_copies.key, sha256 FROM site.stored_copies
            LEFT JOIN fetched USING (bucket, path)
            WHERE stale = 0 AND fetched.key IS NOT site.stored_copies.key`)
          .all(),
      ) as StoredCopy[];
      const enter = sqlite.prepare("INSERT OR REPLACE INTO fetched VALUES (@bucket, @path, @key)");
      const isTime = () => performance.now() < until;
      let [fetched, looked] = [0, 0];
      for (let start = 0; start < due.length && isTime(); start += ROWS_AT_ONCE) {
        await mapConcurrently(due.slice(start, start + ROWS_AT_ONCE), async (copy) => {
          if (!isTime()) return;
          try {
            await fetchCopy(copy);
            enter.run(copy);
            fetched += 1;
          } catch (error) {
            // Replaced since the database was copied: the next one names another.
            if (!isLost(error)) throw error;
          }
          looked += 1;
        });
      }
      return { fetched, isLeft: looked < due.length };
    },

    /** Removes what a copy of the database does not name any more. */
    async removeGone(database: string): Promise<void> {
      const gone = attached(sqlite, database, () =>
        sqlite
          .prepare(`SELECT bucket, path FROM fetched WHERE NOT EXISTS
            (SELECT 1 FROM site.stored_copies AS copy
             WHERE copy.bucket = fetched.bucket AND copy.path = fetched.path AND stale = 0)`)
          .all(),
      ) as MediaName[];
      const forget = sqlite.prepare("DELETE FROM fetched WHERE bucket = @bucket AND path = @path");
      for (const name of gone) {
        // What this machine has made of a thumbnail, see small-picture.server.ts, goes with it.
        const made = name.bucket === "thumbnails" ? [mediaBasePath(name.path)] : [];
        for (const each of [name.path, ...made]) {
          const target = bucketFile(name.bucket, each);
          if (target) await rm(target, { recursive: true, force: true });
        }
        forget.run(name);
      }
    },

    close: () => sqlite.close(),
  };
}

function attached<T>(sqlite: Sqlite.Database, database: string, read: () => T): T {
  sqlite.prepare("ATTACH ? AS site").run(database);
  try {
    return read();
  } finally {
    sqlite.exec("DETACH site");
  }
}

function requireOwnFolder(folder: string, file: string): void {
  if (fs.existsSync(file)) return;
  const isEmpty = ["videos", "thumbnails"].every(
    (name) => !fs.existsSync(path.join(folder, name)) || isEmptyFolder(path.join(folder, name)),
  );
  if (isEmpty) return;
  throw new FolderError(
    `UPLOADS_DIR (${path.resolve(folder)}) has files already; what is fetched needs a folder of its own.`,
  );
}

function isEmptyFolder(folder: string): boolean {
  return fs.readdirSync(folder).every((name) => name.startsWith("."));
}
