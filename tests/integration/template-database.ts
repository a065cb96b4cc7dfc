import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openSqlite } from "~db/client.server";
import { migrate } from "~db/migrate.server";

/** The environment variable from which the workers read the file's path. */
export const TEMPLATE = "TEST_TEMPLATE_DATABASE";

/** Creates a migrated database once for all workers; each test copies it (`tests/temporary-site.ts`). */
export function setup() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "site-template-"));
  const file = path.join(folder, "site.sqlite");
  const sqlite = openSqlite(file);
  migrate(sqlite);
  sqlite.close();
  process.env[TEMPLATE] = file;
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
