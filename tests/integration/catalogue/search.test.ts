import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listPublished } from "~/features/catalogue/published-list.server";
import { CATEGORY_IDS, storedValues } from "~/shared/categories";
import { PAGE_SIZE } from "~/shared/pages";
import { searchText } from "~/shared/search-text";
import { sqliteHandle } from "~db/client.server";
import * as reference from "../../catalogue-reference";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeAll(() => {
  site = useTemporarySite();
});
afterAll(() => site.remove());

const found = async (search: string, category?: (typeof CATEGORY_IDS)[number]) =>
  ids((await listPublished({ search, category, page: 1 })).videos);

/** Creates a separate catalogue for the following tests. */
function only(videos: Parameters<typeof video>[0][]): void {
  sqliteHandle().exec("DELETE FROM videos");
  write(videos.map((given) => video(given)));
}

describe("the search text", () => {
  it.each([
    [null, ""],
    ["  night train ", "night train"],
    ["\u00a0night\u3000", "night"],
    ["night\ttrain\0", "night train"],
    ["x".repeat(300), "x".repeat(200)],
    ["🎬".repeat(300), "🎬".repeat(200)],
    [`${"x".repeat(199)} y`, "x".repeat(199)],
    ["a\ud800b", "a\ufffdb"],
  ])("is normalized from %j to %j", (text, counted) => expect(searchText(text)).toBe(counted));
});

describe("search", () => {
  it("is case-insensitive in any script", async () => {
    only([
      { id: "e", title: "Élodie" },
      { id: "c", title: "НОЧНОЙ поезд" },
      { id: "d", title: "वीडियो रात" },
      { id: "g", title: "ΟΔΟΣ" },
    ]);
    expect(await found("éLODIE")).toEqual(["e"]);
    expect(await found("é")).toEqual(["e"]);
    expect(await found("ночной ПОЕЗД")).toEqual(["c"]);
    expect(await found("оч")).toEqual(["c"]);
    expect(await found("डियो")).toEqual(["d"]);
    expect(await found("रा")).toEqual(["d"]);
    expect(await found("οδος")).toEqual(["g"]);
  });

  it("matches text within the title or a single tag, but not text that spans two of them", async () => {
    only([{ id: "a", title: "Night", tags: ["train", "summer", "x"] }]);
    for (const inside of ["night", "train", "rai", "x", "er"]) {
      expect(await found(inside), inside).toEqual(["a"]);
    }
    for (const across of [
      "nighttrain",
      "night train",
      "ttr",
      "tt",
      "summerx",
      "rx",
      "trainsummer",
    ]) {
      expect(await found(across), across).toEqual([]);
    }
  });

  it("treats symbols and operators as plain text", async () => {
    const titles = {
      percent: "100% real",
      underscore: "a_b",
      quotes: `"quoted" it's`,
      star: "nig*ht",
      operators: "cats AND dogs NOT birds",
      columns: "text: ^start (near) {a b}: +plus -minus",
      slash: "back\\slash",
    };
    only(Object.entries(titles).map(([id, title]) => ({ id, title })));
    for (const [needle, id] of [
      ["0%", "percent"],
      ["%", "percent"],
      ["a_b", "underscore"],
      ["_", "underscore"],
      [`"quoted"`, "quotes"],
      [`"`, "quotes"],
      ["'s", "quotes"],
      ["nig*", "star"],
      ["*", "star"],
      ["AND dogs NOT", "operators"],
      ["text: ^start", "columns"],
      ["{a b}: +plus -", "columns"],
      ["(near)", "columns"],
      ["k\\s", "slash"],
    ] as const) {
      expect(await found(needle), needle).toEqual([id]);
    }
    for (const needle of ["cats OR dogs", "a%b", "a?b", "night*", "NEAR(cats dogs)", `" OR "`]) {
      expect(await found(needle), needle).toEqual([]);
    }
  });

  it("doesn't find hidden rows, and doesn't find rows by their previous titles or tags", async () => {
    only([{ id: "a", title: "Night train", tags: ["old tag"] }]);
    sqliteHandle().exec(`UPDATE videos SET title = 'Morning bus', tags = '["new tag"]'`);
    expect(await found("night")).toEqual([]);
    expect(await found("old")).toEqual([]);
    expect(await found("new")).toEqual(["a"]);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden'");
    expect(await found("morning")).toEqual([]);
    expect(await found("mo")).toEqual([]);
  });

  it("doesn't count hidden rows", async () => {
    only([
      { id: "a", title: "Night train" },
      { id: "b", title: "Night bus", status: "hidden" },
    ]);
    for (const search of ["night", "ni"]) {
      expect(await listPublished({ search, page: 1 }), search).toMatchObject({ total: 1 });
    }
  });

  it("ignores tags that aren't strings", async () => {
    only([{ id: "a", title: "Night" }]);
    sqliteHandle().exec(
      `UPDATE videos SET tags = '[12345, null, ["inner"], {"a": "deep"}, "yes"]'`,
    );
    expect(await found("yes")).toEqual(["a"]);
    for (const none of ["12345", "null", "inner", "deep"]) expect(await found(none)).toEqual([]);
  });

  // A short list of results is cached in full. For a long list, only bookmarks are cached.
  it.each([1_500, 5_000])("loads deep pages and clamps page numbers (%i results)", async (hits) => {
    only(Array.from({ length: hits }, (_, i) => ({ id: `v${i}`, title: `Night ${i}` })));
    const newest = Array.from({ length: hits }, (_, i) => `v${hits - 1 - i}`);
    const last = Math.ceil(hits / PAGE_SIZE);
    for (const [pageNumber, page] of [
      [0, 1],
      [2, 2],
      [last - 3, last - 3],
      [1e9, last],
      [10, 10],
      ...Array.from({ length: 40 }, (_, i) => [80 + i, 80 + i] as const),
      [last, last],
    ] as const) {
      const list = await listPublished({ search: "night", page: pageNumber });
      expect(list).toMatchObject({ page, pageCount: last, total: hits });
      expect(ids(list.videos)).toEqual(newest.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE));
    }
    sqliteHandle().exec(`DELETE FROM videos WHERE id = 'v${hits - 1}'`);
    const less = await listPublished({ search: "night", page: last });
    expect(less).toMatchObject({ total: hits - 1 });
    expect(ids(less.videos)).toEqual(newest.slice((last - 1) * PAGE_SIZE + 1));
  });

  it.each(["night", "ni"])(
    "counts more than two thousand results for %j correctly after any row change",
    async (search) => {
      const categories = ["desi", "desi", "amateur", "english"];
      const rows = Array.from({ length: 4_000 }, (_, i) => ({
        ...{ id: `v${i}`, title: `Night ${i}`, category: categories[i % 4]! },
        status: i % 9 === 0 ? ("hidden" as const) : ("published" as const),
      }));
      only(rows);
      const inTable = sqliteHandle()
        .prepare(`SELECT count(*) FROM videos WHERE status = 'published' AND title LIKE 'night%'
        AND (? OR category IN ('desi', 'amateur'))`)
        .pluck();
      for (const change of [
        "",
        "UPDATE videos SET status = 'hidden' WHERE number % 50 = 1",
        "UPDATE videos SET status = 'review' WHERE number % 50 = 2",
        "UPDATE videos SET status = 'published' WHERE number % 18 = 1",
        "UPDATE videos SET category = 'desi' WHERE number % 40 = 3",
        "UPDATE videos SET created_at = '2020-01-01' WHERE number % 30 = 4",
        "UPDATE videos SET title = 'Day' WHERE number % 60 = 5",
        "DELETE FROM videos WHERE number % 70 = 6",
      ]) {
        sqliteHandle().exec(change);
        for (const category of [undefined, "desi"] as const) {
          const { total } = await listPublished({ search, category, page: 1 });
          expect(total, `${category}, ${change}`).toBe(inTable.get(category ? 0 : 1));
          expect(total).toBeGreaterThan(2_048);
        }
      }
    },
  );
});

describe("the search index", () => {
  // Both implementations apply the same case folding to these letters. Other letters are covered by a separate test.
  const letters = [..."abcABC éÉñÑ ночьНОЧЬ σΣ रातवि 東京 0123 %_'\"*():^-+~\\/&"];
  const piece = fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });
  const word = fc.constantFrom(
    "night",
    "Night",
    "TRAIN",
    "train ride",
    "ночь",
    "Élodie",
    "AND",
    "OR",
  );
  const text = fc
    .array(fc.oneof(piece, word), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(" "));
  const videos = fc
    .sample(
      fc.record({
        title: text,
        tags: fc.option(fc.array(text, { maxLength: 4 })),
        category: fc.constantFrom(...CATEGORY_IDS.flatMap((id) => storedValues(id))),
        status: fc.constantFrom("published", "published", "published", "hidden", "review"),
        created_at: fc
          .integer({ min: 0, max: 50 })
          .map((day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString()),
      }),
      { numRuns: 400, seed: 7 },
    )
    .map((row, i) => ({ ...row, id: `v${i}` }));

  /**
   * Generates search terms from parts of titles and tags, some of them in a different case. Most of the terms match a
   * video.
   */
  const part = fc
    .tuple(
      fc.constantFrom(...videos.flatMap(({ title, tags }) => [title, ...(tags ?? [])])),
      fc.nat(30),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom("as it is", "upper", "lower"),
    )
    .map(([whole, from, length, how]) => {
      const cut = [...whole].slice(from, from + length).join("");
      if (how === "upper") return cut.toUpperCase();
      return how === "lower" ? cut.toLowerCase() : cut;
    });
  const needle = fc.oneof({ weight: 4, arbitrary: part }, piece, word, text);

  it("returns the same videos in the same order as a naive filter for a thousand search terms", async () => {
    sqliteHandle().exec("DELETE FROM videos");
    const rows = videos.map((given) => video(given));
    write(rows);
    const sizes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        needle,
        fc.option(fc.constantFrom(...CATEGORY_IDS), { nil: undefined }),
        fc.integer({ min: 1, max: 6 }),
        async (search, category, pageNumber) => {
          const expected = ids(reference.listed(rows, { search: searchText(search), category }));
          const { total, page, videos } = await listPublished({
            search,
            category,
            page: pageNumber,
          });
          const from = (page - 1) * PAGE_SIZE;
          expect(total).toBe(expected.length);
          expect(ids(videos)).toEqual(expected.slice(from, from + PAGE_SIZE));
          sizes.add(`${[...searchText(search)].length > 2} ${total > 0}`);
        },
      ),
      { numRuns: 1_000 },
    );
    // Make sure that both short and long search terms were tested, with and without results.
    expect(sizes.size).toBe(4);
  }, 120_000);
});
