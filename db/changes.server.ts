import type { Statement } from "better-sqlite3";
import { sqliteHandle } from "./client.server";

/** How often the catalogue and the view counts have changed since the file was made. */
export interface CatalogueVersion {
  catalogue: number;
  views: number;
}

const statements = new WeakMap<object, Statement>();

/**
 * The version of the catalogue at this moment, whoever wrote: triggers count every change of
 * `videos`. One row of one page, some microseconds.
 */
export function catalogueVersion(): CatalogueVersion {
  const sqlite = sqliteHandle();
  let statement = statements.get(sqlite);
  if (!statement) {
    statement = sqlite.prepare("SELECT catalogue, views FROM catalogue_changes");
    statements.set(sqlite, statement);
  }
  return statement.get() as CatalogueVersion;
}
