import Sqlite from "better-sqlite3";
import type { ListedFile } from "./backup-files.server";

/**
 * Recognizes copies of files that are in the store: a backup doesn't contain them, because the store has them
 * and the database of the backup says where.
 */
export interface StoredCopies {
  has(file: ListedFile): boolean;
  close(): void;
}

export function openStoredCopies(databasePath: string): StoredCopies {
  const sqlite = new Sqlite(databasePath, { readonly: true });
  const find = sqlite.prepare(
    "SELECT modified_ms FROM stored_files WHERE path = ? AND bucket = ? AND bytes = ?",
  );
  return {
    has({ path, bytes, modifiedMs }) {
      const [bucket = "", ...rest] = path.split("/");
      const stored = find.pluck().get(rest.join("/"), bucket, bytes) as number | undefined;
      // A file system may round times to a millisecond.
      return stored !== undefined && Math.abs(stored - modifiedMs) < 2;
    },
    close: () => sqlite.close(),
  };
}
