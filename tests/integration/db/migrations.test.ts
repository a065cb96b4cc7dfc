import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listPublished } from "~/catalogue/lists/listing.server";
import { correctDerivedData } from "~/studio/library/integrity.server";
import { openSqlite, projector, sqliteHandle } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { migrations } from "~db/migrations";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  // These tests migrate a database themselves.
  fs.rmSync(path.join(site.folder, "db"), { recursive: true });
});
afterEach(() => site.remove());

const toy = { name: "9999-toy", sql: "CREATE TABLE toy (id INTEGER PRIMARY KEY)" };

describe("migrations", () => {
  it("are named in the order they run", () => {
    const names = migrations.map((migration) => migration.name);
    expect(names).toEqual([...names].sort());
  });

  it("run once", () => {
    expect(migrate(sqliteHandle())).toEqual([]);
  });

  it("copy an existing file aside before they change it", () => {
    const sqlite = sqliteHandle();
    sqlite.exec("INSERT INTO users (email, password_hash) VALUES ('a@example.com', 'x')");
    expect(migrate(sqlite, [...migrations, toy])).toEqual([toy.name]);
    const copy = openSqlite(`${sqlite.name}.before-${toy.name}`);
    expect(copy.prepare("SELECT count(*) FROM users").pluck().get()).toBe(1);
    expect(
      copy.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'toy'").pluck().get(),
    ).toBe(0);
    copy.close();
  });

  it("do not copy a file they have just made", () => {
    sqliteHandle();
    expect(
      fs.readdirSync(path.join(site.folder, "db")).some((name) => name.includes("before")),
    ).toBe(false);
  });

  it("leave nothing of one that fails half-way", () => {
    const sqlite = sqliteHandle();
    const broken = { name: "9999-broken", sql: `${toy.sql}; CREATE TABLE videos (id)` };
    expect(() => migrate(sqlite, [...migrations, broken])).toThrow(/already exists/);
    expect(
      sqlite.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'toy'").pluck().get(),
    ).toBe(0);
  });

  it("refuse a file of a newer version with a sentence", () => {
    const sqlite = sqliteHandle();
    migrate(sqlite, [...migrations, toy]);
    expect(() => migrate(sqlite)).toThrow(/written by a newer version .+ 9999-toy/);
  });
});

describe("a database of the version before the baseline", () => {
  const VIDEOS = 1_000;
  const COLUMNS = ["id", "title", "category", "tags", "status", "views", "bytes", "created_at"];
  const before = fs.readFileSync(
    new URL("../../schema-before-baseline.sql", import.meta.url),
    "utf8",
  );

  /** Writes it where the site will look for its database; returns its rows. */
  function writeFile(): unknown[] {
    const sqlite = openSqlite(process.env.DATABASE_PATH ?? "");
    sqlite.exec(before);
    sqlite.exec(`
      INSERT INTO users (id, email, password_hash) VALUES ('u', 'a@example.com', 'x');
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${VIDEOS})
      INSERT INTO videos (id, title, category, tags, status, views, created_at)
        SELECT 'v' || i, 'Night train ' || i,
          CASE i % 3 WHEN 0 THEN 'desi' WHEN 1 THEN 'amateur' ELSE 'english' END,
          CASE i % 2 WHEN 0 THEN '["summer"]' END,
          CASE i % 10 WHEN 0 THEN 'hidden' WHEN 5 THEN 'review' ELSE 'published' END,
          i % 7, strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + i * 37 % 500, 'unixepoch') FROM n;
      INSERT INTO media_files (bucket, path, video_id, kind, bytes)
        VALUES ('videos', 'u/1.mp4', 'v1', 'video', 700);
      INSERT INTO jobs (video_id, kind, priority, state, reason) VALUES
        ('v1', 'ladder', 40, 'parked', 'because'), ('v1', 'poster', 10, 'waiting', NULL),
        ('v1', 'playable', 0, 'done', NULL), ('v1', 'tidy', 50, 'waiting', NULL);
      INSERT INTO video_digests VALUES ('v1', '${"a".repeat(64)}');
      INSERT INTO view_days VALUES ('v2', '2026-11-20', 5);`);
    const rows = sqlite.prepare(`SELECT ${COLUMNS} FROM videos ORDER BY rowid`).all();
    sqlite.close();
    return rows;
  }

  it("is brought over with everything in it", async () => {
    const rows = writeFile();
    const sqlite = sqliteHandle();
    expect(sqlite.prepare(`SELECT ${COLUMNS} FROM videos ORDER BY number`).all()).toEqual(rows);
    expect(migrate(sqlite)).toEqual([]);
    for (const table of ["users", "media_files", "video_digests", "view_days"]) {
      expect(sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBe(1);
    }
    sqlite.exec("INSERT INTO jobs (video_id, kind, priority) VALUES ('v1', 'captions', 5)");
    expect(sqlite.prepare("SELECT kind, state, reason FROM jobs ORDER BY id").all()).toEqual([
      { kind: "ladder", state: "failed", reason: "because" },
      { kind: "poster", state: "waiting", reason: null },
      { kind: "transcode", state: "done", reason: null },
      { kind: "cleanup", state: "waiting", reason: null },
      { kind: "captions", state: "waiting", reason: null },
    ]);
    expect(sqlite.prepare("SELECT bytes FROM storage").pluck().get()).toBe(700);
    expect(fs.existsSync(`${sqlite.name}.before-${migrations[0]?.name}`)).toBe(true);
    // Everything derived is there before anyone asks.
    expect(projector().waiting().last).toBeNull();
    expect(await correctDerivedData()).toBe(false);
    expect((await listPublished({ page: 1 })).total).toBe(800);
    expect((await listPublished({ page: 1, category: "desi" })).total).toBe(534);
    expect((await listPublished({ page: 1, search: "summer" })).total).toBe(400);
    // What belongs to a video goes with it, whoever deletes it.
    sqlite.exec("DELETE FROM videos WHERE id = 'v1'");
    expect(sqlite.prepare("SELECT count(*) FROM jobs").pluck().get()).toBe(0);
    expect(sqlite.prepare("SELECT count(*) FROM video_digests").pluck().get()).toBe(0);
  });

  it("has the schema of a new one afterwards", () => {
    writeFile();
    const described = (sqlite: ReturnType<typeof openSqlite>) => {
      const objects = sqlite
        .prepare(
          "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
        )
        .all() as { type: string; name: string }[];
      return objects.map(({ type, name }) => ({
        ...{ type, name },
        columns: sqlite.prepare("SELECT * FROM pragma_table_xinfo(?) ORDER BY name").all(name),
        indexed: sqlite.prepare("SELECT * FROM pragma_index_xinfo(?)").all(name),
      }));
    };
    const withoutOrder = (described_: ReturnType<typeof described>) =>
      described_.map(({ columns, ...rest }) => ({
        ...rest,
        columns: columns.map((column) => ({ ...(column as object), cid: 0 })),
        indexed: rest.indexed.map((column) => ({ ...(column as object), cid: 0 })),
      }));
    const fresh = openSqlite(`${site.folder}/fresh.sqlite`);
    migrate(fresh);
    expect(withoutOrder(described(sqliteHandle()))).toEqual(withoutOrder(described(fresh)));
    fresh.close();
  });

  it("is refused when it is older still", () => {
    writeFile();
    const sqlite = openSqlite(process.env.DATABASE_PATH ?? "");
    sqlite.exec("DELETE FROM migrations WHERE name = '0160-poster-colors'");
    expect(() => migrate(sqlite)).toThrow(/too old to be brought over .+ 0160-poster-colors/);
    sqlite.close();
  });
});

describe("other programs that write to the file", () => {
  it("meet three triggers of videos two for those held back, two for records of consent, and nothing newer than SQLite 3.40", () => {
    const triggers = sqliteHandle()
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'videos'")
      .all() as { name: string; sql: string }[];
    const holding = [
      ...["videos_held_changed", "videos_held_entered"],
      ...["videos_consent_changed", "videos_consent_entered"],
    ];
    expect(triggers.filter(({ name }) => holding.includes(name))).toHaveLength(4);
    expect(triggers.filter(({ name }) => !holding.includes(name))).toHaveLength(3);
    expect(triggers.map(({ sql }) => sql).join()).not.toMatch(
      /video_search|fts5|->>|RETURNING|unixepoch/i,
    );
  });

  /** The shell of the system, which on Debian 12 is 3.40. */
  const shell = spawnSync("sqlite3", ["--version"]).error ? "the library itself" : "sqlite3";
  it(`may be ${shell}`, async () => {
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

  it("takes a row of title and category alone", () => {
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

  it("takes a category that is none of the site's, which is shown by its own name", async () => {
    insert("id, title, category", "'a', 'A', 'vintage'");
    const { videos } = await listPublished({ page: 1 });
    expect(videos).toMatchObject([{ id: "a", category: "vintage" }]);
  });

  it.each([
    ["an unknown status", "title, category, status", "'A', 'desi', 'gone'"],
    ["views below 0", "title, category, views", "'A', 'desi', -1"],
    ["tags that are no list", "title, category, tags", `'A', 'desi', '{"a":1}'`],
    ["tags that are no JSON", "title, category, tags", "'A', 'desi', 'a, b'"],
  ])("refuses %s", (_, columns, values) => {
    expect(() => insert(columns, values)).toThrow(/CHECK constraint failed|malformed JSON/);
  });
});
