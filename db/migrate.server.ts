import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Database } from "better-sqlite3";
import { fold } from "~/shared/fold";
import { migrations as allMigrations, type Migration } from "./migrations";

/** A migration that has run on a database. */
interface RecordedMigration {
  name: string;
  /** Null in a database created by a development build, because development builds didn't record digests. */
  digest: string | null;
}

/** Thrown if this version can't open a database. The message is for the operator. */
export class MigrationError extends Error {}

/** The name of the first released migration. Migrations in development builds had names with lower numbers. */
const BASELINE = "1000";

/**
 * Migrates a database to the current schema, with a separate transaction for each migration. An existing file is first
 * copied to `{file}.before-{name of the first new migration}`.
 *
 * @returns the names of the migrations that ran, in order.
 * @throws {MigrationError} if a development build or a newer version has written to the database.
 */
export function migrate(
  sqlite: Database,
  migrations: readonly Migration[] = allMigrations,
): string[] {
  requireReleasedSchema(sqlite, undefined, migrations);
  const recorded = recordedMigrations(sqlite).map(({ name }) => name);
  const newer = recorded.find((name) => !migrations.some((migration) => migration.name === name));
  if (newer !== undefined) {
    throw new MigrationError(
      `The database ${sqlite.name} was created by a newer version of this site (migration ${newer}). Start that version, or restore a backup.`,
    );
  }
  sqlite.function("fold", { deterministic: true }, (text) => fold(String(text)));
  const pending = migrations.filter(({ name }) => !recorded.includes(name));
  if (pending[0] && recorded.length > 0 && !sqlite.memory) {
    copyAside(sqlite, `${sqlite.name}.before-${pending[0].name}`);
  }
  for (const migration of pending) {
    sqlite.transaction(() => {
      sqlite.exec(/* sql */ `
        CREATE TABLE IF NOT EXISTS migrations (
          name   TEXT PRIMARY KEY NOT NULL,
          -- SHA-256 of its SQL, hexadecimal.
          digest TEXT NOT NULL,
          ran_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
        )`);
      sqlite.exec(migration.sql);
      sqlite
        .prepare("INSERT INTO migrations (name, digest) VALUES (?, ?)")
        .run(migration.name, digestOf(migration));
    })();
  }
  return pending.map(({ name }) => name);
}

/**
 * Checks that no development build created the database. Development builds changed their migrations in place, so the
 * schema of their databases isn't known. Writes nothing.
 *
 * @param file the name of the database, for the error message.
 * @throws {MigrationError}
 */
export function requireReleasedSchema(
  sqlite: Database,
  file: string = path.resolve(sqlite.name),
  migrations: readonly Migration[] = allMigrations,
): void {
  const digests = new Map(migrations.map((migration) => [migration.name, digestOf(migration)]));
  const isReleased = ({ name, digest }: RecordedMigration) =>
    name >= BASELINE && (!digests.has(name) || digests.get(name) === digest);
  if (recordedMigrations(sqlite).every(isReleased)) return;
  throw new MigrationError(
    `This database was created by a development build from before version 0.2.0, and this version can't open it: ${file}. Nothing was changed. To keep your videos, see docs/how-to/upgrade-from-development-builds.md. To start with an empty site, move the file away.`,
  );
}

/**
 * Returns the migrations that haven't run on a database yet, and those that have run but are unknown to this version.
 * Writes nothing.
 */
export function unknownMigrations(
  sqlite: Database,
  migrations: readonly Migration[] = allMigrations,
): { missing: string[]; unknown: string[] } {
  const recorded = recordedMigrations(sqlite).map(({ name }) => name);
  const names = migrations.map(({ name }) => name);
  return {
    missing: names.filter((name) => !recorded.includes(name)),
    unknown: recorded.filter((name) => !names.includes(name)),
  };
}

function digestOf({ sql }: Migration): string {
  return createHash("sha256").update(sql).digest("hex");
}

function recordedMigrations(sqlite: Database): RecordedMigration[] {
  const columns = sqlite.prepare("SELECT name FROM pragma_table_info('migrations')").pluck().all();
  if (columns.length === 0) return [];
  const digest = columns.includes("digest") ? "digest" : "NULL AS digest";
  return sqlite
    .prepare<unknown[], RecordedMigration>(`SELECT name, ${digest} FROM migrations ORDER BY name`)
    .all();
}

/** VACUUM INTO writes one consistent file, including changes that are only in the write-ahead log. */
function copyAside(sqlite: Database, target: string): void {
  const partial = `${target}.partial`;
  fs.rmSync(partial, { force: true });
  sqlite.prepare("VACUUM INTO ?").run(partial);
  fs.chmodSync(partial, 0o600);
  fs.renameSync(partial, target);
}
