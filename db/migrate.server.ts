import fs from "node:fs";
import type { Database } from "better-sqlite3";
import { migrations as allMigrations } from "./migrations";

export interface Migration {
  /** Four digits and what it is about; the order of the names is the order of the migrations. */
  name: string;
  sql: string;
  /** Earlier migrations that this one was made of, and what brings a database over that ran them. */
  replaces?: { names: readonly string[]; sql: string };
}

/** A database that this version must not touch; its message is the sentence to print. */
export class MigrationError extends Error {}

/**
 * Brings a database to the newest schema, each migration in a transaction of its own.
 * An existing file is copied aside first, to `{file}.before-{name of the first new migration}`.
 *
 * @returns the names of the migrations that ran, in order.
 * @throws {MigrationError} when the file comes from a newer version of the site, or from one so old
 *   that no migration leads on from it.
 */
export function migrate(
  sqlite: Database,
  migrations: readonly Migration[] = allMigrations,
): string[] {
  sqlite.exec(/* sql */ `
    CREATE TABLE IF NOT EXISTS migrations (
      name   TEXT PRIMARY KEY NOT NULL,
      ran_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    )`);
  const ran = new Set(sqlite.prepare("SELECT name FROM migrations").pluck().all() as string[]);
  const known = new Set(
    migrations.flatMap(({ name, replaces }) => [name, ...(replaces?.names ?? [])]),
  );
  for (const name of ran) {
    if (!known.has(name)) {
      throw new MigrationError(
        `The database ${sqlite.name} was written by a newer version of this site (it knows ${name}). Start that version, or restore a back-up.`,
      );
    }
  }
  const pending = migrations.filter((migration) => !ran.has(migration.name));
  for (const { replaces } of pending) requireAllOrNone(sqlite, ran, replaces?.names ?? []);
  if (pending[0] && ran.size > 0 && !sqlite.memory) {
    copyAside(sqlite, `${sqlite.name}.before-${pending[0].name}`);
  }
  for (const { name, sql, replaces } of pending) {
    const earlier = replaces?.names.filter((each) => ran.has(each)) ?? [];
    sqlite.transaction(() => {
      sqlite.exec(replaces && earlier.length > 0 ? replaces.sql : sql);
      const forget = sqlite.prepare("DELETE FROM migrations WHERE name = ?");
      for (const each of earlier) forget.run(each);
      sqlite.prepare("INSERT INTO migrations (name) VALUES (?)").run(name);
    })();
  }
  return pending.map((migration) => migration.name);
}

/** Which migrations a database lacks, and which this version does not know; nothing is written. */
export function unknownMigrations(
  sqlite: Database,
  migrations: readonly Migration[] = allMigrations,
): { missing: string[]; unknown: string[] } {
  const ran = sqlite.prepare("SELECT name FROM migrations ORDER BY name").pluck().all() as string[];
  const names = migrations.map(({ name }) => name);
  return {
    missing: names.filter((name) => !ran.includes(name)),
    unknown: ran.filter((name) => !names.includes(name)),
  };
}

function requireAllOrNone(
  sqlite: Database,
  ran: ReadonlySet<string>,
  names: readonly string[],
): void {
  const missing = names.find((name) => !ran.has(name));
  if (missing === undefined || !names.some((name) => ran.has(name))) return;
  throw new MigrationError(
    `The database ${sqlite.name} was written by a version of this site that is too old to be brought over (it does not know ${missing}). Start the version before this one once, then this one.`,
  );
}

/** VACUUM INTO gives one consistent file, whatever stands in the write-ahead log. */
function copyAside(sqlite: Database, target: string): void {
  const partial = `${target}.partial`;
  fs.rmSync(partial, { force: true });
  sqlite.prepare("VACUUM INTO ?").run(partial);
  fs.chmodSync(partial, 0o600);
  fs.renameSync(partial, target);
}
