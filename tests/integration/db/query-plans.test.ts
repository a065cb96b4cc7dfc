import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findRows } from "~/features/catalogue/list-query.server";
import { listPublished, listTrending } from "~/features/catalogue/published-list.server";
import { readManagedPage } from "~/features/library/list/managed-search.server";
import { sqliteHandle } from "~db/client.server";
import { video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  write([video({ id: "a", title: "Night train", views: 3 })]);
});
afterEach(() => site.remove());

/** Returns the plan for each query on `videos` that the work compiles on the site's connection. */
async function plansOf(work: () => unknown): Promise<string[]> {
  const prepare = vi.spyOn(sqliteHandle(), "prepare");
  await work();
  const statements = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  return statements
    .filter((sql) => /^\s*SELECT/.test(sql) && sql.includes("FROM videos"))
    .map((sql) => {
      const values = Array.from(sql.matchAll(/\?/g), () => null);
      const steps = sqliteHandle().prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values);
      return [sql, ...steps.map((step) => (step as { detail: string }).detail)].join("\n");
    });
}

describe("the queries for the public lists", () => {
  it("don't sort any rows, and read a page's rows by their keys", async () => {
    const plans = await plansOf(async () => {
      await listPublished({ page: 1 });
      await listPublished({ category: "desi", page: 1 });
      await listPublished({ search: "night", page: 1 });
      await listTrending({ page: 1 });
    });
    expect(plans.length).toBeGreaterThanOrEqual(5);
    // If SQLite used an index on the status, it would scan all of it.
    for (const plan of plans) expect(plan).not.toMatch(/TEMP B-TREE|_by_status|SCAN videos$/m);
  });
});

/** Expects a query to read only the index, and to fetch a row only for the selected columns. */
function expectReadFromIndex(sql: string): void {
  const values = Array.from(sql.matchAll(/\?/g), () => null);
  const steps = sqliteHandle().prepare(`EXPLAIN ${sql}`).all(values) as {
    opcode: string;
    p1: number;
  }[];
  const tables = steps.filter(({ opcode }) => opcode === "DeferredSeek").map((step) => step.p1);
  const opened = steps.filter(({ opcode }) => opcode === "OpenRead").map((step) => step.p1);
  const read = steps.filter(({ opcode }) => opcode === "Column").map((step) => step.p1);
  const ofTables = opened.filter((cursor) => !tables.includes(cursor));
  expect(tables.length, sql).toBeGreaterThan(0);
  for (const cursor of read) expect(ofTables, sql).not.toContain(cursor);
}

describe("the queries for sorted and filtered lists", () => {
  it("scan only the index for their sort order", () => {
    const prepare = vi.spyOn(sqliteHandle(), "prepare");
    for (const order of ["newest", "views", "longest", "shortest"] as const) {
      for (const length of [undefined, [300, 1_200] as const]) {
        for (const categories of [[], ["desi", "amateur"]]) {
          for (const fromEnd of [false, true]) {
            const question = { order, length, categories, fromEnd, offset: 0, limit: 8 };
            findRows((sql) => sqliteHandle().prepare(sql), question);
          }
        }
      }
    }
    // Each of these queries is accompanied by a query for excluded videos.
    const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /ORDER BY/.test(sql));
    prepare.mockRestore();
    expect(statements).toHaveLength(32);
    for (const sql of statements) {
      const values = Array.from(sql.matchAll(/\?/g), () => null);
      const plan = sqliteHandle().prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values);
      expect(JSON.stringify(plan), sql).not.toMatch(/TEMP B-TREE/);
      expectReadFromIndex(sql);
    }
  });
});

describe("the queries for the admin list", () => {
  it("don't sort any rows, whatever the sort order and filter", async () => {
    const plans = await plansOf(() => {
      const hits = readManagedPage(sqliteHandle());
      for (const sort of ["newest", "oldest", "views", "title", "longest", "largest"] as const) {
        for (const filter of [{}, { status: "hidden" as const }, { categories: ["desi"] }]) {
          for (const page of [1, 1_900]) {
            hits({ view: { search: "", sort, page, ...filter }, total: 100_000 });
          }
        }
      }
    });
    expect(plans.length).toBe(36);
    for (const plan of plans) expect(plan).not.toMatch(/TEMP B-TREE|_by_status|SCAN videos$/m);
  });

  it("use a dedicated index for each of the other filters", async () => {
    const found: Record<string, string[]> = {};
    for (const [name, filter] of Object.entries({
      dates: { from: "2025-01-01", to: "2025-01-31" },
      uploader: { uploadedBy: "u", status: "published" as const, from: "2025-01-01" },
      failed: { problems: ["failed" as const] },
      missing: { problems: ["missing" as const] },
      thumbnail: { problems: ["no-thumbnail" as const], from: "2025-01-01" },
    })) {
      found[name] = await plansOf(() => {
        const view = { search: "", sort: "views" as const, page: 1, ...filter };
        readManagedPage(sqliteHandle())({ view, total: undefined });
      });
    }
    // There is a query for the count and a query for the page. For the problem filters, a single query does both.
    expect(Object.values(found).map((plans) => plans.length)).toEqual([2, 2, 1, 1, 2]);
    for (const plan of Object.values(found).flat()) expect(plan).not.toMatch(/SCAN videos/);
    for (const plan of found.dates!) expect(plan).toMatch(/INDEX videos_by_age \(sort_key>/);
    for (const plan of found.uploader!) expect(plan).toMatch(/INDEX videos_by_uploader \(up/);
    for (const plan of found.thumbnail!) expect(plan).toMatch(/INDEX videos_without_thumbnail/);
    expect(found.failed![0]).toMatch(/SEARCH jobs USING INDEX jobs_by_state/);
    expect(found.missing![0]).toMatch(/missing_files/);
  });
});
