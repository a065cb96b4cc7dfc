import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closeDatabase, openSqlite } from "~db/client.server";
import { startHeartbeat } from "~db/heartbeat.server";
import { migrate } from "~db/migrate.server";
import { openCopy } from "~db/reader-database.server";
import { copyAgeSeconds } from "~db/replication.server";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
let copy: string;
beforeEach(() => {
  site = useTemporarySite();
  copy = path.join(site.folder, "copy.sqlite");
});
afterEach(() => site.remove());

/** A whole database of this version in one file, changed by `change`. */
function makeCopy(change: string): void {
  const sqlite = openSqlite(copy);
  migrate(sqlite);
  sqlite.exec(change);
  sqlite.pragma("journal_mode = DELETE");
  sqlite.close();
}
const BEAT = "INSERT INTO heartbeat (id, at) VALUES (1, '2026-01-31T03:00:00.000Z');";

it("a copy is read and never written, not even beside it", () => {
  makeCopy(BEAT);
  const sqlite = openCopy(copy);
  expect(sqlite.prepare("SELECT count(*) FROM videos").pluck().get()).toBe(0);
  expect(() => sqlite.exec("DELETE FROM videos")).toThrow(/readonly/);
  sqlite.close();
  expect(fs.readdirSync(site.folder).filter((name) => name.startsWith("copy"))).toEqual([
    "copy.sqlite",
  ]);
});

it.each([
  ["it is not there", undefined, /is not there .*npm run refresh-reader/],
  ["it does not say how old it is", "", /does not say how old it is; .*LITESTREAM=on/],
  [
    "it comes from a newer version",
    `${BEAT} INSERT INTO migrations (name, digest) VALUES ('9999-later', '')`,
    /a newer version of the site \(9999-later\)/,
  ],
  [
    "it comes from an older version",
    `${BEAT} DELETE FROM migrations WHERE name = '1000-baseline'`,
    /an older version of the site \(1000-baseline\)/,
  ],
])("a copy is refused with a sentence when %s", (_, change, message) => {
  if (change !== undefined) makeCopy(change);
  expect(() => openCopy(copy)).toThrow(message);
});

it("what is no database is refused", () => {
  fs.writeFileSync(copy, "This is no database.".repeat(300));
  expect(() => openCopy(copy)).toThrow(/is not an SQLite database/);
});

it("a site writes the time only where its database is copied", () => {
  const beats = () => {
    startHeartbeat();
    const sqlite = new Sqlite(process.env.DATABASE_PATH!);
    const count = sqlite.prepare("SELECT count(*) FROM heartbeat").pluck().get();
    sqlite.close();
    return count;
  };
  expect(beats()).toBe(0);
  expect(copyAgeSeconds()).toBe(Number.POSITIVE_INFINITY);
  const sqlite = new Sqlite(process.env.DATABASE_PATH!);
  sqlite.exec("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY)");
  sqlite.close();
  closeDatabase();
  expect(beats()).toBe(1);
  expect(copyAgeSeconds(Date.now() + 90_000)).toBeGreaterThanOrEqual(90);
});
