import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listPublished } from "~/features/catalogue/published-list.server";
import { correctDerivedData } from "~/features/operations/library-check/integrity.server";
import { openSqlite, sqliteHandle } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { migrations } from "~db/migrations/index";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  // Remove the database, because these tests migrate it themselves.
  fs.rmSync(path.join(site.folder, "db"), { recursive: true });
});
afterEach(() => site.remove());

const KEPT = fileURLToPath(new URL("../../versions", import.meta.url));
const RELEASES = fs.readdirSync(KEPT).filter((name) => name.endsWith(".tar.gz"));

const toy = { name: "9999-toy", sql: "CREATE TABLE toy (id INTEGER PRIMARY KEY)" };
const hasToy = (sqlite: ReturnType<typeof openSqlite>) =>
  sqlite.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'toy'").pluck().get() === 1;

describe("the migrations", () => {
  it("run in the order of their names", () => {
    const names = migrations.map((migration) => migration.name);
    expect(names).toEqual([...names].sort());
  });

  it("run only once", () => {
    expect(migrate(sqliteHandle())).toEqual([]);
  });

  it("are recorded with the SHA-256 of their SQL", () => {
    const sqlite = sqliteHandle();
    migrate(sqlite, [...migrations, toy]);
    expect(sqlite.prepare("SELECT name, digest FROM migrations ORDER BY name").all()).toEqual(
      [...migrations, toy].map(({ name, sql }) => ({
        name,
        digest: createHash("sha256").update(sql).digest("hex"),
      })),
    );
  });

  it.each(RELEASES)("haven't been changed since the release of %s", (release) => {
    execFileSync("tar", ["-xzf", path.join(KEPT, release), "-C", site.folder, "db/site.sqlite"]);
    const sqlite = openSqlite(path.join(site.folder, "db/site.sqlite"));
    // Throws an error if a migration now has another digest.
    migrate(sqlite);
    sqlite.close();
  });

  it("copy an existing database file before they change it", () => {
    const sqlite = sqliteHandle();
    sqlite.exec("INSERT INTO users (email, password_hash) VALUES ('a@example.com', 'x')");
    expect(migrate(sqlite, [...migrations, toy])).toEqual([toy.name]);
    const copy = openSqlite(`${sqlite.name}.before-${toy.name}`);
    expect(copy.prepare("SELECT count(*) FROM users").pluck().get()).toBe(1);
    expect(hasToy(copy)).toBe(false);
    copy.close();
  });

  it("don't copy a new database file", () => {
    sqliteHandle();
    expect(
      fs.readdirSync(path.join(site.folder, "db")).some((name) => name.includes("before")),
    ).toBe(false);
  });

  it("roll back a migration that fails halfway", () => {
    const sqlite = sqliteHandle();
    const broken = { name: "9999-broken", sql: `${toy.sql}; CREATE TABLE videos (id)` };
    expect(() => migrate(sqlite, [...migrations, broken])).toThrow(/already exists/);
    expect(hasToy(sqlite)).toBe(false);
  });

  it("don't change another application's database", () => {
    const sqlite = openSqlite(path.join(site.folder, "other.sqlite"));
    sqlite.exec("CREATE TABLE videos (id)");
    expect(() => migrate(sqlite)).toThrow(/already exists/);
    expect(sqlite.prepare("SELECT name FROM sqlite_master").pluck().all()).toEqual(["videos"]);
    sqlite.close();
  });

  it("reject a database from a newer version", () => {
    const sqlite = sqliteHandle();
    migrate(sqlite, [...migrations, toy]);
    expect(() => migrate(sqlite)).toThrow(/created by a newer version .+ 9999-toy/);
  });

  it("reject a database with a different digest for a recorded migration, before any new migration runs", () => {
    const sqlite = sqliteHandle();
    migrate(sqlite, [...migrations, toy]);
    const edited = { ...toy, sql: `${toy.sql} STRICT` };
    const next = { name: "9999-tz", sql: "CREATE TABLE next (id)" };
    expect(() => migrate(sqlite, [...migrations, edited, next])).toThrow(/by a development build/);
    const copies = fs.readdirSync(path.dirname(sqlite.name)).filter((name) => /before/.test(name));
    expect(copies).toEqual([`site.sqlite.before-${toy.name}`]);
  });
});

describe("the triggers on the videos table", () => {
  it("include two for holds and two for consent records, seven in total, and are compatible with SQLite 3.40", () => {
    const triggers = sqliteHandle()
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'videos'")
      .all() as { name: string; sql: string }[];
    const holding = [
      ...["videos_held_kept", "videos_entered_held"],
      ...["videos_consent_changed", "videos_consent_entered"],
    ];
    expect(triggers.filter(({ name }) => holding.includes(name))).toHaveLength(4);
    expect(triggers.filter(({ name }) => !holding.includes(name))).toHaveLength(3);
    expect(triggers.map(({ sql }) => sql).join()).not.toMatch(
      /video_search|fts5|->>|RETURNING|unixepoch/i,
    );
  });

  /** The system's SQLite shell. On Debian 12, its version is 3.40. */
  const shell = spawnSync("sqlite3", ["--version"]).error ? "the library itself" : "sqlite3";
  it(`work if another tool writes with ${shell}`, async () => {
    sqliteHandle();
    const statements = `
      INSERT INTO videos (id, title, category) VALUES ('a', 'Night train', 'desi'), ('b', 'B', 'desi');
      INSERT OR REPLACE INTO videos (id, title, category) VALUES ('b', 'Night bus', 'english');
      INSERT OR IGNORE INTO videos (id, title, category) VALUES ('a', 'Ignored', 'english');
      INSERT INTO videos (id, title, category) VALUES ('c', 'Day', 'solo'), ('a', 'Night boat', 'desi')
        ON CONFLICT (id) DO UPDATE SET title = excluded.title;
      UPDATE videos SET status = 'hidden' WHERE id = 'c';
      UPDATE OR REPLACE videos SET id = 'd' WHERE id = 'c';
      DELETE FROM videos WHERE id = 'nobody';`;
    if (shell === "sqlite3") {
      const { stderr, status } = spawnSync("sqlite3", [sqliteHandle().name], { input: statements });
      expect([String(stderr), status]).toEqual(["", 0]);
    } else sqliteHandle().exec(statements);
    const found = await listPublished({ search: "night", page: 1 });
    expect(found.videos.map(({ id }) => id).sort()).toEqual(["a", "b"]);
    expect((await listPublished({ page: 1 })).total).toBe(2);
    expect(await correctDerivedData()).toBe(false);
  });
});

describe("the videos table", () => {
  const insert = (columns: string, values: string) =>
    sqliteHandle().exec(`INSERT INTO videos (${columns}) VALUES (${values})`);

  it("accepts a row with only a title and a category", () => {
    insert("title, category", "'A', 'desi'");
    expect(sqliteHandle().prepare("SELECT * FROM videos").get()).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      description: "",
      tags: null,
      duration: "0:00",
      video_url: "",
      status: "published",
      views: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it("accepts an unknown category, which is shown as stored", async () => {
    insert("id, title, category", "'a', 'A', 'vintage'");
    const { videos } = await listPublished({ page: 1 });
    expect(videos).toMatchObject([{ id: "a", category: "vintage" }]);
  });

  it.each([
    ["an unknown status", "title, category, status", "'A', 'desi', 'gone'"],
    ["negative views", "title, category, views", "'A', 'desi', -1"],
    ["tags that aren't a list", "title, category, tags", `'A', 'desi', '{"a":1}'`],
    ["tags that aren't JSON", "title, category, tags", "'A', 'desi', 'a, b'"],
  ])("rejects %s", (_, columns, values) => {
    expect(() => insert(columns, values)).toThrow(/CHECK constraint failed|malformed JSON/);
  });
});
