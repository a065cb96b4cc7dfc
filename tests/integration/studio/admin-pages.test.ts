import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ManageView, SORTS } from "~/features/library/list/manage-address";
import { listManaged } from "~/features/library/list/managed-list.server";
import { correctDerivedData } from "~/features/operations/library-check/integrity.server";
import { CATEGORY_IDS, storedValues } from "~/shared/categories";
import { ensureProjected } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import { VIDEO_STATUSES } from "~db/schema";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const LEGACY = ["amateur", "professional", "couples", "solo", "featured"];
const CATEGORIES = [...CATEGORY_IDS, ...LEGACY];

/** Adds rows with many equal sort keys, in no particular order. */
function addMany(from: number, to: number): void {
  const insert = sqliteHandle().prepare(
    `INSERT INTO videos (id, title, category, status, duration, views, bytes, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  sqliteHandle().transaction(() => {
    for (let n = from; n < to; n += 1) {
      const mixed = (n * 7_919) % 10_007;
      insert.run(
        `v${mixed}-${n}`,
        `${mixed % 2 ? "Title" : "title"} ${mixed % 97}`,
        CATEGORIES[mixed % CATEGORIES.length],
        VIDEO_STATUSES[mixed % 11 < 8 ? 0 : (mixed % 2) + 1],
        `${mixed % 61}:30`,
        mixed % 503,
        (mixed % 5) * 1_000,
        new Date(Date.UTC(2024, 0, 1) + (mixed % 2_000) * 60_000).toISOString(),
      );
    }
  })();
}

const KEYS = {
  newest: "created_at DESC, number DESC",
  oldest: "created_at, number",
  views: "views DESC, created_at DESC, number DESC",
  title: "title COLLATE NOCASE, number",
  longest: "seconds DESC, created_at DESC, number DESC",
  largest: "bytes DESC, number DESC",
  schedule: "publish_at, number",
  alike: "id, number",
};

type Listed = Record<"id" | "status" | "category", string>;

/**
 * Returns a function that lists all videos in a view with a plain query. It runs the query only once for each sort
 * order, so it doesn't see later changes to the rows.
 */
function plainQueryLists(): (view: ManageView) => string[] {
  const sorted = new Map<string, Listed[]>();
  return ({ sort, status, category }) => {
    const all =
      sorted.get(sort) ??
      (sqliteHandle()
        .prepare(`SELECT id, status, category FROM videos NOT INDEXED ORDER BY ${KEYS[sort]}`)
        .all() as Listed[]);
    sorted.set(sort, all);
    const names = category && storedValues(category);
    return all
      .filter(
        (row) => (!status || row.status === status) && (!names || names.includes(row.category)),
      )
      .map(({ id }) => id);
  };
}

/**
 * Returns a function that compares a view with the result of the plain query. The rows must not change between calls.
 */
function comparing() {
  const plainly = plainQueryLists();
  return async (view: ManageView): Promise<void> => {
    const all = plainly(view);
    const { videos, total, page } = await listManaged(view);
    expect(total).toBe(all.length);
    expect(videos.map(({ id }) => id)).toEqual(all.slice((page - 1) * 50, page * 50));
  };
}

/** Checks that the stored totals match the totals computed from the table. */
async function expectTotalsRight(): Promise<void> {
  await ensureProjected();
  const all = (sql: string) => sqliteHandle().prepare(sql).all();
  expect(all("SELECT * FROM video_totals ORDER BY status, listed, category")).toEqual(
    all(`SELECT status, listed, category, count(*) AS videos, sum(views > 0) AS viewed,
           sum(views) AS views, sum(bytes) AS bytes
         FROM videos GROUP BY status, listed, category ORDER BY status, listed, category`),
  );
}

const aView = fc.record(
  {
    sort: fc.constantFrom(...SORTS),
    page: fc.noBias(fc.integer({ min: 1, max: 260 })),
    search: fc.constant(""),
    status: fc.constantFrom(...VIDEO_STATUSES),
    category: fc.constantFrom(...CATEGORY_IDS),
  },
  { requiredKeys: ["sort", "page", "search"] },
);

describe("a list of thousands of videos", () => {
  it("matches the result of a plain query on every page and in every sort order, even after rows change", async () => {
    addMany(0, 9_000);
    await fc.assert(fc.asyncProperty(aView, comparing()), { numRuns: 150 });
    await expectTotalsRight();

    addMany(9_000, 12_000);
    sqliteHandle().exec(`
      UPDATE videos SET status = 'hidden' WHERE views % 13 = 0;
      UPDATE videos SET views = views + 400 WHERE views % 17 = 0;
      UPDATE videos SET category = 'featured', title = 'Another ' || title WHERE views % 19 = 0;
      UPDATE videos SET duration = '99:59', bytes = bytes + 7 WHERE views % 23 = 0;
      UPDATE videos SET id = 'moved-' || id, created_at = '2023-05-01T00:00:00.000Z'
        WHERE views % 29 = 0;
      DELETE FROM videos WHERE views % 7 = 0;
      INSERT OR REPLACE INTO videos (id, title, category, status)
        SELECT id, 'Replaced', 'desi', 'review' FROM videos WHERE views % 31 = 0;
      INSERT OR IGNORE INTO videos (id, title, category)
        SELECT id, 'Ignored', 'desi' FROM videos WHERE views % 3 = 0;
      INSERT INTO videos (id, title, category)
        SELECT id, 'Upserted', 'english' FROM videos WHERE views % 37 = 0
        ON CONFLICT (id) DO UPDATE SET title = excluded.title;`);
    await expectTotalsRight();
    await fc.assert(fc.asyncProperty(aView, comparing()), { numRuns: 150 });
    await expectTotalsRight();

    // Only a few of the thousands of videos are public.
    sqliteHandle().exec(`
      UPDATE videos SET status = 'hidden' WHERE created_at > '2024-01-01T12:00:00.000Z'`);
    const published = aView.map((view) => ({ ...view, status: "published" as const }));
    await fc.assert(fc.asyncProperty(published, comparing()), { numRuns: 60 });
    await expectTotalsRight();
    expect(await correctDerivedData()).toBe(false);
  });

  it("shows the correct pages after wrong totals have been corrected", async () => {
    addMany(0, 5_000);
    const expectEqual = comparing();
    await expectEqual({ sort: "newest", page: 50, search: "" });
    // Corrupt two totals without changing their sum.
    sqliteHandle().exec(`
      UPDATE video_totals SET videos = videos + CASE category WHEN 'desi' THEN 1 ELSE -1 END
      WHERE status = 'published' AND category IN ('desi', 'english')`);
    expect(await correctDerivedData()).toBe(true);
    await expectTotalsRight();
    for (const sort of SORTS) await expectEqual({ sort, page: 50, search: "" });
    expect(await correctDerivedData()).toBe(false);
  });
});
