import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listPublished } from "~/features/catalogue/published-list.server";
import { correctDerivedData } from "~/features/operations/library-check/integrity.server";
import { catalogueVersion, ensureProjected } from "~db/changes.server";
import {
  disableBusyTimeout,
  openSqlite,
  projector,
  sqliteHandle,
  transaction,
} from "~db/client.server";
import * as reference from "../../catalogue-reference";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const found = async (search: string) => ids((await listPublished({ search, page: 1 })).videos);
describe("a video in search results", () => {
  const videos = [
    video({ id: "a", title: "Night train", tags: ["summer"] }),
    video({ id: "b", title: "Night bus" }),
  ];

  it.each([
    ["hidden", "UPDATE videos SET status = 'hidden' WHERE id = 'a'"],
    ["deleted", "DELETE FROM videos WHERE id = 'a'"],
    ["given another title", "UPDATE videos SET title = 'Day' WHERE id = 'a'"],
  ])("is no longer found as soon as it is %s", async (_how, statement) => {
    write(videos);
    expect(await found("night")).toEqual(["b", "a"]);
    sqliteHandle().exec(statement);
    expect(await found("night")).toEqual(["b"]);
    expect(await found("ni")).toEqual(["b"]);
    expect((await listPublished({ search: "night", page: 1 })).total).toBe(1);
  });

  it("is found again after it becomes public again", async () => {
    write(videos);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect(await found("night")).toEqual([]);
    sqliteHandle().exec("UPDATE videos SET status = 'published'");
    expect(await found("night")).toEqual(["b", "a"]);
    expect(await found("su")).toEqual(["a"]);
  });

  it("leaves its sort key to another video with the same timestamp, which isn't found by the deleted video's title", async () => {
    write([video({ id: "a", title: "Night train" })]);
    expect(await found("night")).toEqual(["a"]);
    sqliteHandle().exec("DELETE FROM videos");
    write([video({ id: "b", title: "Morning bus" })]);
    expect(await found("morning")).toEqual(["b"]);
    expect(await found("bu")).toEqual(["b"]);
    expect(await found("night")).toEqual([]);
    expect(await found("gh")).toEqual([]);
  });

  it("stays public if the change that would hide it is ignored", async () => {
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
    // There are only two timestamps, so that sort keys are reused.
    created_at: fc.constantFrom("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"),
  });
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ what: fc.constant("replace" as const), id, row }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant("status" as const), id, row }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant("delete" as const), id, row }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant("project" as const), id, row }) },
  );
  const needles = ["night", "sea", "élodie", "t", "🎬", "su", "by", "rain", "night bus"];

  it("find exactly the public videos after any sequence of changes", async () => {
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
          } else if (what === "project") {
            await ensureProjected();
          } else if (before) {
            model.set(id, { ...before, status: row.status });
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
        expect(await correctDerivedData()).toBe(false);
        // Rebuilt indexes must return the same results.
        projector().reset();
        await expectSearches();
      }),
      { numRuns: 60 },
    );
  });
});

describe("pending changes", () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => video({ id: `v${i}`, title: `Night ${i}` }));
  const other = () => openSqlite(sqliteHandle().name);

  it("are projected in parts, so that timers can run between them", async () => {
    write(rows(3_000));
    const startedAt = performance.now();
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    await ensureProjected();
    clearInterval(timer);
    expect((performance.now() - startedAt) / (ticks + 1)).toBeLessThan(50);
    expect(projector().waiting().last).toBeNull();
    expect((await listPublished({ search: "night", page: 1 })).total).toBe(3_000);
  });

  it("let the site write between parts", async () => {
    disableBusyTimeout();
    const program = other();
    write(rows(6_000));
    const all = ensureProjected();
    await transaction(() =>
      sqliteHandle().exec("UPDATE videos SET status = 'hidden' WHERE id = 'v5999'"),
    );
    program.pragma("busy_timeout = 5000");
    program.exec("UPDATE videos SET status = 'hidden' WHERE id = 'v5998'");
    program.close();
    await all;
    expect((await listPublished({ search: "night", page: 1 })).total).toBe(5_998);
  });

  it("are added to a search index in one segment, regardless of their order", async () => {
    const day = (i: number) => new Date(Date.UTC(2026, 0, 1) - i * 86_400_000).toISOString();
    write(rows(1_000).map((row, i) => ({ ...row, created_at: day((i * 7) % 1_000) })));
    projector().run(1_000);
    const parts = (index: string) =>
      sqliteHandle().prepare(`SELECT count(DISTINCT segid) FROM ${index}_idx`).pluck().get();
    expect(parts("video_search")).toBe(1);
    expect(parts("video_search_short")).toBe(1);
    expect((await listPublished({ search: "night 999", page: 1 })).total).toBe(1);
  });

  it("change the catalogue's version immediately, and no version is repeated", async () => {
    const seen = new Set<number>([catalogueVersion().catalogue]);
    const change = (id: number) => write([video({ id: `c${id}` })]);
    for (let id = 0; id < 20; id += 1) {
      if (id % 3 === 0) write(rows(200), "REPLACE");
      else change(id);
      const { catalogue } = catalogueVersion();
      expect(seen).not.toContain(catalogue);
      seen.add(catalogue);
      if (id % 2 === 0) await ensureProjected();
    }
  });

  it("don't delay a list even if there are many of them, and the list is correct", async () => {
    await ensureProjected();
    sqliteHandle().exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
      INSERT INTO videos (id, title, category) SELECT 'n' || i, 'Night ' || i, 'desi' FROM n`);
    // The changes haven't been projected yet.
    const first = await listPublished({ page: 1 });
    expect(first.videos[0]?.id).toBe("n25000");
    expect(first.total).toBeGreaterThanOrEqual(8);
    expect(projector().waiting().last).not.toBeNull();
    sqliteHandle().exec("UPDATE videos SET status = 'hidden' WHERE id = 'n25000'");
    const { videos } = await listPublished({ page: 1 });
    expect(videos[0]?.id).toBe("n24999");
    // Wait for the worker thread, because the test removes the database file.
    await vi.waitFor(async () => {
      await ensureProjected();
      expect(projector().waiting().last).toBeNull();
    }, 60_000);
  });

  it("stay pending while another process has locked the database file, without blocking requests", async () => {
    write([video({ id: "a", title: "Night train" })]);
    await ensureProjected();
    const before = catalogueVersion();
    // The site does the same before it serves requests.
    disableBusyTimeout();
    const holder = other();
    holder.exec("UPDATE videos SET status = 'hidden'; BEGIN IMMEDIATE");
    const startedAt = performance.now();
    expect(catalogueVersion()).not.toEqual(before);
    expect(ids((await listPublished({ page: 1 })).videos)).toEqual([]);
    expect(await found("night")).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    holder.exec("ROLLBACK");
    holder.close();
    expect((await listPublished({ page: 1 })).total).toBe(0);
  });

  it("are logged once if they can't be projected, and lists keep working", async () => {
    write([video({ id: "a", title: "Night train" })]);
    await ensureProjected();
    const before = catalogueVersion();
    const sqlite = sqliteHandle();
    sqlite.exec("ALTER TABLE projected_videos RENAME TO projected_videos_away");
    sqlite.exec("UPDATE videos SET status = 'hidden'");
    expect(catalogueVersion()).not.toEqual(before);
    expect(ids((await listPublished({ page: 1 })).videos)).toEqual([]);
    expect(console.error).toHaveBeenCalledOnce();
    vi.mocked(console.error).mockClear();
    sqlite.exec("ALTER TABLE projected_videos_away RENAME TO projected_videos");
    expect((await listPublished({ page: 1 })).total).toBe(0);
  });
});
