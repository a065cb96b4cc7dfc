import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  cardsAt,
  hasAnyVideo,
  listPublished,
  listTrending,
} from "~/features/catalogue/published-list.server";
import { CATEGORY_IDS, storedValues } from "~/shared/categories";
import { PAGE_SIZE, pageParameter } from "~/shared/pages";
import { openSqlite, sqliteHandle } from "~db/client.server";
import * as reference from "../../catalogue-reference";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const minutesAfter = (minutes: number) =>
  new Date(Date.parse("2026-01-01T00:00:00Z") + minutes * 60_000).toISOString();

describe("the page parameter", () => {
  it.each([
    ["", 1],
    ["page=2", 2],
    ["page=abc", 1],
    ["page=-1", 1],
    ["page=0", 1],
    ["page=1.5", 1],
    ["page=1e9", 1_000_000_000],
    ["page=99999999999999999999", 1],
    ["page=2&page=3", 2],
    ["page=%00", 1],
    ["page=", 1],
    ["page=Infinity", 1],
  ])("?%s requests page %i", (query, page) =>
    expect(pageParameter(new URLSearchParams(query))).toBe(page),
  );
});

describe("pages", () => {
  it("consist of a single empty page if there are no videos", async () => {
    const empty = { videos: [], page: 1, pageCount: 1, total: 0 };
    expect(await listPublished({ page: 7 })).toEqual(empty);
    expect(await listTrending({ page: 7 })).toEqual(empty);
    expect(await hasAnyVideo()).toBe(false);
  });

  it.each([-5, 0, 1, Number.NaN, 3, 99, 1e9, Number.MAX_SAFE_INTEGER])(
    "are clamped to the existing pages (%d)",
    async (requestedPage) => {
      write(Array.from({ length: 17 }, (_, i) => video({ id: `v${i}`, views: 1 })));
      const page = Math.min(3, Math.max(1, requestedPage || 1));
      for (const list of [
        await listPublished({ page: requestedPage }),
        await listTrending({ page: requestedPage }),
      ]) {
        expect(list).toMatchObject({ page, pageCount: 3, total: 17 });
        expect(list.videos).toHaveLength(page === 3 ? 1 : PAGE_SIZE);
      }
    },
  );
});

describe("a list's cards", () => {
  it("exclude a video that was hidden after the list's query found it", () => {
    write([video({ id: "a" }), video({ id: "b" })]);
    const sortKeys = sqliteHandle()
      .prepare("SELECT sort_key FROM videos ORDER BY id")
      .pluck()
      .safeIntegers()
      .all() as bigint[];
    expect(ids(cardsAt(sortKeys))).toEqual(["a", "b"]);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden' WHERE id = 'a'");
    expect(ids(cardsAt(sortKeys))).toEqual(["b"]);
  });
});

describe("a category", () => {
  it.each(CATEGORY_IDS)(
    "%s includes videos with its current and its legacy value",
    async (category) => {
      const all = CATEGORY_IDS.flatMap((id) => storedValues(id));
      write(all.map((stored) => video({ id: stored, category: stored })));
      const { videos, total } = await listPublished({ category, page: 1 });
      expect(ids(videos).sort()).toEqual(storedValues(category).sort());
      expect(videos.map((card) => card.category)).toEqual([category, category]);
      expect(total).toBe(2);
    },
  );
});

describe("a row that another tool writes", () => {
  const everything = async () => ids((await listPublished({ page: 1 })).videos);

  it("appears in the lists immediately if it is written through a plain connection", async () => {
    sqliteHandle();
    const other = openSqlite(sqliteHandle().name);
    other.exec("INSERT INTO videos (title, category) VALUES ('Plain', 'solo')");
    expect(await listPublished({ page: 1 })).toMatchObject({
      total: 1,
      videos: [{ title: "Plain", category: "pornstar", thumbnailUrl: null, previewUrl: "" }],
    });
    other.exec("UPDATE videos SET status = 'hidden'");
    expect(await everything()).toEqual([]);
    other.exec("UPDATE videos SET status = 'published', views = 5");
    expect((await listTrending({ page: 1 })).total).toBe(1);
    other.exec("DELETE FROM videos");
    expect(await hasAnyVideo()).toBe(false);
    other.close();
  });

  it("is sorted by its timestamp, whatever the timestamp's format", async () => {
    const times = {
      iso: "2026-03-01T12:00:00.500Z",
      sqlite: "2026-03-01 12:00:01",
      zone: "2026-03-01T15:00:00+02:00",
      day: "2026-03-02",
      before: "1985-06-01T00:00:00Z",
      nonsense: "yesterday",
      empty: "",
      later: "9999-12-31T23:59:59Z",
    };
    write(Object.entries(times).map(([id, created_at]) => video({ id, created_at })));
    expect(await everything()).toEqual([
      ...["later", "day", "zone", "sqlite", "iso"],
      ...["empty", "nonsense", "before"],
    ]);
  });

  it("precedes rows with the same timestamp that were inserted earlier", async () => {
    write(["a", "c", "b"].map((id) => video({ id })));
    expect(await everything()).toEqual(["b", "c", "a"]);
  });

  it("can have any string as its id", async () => {
    const odd = ["../..", "a/b", "ночь", "x'y\"z", " ", "%", "a\nb", "0"];
    write(odd.map((id) => video({ id })));
    expect((await everything()).sort()).toEqual(odd.sort());
  });

  it.each([
    ["https://elsewhere.example/a.webp"],
    ["//elsewhere.example/a.webp"],
    ["javascript:alert(1)"],
    ["data:image/png;base64,AAAA"],
    ["/media/thumbnails/../../etc/passwd"],
    ["/media/thumbnails/u/..%2f..%2fpasswd"],
    ["/media/thumbnails/u\\1.webp"],
    ["/media/other/u/1.webp"],
    ["/media/thumbnails/1.webp?x=//elsewhere.example"],
    ["/sign-out"],
    [""],
  ])("doesn't expose an external or invalid URL such as %s", async (url) => {
    write([video({ id: "a" })]);
    sqliteHandle()
      .prepare("UPDATE videos SET thumbnail_url = ?, video_url = ?, poster_colors = ?")
      .run(url, url, `red;} ${url}`);
    const [card] = (await listPublished({ page: 1 })).videos;
    expect(card).toMatchObject({ thumbnailUrl: null, previewUrl: "" });
    expect(card).not.toHaveProperty("posterColors");
  });

  it("keeps the URLs of files on this site", async () => {
    write([video({ id: "a" })]);
    sqliteHandle().exec(
      "UPDATE videos SET thumbnail_url = '/media/thumbnails/u/1.webp', video_url = '/media/videos/u/1.mp4'",
    );
    const [card] = (await listPublished({ page: 1 })).videos;
    expect(card).toMatchObject({
      thumbnailUrl: "/media/thumbnails/u/1.webp",
      previewUrl: "/media/videos/u/1.mp4",
    });
    expect(card).not.toHaveProperty("previewIsClip");
  });

  it("may have a generated preview, which isn't mistaken for the video file", async () => {
    write([video({ id: "a" })]);
    const clip = "/media/videos/u/1/preview-x.mp4";
    sqliteHandle().prepare("UPDATE videos SET preview_url = ?").run(clip);
    expect((await listPublished({ page: 1 })).videos).toMatchObject([
      { previewUrl: clip, previewIsClip: true },
    ]);
  });
});

/** Returns all pages of a list in order. */
async function allPages(load: (page: number) => ReturnType<typeof listTrending>) {
  const found: string[] = [];
  const { pageCount, total } = await load(1);
  for (let page = 1; page <= pageCount; page += 1) found.push(...ids((await load(page)).videos));
  expect(total).toBe(found.length);
  return found;
}

async function expectAllLists(videos: Iterable<reference.ReferenceVideo>) {
  const all = [...videos];
  expect(await allPages((page) => listPublished({ page }))).toEqual(ids(reference.listed(all, {})));
  expect(await allPages((page) => listTrending({ page }))).toEqual(ids(reference.trending(all)));
  for (const category of CATEGORY_IDS) {
    expect(await allPages((page) => listPublished({ category, page }))).toEqual(
      ids(reference.listed(all, { category })),
    );
  }
}

describe("the incrementally maintained order and totals", () => {
  const id = fc.integer({ min: 0, max: 25 }).map((n) => `v${n}`);
  const row = fc.record({
    title: fc.constantFrom("Night", "Day", "Train"),
    category: fc.constantFrom(...CATEGORY_IDS.flatMap((each) => storedValues(each))),
    tags: fc.constantFrom<string[] | null>(null, ["a"], ["b", "c"]),
    status: fc.constantFrom("published", "published", "hidden", "review"),
    views: fc.integer({ min: 0, max: 4 }),
    created_at: fc.integer({ min: 0, max: 3 }).map(minutesAfter),
  });
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ what: fc.constant("replace" as const), id, row }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant("ignore" as const), id, row }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant("update" as const), id, row }) },
    {
      weight: 2,
      arbitrary: fc.record({ what: fc.constant("views" as const), id, row }),
    },
    { weight: 1, arbitrary: fc.record({ what: fc.constant("delete" as const), id, row }) },
  );

  it("match a plain sort after any sequence of changes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 60 }), async (changes) => {
        const model = new Map<string, reference.ReferenceVideo>();
        sqliteHandle().exec("DELETE FROM videos");
        for (const { what, id, row } of changes) {
          const before = model.get(id);
          if (what === "replace") {
            model.set(id, video({ ...row, id }));
            write([model.get(id)!], "REPLACE");
          } else if (what === "ignore") {
            // INSERT OR IGNORE keeps the existing row, although the BEFORE INSERT triggers have run.
            if (!before) model.set(id, video({ ...row, id }));
            write([video({ ...row, id })], "INSERT OR IGNORE");
          } else if (what === "delete") {
            model.delete(id);
            sqliteHandle().prepare("DELETE FROM videos WHERE id = ?").run(id);
          } else if (before && what === "views") {
            model.set(id, { ...before, views: row.views });
            sqliteHandle().prepare("UPDATE videos SET views = ? WHERE id = ?").run(row.views, id);
          } else if (before) {
            model.set(id, updated(before, row));
            sqliteHandle()
              .prepare(
                `UPDATE videos SET title = @title, category = @category, tags = @tags,
                 status = @status, views = @views, created_at = @created_at WHERE id = @id`,
              )
              .run({ ...row, id, tags: row.tags && JSON.stringify(row.tags) });
          }
        }
        await expectAllLists(model.values());
      }),
      { numRuns: 60 },
    );
  });

  function updated(
    before: reference.ReferenceVideo,
    row: Omit<reference.ReferenceVideo, "id" | "listingOrder">,
  ): reference.ReferenceVideo {
    // Among videos that sort equally, the one inserted last comes first, regardless of later changes.
    return { ...before, ...row };
  }

  it("are correct on deep pages, which are found in a worker thread, and after most rows have been deleted", async () => {
    const count = 20_000;
    const videos = Array.from({ length: count }, (_, i) =>
      video({
        id: `v${i}`,
        category: CATEGORY_IDS[i % 3 ? 0 : i % 5]!,
        views: (i * 7919) % 17_000,
        // The timestamps are in random order, and some of them are equal.
        created_at: minutesAfter((i * 6_151) % 15_500),
      }),
    );
    write(videos);
    const some = async (left: reference.ReferenceVideo[]) => {
      const order = ids(reference.listed(left, {}));
      const byViews = ids(reference.trending(left));
      for (let page = 1; page <= Math.ceil(order.length / PAGE_SIZE); page += 31) {
        const from = (page - 1) * PAGE_SIZE;
        expect(ids((await listPublished({ page })).videos)).toEqual(
          order.slice(from, from + PAGE_SIZE),
        );
        expect(ids((await listTrending({ page })).videos)).toEqual(
          byViews.slice(from, from + PAGE_SIZE),
        );
      }
    };
    await some(videos);
    sqliteHandle().exec("DELETE FROM videos WHERE CAST(substr(id, 2) AS INTEGER) % 50 <> 0");
    const left = videos.filter((_, i) => i % 50 === 0);
    await some(left);
    await expectAllLists(left);
  }, 60_000);

  it("survive VACUUM", async () => {
    const videos = Array.from({ length: 30 }, (_, i) =>
      video({ id: `v${i}`, created_at: minutesAfter((i * 11) % 30), views: i % 4 }),
    );
    write(videos);
    sqliteHandle().exec("DELETE FROM videos WHERE id IN ('v3', 'v7'); VACUUM");
    await expectAllLists(videos.filter(({ id }) => id !== "v3" && id !== "v7"));
  });
});
