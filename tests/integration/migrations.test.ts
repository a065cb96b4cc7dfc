import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqlite, sqliteHandle } from "~db/client.server";
import { migrate } from "~db/migrate.server";
import { migrations } from "~db/migrations";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
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

describe("other programs that write to the file", () => {
  it("may bring an SQLite as old as 3.34, the first with trigrams", () => {
    const schema = sqliteHandle().prepare("SELECT sql FROM sqlite_master").pluck().all().join("\n");
    // Each came later, and a trigger that meets it makes every insert fail.
    expect(schema).not.toMatch(
      /contentless_delete|contentless_unindexed|remove_diacritics\s*=|STRICT|unixepoch|->>|RETURNING/i,
    );
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

  it.each([
    ["an unknown category", "title, category", "'A', 'trending'"],
    ["an unknown status", "title, category, status", "'A', 'desi', 'gone'"],
    ["views below 0", "title, category, views", "'A', 'desi', -1"],
    ["tags that are no list", "title, category, tags", `'A', 'desi', '{"a":1}'`],
    ["tags that are no JSON", "title, category, tags", "'A', 'desi', 'a, b'"],
  ])("refuses %s", (_, columns, values) => {
    expect(() => insert(columns, values)).toThrow(/CHECK constraint failed|malformed JSON/);
  });
});
