import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closeDatabase, openSqlite } from "~db/client.server";
import { startHeartbeat } from "~db/heartbeat.server";
import { migrate } from "~db/migrate.server";
import { openReplica } from "~db/reader-database.server";
import { replicaAgeSeconds } from "~db/replication.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let copy: string;
beforeEach(() => {
  site = useTemporarySite();
  copy = path.join(site.folder, "copy.sqlite");
});
afterEach(() => site.remove());

/** Creates a complete database for this version in a single file, and runs `change` on it. */
function makeCopy(change: string): void {
  const sqlite = openSqlite(copy);
  migrate(sqlite);
  sqlite.exec(change);
  sqlite.pragma("journal_mode = DELETE");
  sqlite.close();
}
const BEAT = "INSERT INTO heartbeat (id, at) VALUES (1, '2026-01-31T03:00:00.000Z');";

it("reads a replica without changing it or creating files next to it", () => {
  makeCopy(BEAT);
  const sqlite = openReplica(copy);
  expect(sqlite.prepare("SELECT count(*) FROM videos").pluck().get()).toBe(0);
  expect(() => sqlite.exec("DELETE FROM videos")).toThrow(/readonly/);
  sqlite.close();
  expect(fs.readdirSync(site.folder).filter((name) => name.startsWith("copy"))).toEqual([
    "copy.sqlite",
  ]);
});

it.each([
  ["it is missing", undefined, /^There is no copy of the database .*npm run refresh-reader/],
  ["it has no heartbeat", "", /has no timestamp\. .*LITESTREAM=on/],
  [
    "it is from a newer version",
    `${BEAT} INSERT INTO migrations (name, digest) VALUES ('9999-later', '')`,
    /a newer version of the site \(9999-later\)/,
  ],
  [
    "it is from an older version",
    `${BEAT} DELETE FROM migrations WHERE name = '1000-baseline'`,
    /an older version of the site \(1000-baseline\)/,
  ],
])("rejects a replica if %s, and explains why", (_, change, message) => {
  if (change !== undefined) makeCopy(change);
  expect(() => openReplica(copy)).toThrow(message);
});

it("rejects a file that isn't a database", () => {
  fs.writeFileSync(copy, "This is no database.".repeat(300));
  expect(() => openReplica(copy)).toThrow(/is not a SQLite database/);
});

it("writes a heartbeat only while the database is replicated", () => {
  const beats = () => {
    startHeartbeat();
    const sqlite = new Sqlite(process.env.DATABASE_PATH!);
    const count = sqlite.prepare("SELECT count(*) FROM heartbeat").pluck().get();
    sqlite.close();
    return count;
  };
  expect(beats()).toBe(0);
  expect(replicaAgeSeconds()).toBe(Number.POSITIVE_INFINITY);
  const sqlite = new Sqlite(process.env.DATABASE_PATH!);
  sqlite.exec("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY)");
  sqlite.close();
  closeDatabase();
  expect(beats()).toBe(1);
  expect(replicaAgeSeconds(Date.now() + 90_000)).toBeGreaterThanOrEqual(90);
});
