import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listPublished } from "~/catalogue/listing.server";
import { forgetTombstones } from "~/catalogue/search-tombstones.server";
import { sqliteHandle } from "~db/client.server";
import * as reference from "../catalogue-reference";
import { ids, video, write } from "../catalogue-rows";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const found = async (search: string) => ids((await listPublished({ search, page: 1 })).videos);
const tombstones = () =>
  sqliteHandle().prepare("SELECT count(*) FROM search_tombstones").pluck().get();

const INDEXES = ["published_text", "published_grams"] as const;
/** Every term of an index with the number of its videos and of its occurrences. */
function terms(index: string): unknown[] {
  const sqlite = sqliteHandle();
  sqlite.exec(`
    DROP TABLE IF EXISTS temp.terms;
    CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', '${index}', 'row');`);
  const rows = sqlite.prepare("SELECT term, doc, cnt FROM temp.terms ORDER BY term").all();
  sqlite.exec("DROP TABLE temp.terms");
  return rows;
}

/** Enters what is published anew, into indexes that have been emptied. */
function buildAnew(): void {
  const sqlite = sqliteHandle();
  for (const index of INDEXES) {
    sqlite.exec(`INSERT INTO ${index} (${index}) VALUES ('delete-all')`);
  }
  sqlite.exec(`
    DELETE FROM published;
    UPDATE videos SET title = title || ' ' WHERE status = 'published';
    UPDATE videos SET title = rtrim(title) WHERE status = 'published';`);
  while (forgetTombstones(1_000) > 0);
}

describe("a video that is public no more", () => {
  const videos = [
    video({ id: "a", title: "Night train", tags: ["summer"] }),
    video({ id: "b", title: "Night bus" }),
  ];

  it.each([
    ["hidden", "UPDATE videos SET status = 'hidden' WHERE id = 'a'"],
    ["deleted", "DELETE FROM videos WHERE id = 'a'"],
    ["given another title", "UPDATE videos SET title = 'Day' WHERE id = 'a'"],
  ])("is not found from the moment that it is %s", async (_how, statement) => {
    write(videos);
    expect(await found("night")).toEqual(["b", "a"]);
    sqliteHandle().exec(statement);
    expect(await found("night")).toEqual(["b"]);
    expect(await found("ni")).toEqual(["b"]);
    expect((await listPublished({ search: "night", page: 1 })).total).toBe(1);
    while (forgetTombstones() > 0);
    expect(await found("night")).toEqual(["b"]);
    expect(await found("ni")).toEqual(["b"]);
  });

  it("is found when it is shown again, before and after it was forgotten", async () => {
    write(videos);
    for (const forget of [() => 0, () => forgetTombstones()]) {
      sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
      expect(tombstones()).toBe(2);
      forget();
      sqliteHandle().exec("UPDATE videos SET status = 'published'");
      expect(tombstones()).toBe(0);
      expect(new Set(await found("night"))).toEqual(new Set(["a", "b"]));
      expect(await found("su")).toEqual(["a"]);
    }
  });

  it("leaves its place to one of the same time, which is found by its own text alone", async () => {
    write([video({ id: "a", title: "Night train" })]);
    sqliteHandle().exec("DELETE FROM videos");
    write([video({ id: "b", title: "Morning bus" })]);
    expect(await found("morning")).toEqual(["b"]);
    expect(await found("bu")).toEqual(["b"]);
    expect(await found("night")).toEqual([]);
    expect(await found("gh")).toEqual([]);
    expect(tombstones()).toBe(0);
  });

  it("stays public when the change that would hide it is ignored", async () => {
    write(videos);
    sqliteHandle().exec("UPDATE OR IGNORE videos SET status = 'no such status'");
    sqliteHandle().exec("UPDATE OR IGNORE videos SET id = 'b' WHERE id = 'a'");
    expect(await found("night")).toEqual(["b", "a"]);
    sqliteHandle().exec("UPDATE OR REPLACE videos SET id = 'b' WHERE id = 'a'");
    expect(await found("night")).toEqual(["b"]);
    expect(await found("train")).toEqual(["b"]);
    expect(await found("bus")).toEqual([]);
  });
});

describe("the search indexes", () => {
  const id = fc.integer({ min: 0, max: 9 }).map((n) => `v${n}`);
  const row = fc.record({
    title: fc.constantFrom("Night train", "Night bus", "Day by the sea", "Élodie 🎬"),
    tags: fc.constantFrom<string[] | null>(null, ["summer"], ["sea", "night"]),
    status: fc.constantFrom("published", "hidden"),
    category: fc.constantFrom("desi", "premium"),
    // Mostly of one time, so that places are taken again.
    created_at: fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"),
  });
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ what: fc.constant("replace" as const), id, row }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant("status" as const), id, row }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant("delete" as const), id, row }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant("forget" as const), id, row }) },
  );
  const needles = ["night", "sea", "élodie", "t", "🎬", "su", "by", "rain", "night bus"];

  it("hold what is public after any changes, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (changes) => {
        const sqlite = sqliteHandle();
        const model = new Map<string, reference.ReferenceVideo>();
        sqlite.exec("DELETE FROM videos");
        for (const { what, id, row } of changes) {
          const before = model.get(id);
          if (what === "replace") {
            model.set(id, video({ ...row, id }));
            write([model.get(id)!], "REPLACE");
          } else if (what === "delete") {
            model.delete(id);
            sqlite.prepare("DELETE FROM videos WHERE id = ?").run(id);
          } else if (what === "forget") {
            forgetTombstones(2);
          } else if (before) {
            const { entered } = before.status === row.status ? before : video({ id });
            model.set(id, { ...before, status: row.status, entered });
            sqlite.prepare("UPDATE videos SET status = ? WHERE id = ?").run(row.status, id);
          }
        }
        const expectSearches = async () => {
          for (const search of needles) {
            const expected = ids(reference.listed(model.values(), { search }));
            expect(await found(search), search).toEqual(expected);
          }
        };
        await expectSearches();
        while (forgetTombstones() > 0);
        await expectSearches();
        const kept = INDEXES.map(terms);
        buildAnew();
        expect(kept).toEqual(INDEXES.map(terms));
      }),
      { numRuns: 60 },
    );
  });
});
