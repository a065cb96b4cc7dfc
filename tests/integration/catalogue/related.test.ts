import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isRelatedIndexComplete, relatedVideos } from "~/features/watch/video.server";
import { CATEGORY_IDS, storedValues } from "~/shared/categories";
import { sqliteHandle } from "~db/client.server";
import { generatedVideos } from "../../bench/catalogue/generated-videos";
import * as reference from "../../catalogue-reference";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

const NOW = Date.parse("2026-06-30T12:00:00Z");
const daysAgo = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  vi.spyOn(Date, "now").mockReturnValue(NOW);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await site.remove();
});

const plain = { category: "english", created_at: daysAgo(100) };
const current = video({ ...plain, id: "current", title: "The Night Train", category: "desi" });

describe("the relatedness score", () => {
  // The reference implementation must compute the given score, and the site must return the candidate only if that
  // score is above zero.
  it.each([
    ["a title word inside another", { title: "Nightfall" }, 5],
    ["a title word inside two others, once", { title: "Nightfall nightly" }, 5],
    ["an exact title word", { title: "one night only" }, 8],
    ["a title word in another case with punctuation", { title: "NIGHT-time" }, 8],
    ["two title words", { title: "train by night" }, 16],
    ["a stop word", { title: "The end" }, 0],
    ["the same category", { title: "x", category: "desi" }, 8],
    ["the category's legacy value", { title: "x", category: "amateur" }, 8],
    ["a tag", { title: "x", tags: ["Paris"] }, 4],
    ["two tags, one of them twice", { title: "x", tags: ["paris", "PARIS", "rail"] }, 8],
    ["part of a tag", { title: "x", tags: ["par"] }, 0],
    ["10,000 views", { title: "x", views: 10_000 }, 0],
    ["10,001 views", { title: "x", views: 10_001 }, 2],
    ["50,000 views", { title: "x", views: 50_000 }, 2],
    ["50,001 views", { title: "x", views: 50_001 }, 3],
    ["an age of 30 days", { title: "x", created_at: daysAgo(30) }, 1],
    ["an age of slightly more than 30 days", { title: "x", created_at: daysAgo(30.001) }, 0],
    ["a date in the future", { title: "x", created_at: daysAgo(-3) }, 1],
  ])("for %s (%j) is %i", async (_, given, points) => {
    const subject = { ...current, tags: ["paris", "rail"] };
    const candidate = video({ ...plain, id: "candidate", ...given });
    expect(reference.score(subject, candidate, NOW)).toBe(points);
    write([subject, candidate]);
    await vi.waitUntil(isRelatedIndexComplete, 20_000);
    expect(ids(await relatedVideos("current"))).toEqual(points > 0 ? ["candidate"] : []);
  });
});

describe("related videos", () => {
  it("are limited to 20, and if two are equally related, the newer video comes first", async () => {
    const others = Array.from({ length: 50 }, (_, i) =>
      video({ ...plain, id: `v${i}`, title: "Night", created_at: daysAgo(40 + ((i * 17) % 50)) }),
    );
    write([current, ...others]);
    const expected = reference.related([current, ...others], current, NOW);
    expect(expected).toHaveLength(20);
    expect(ids(await relatedVideos("current"))).toEqual(ids(expected));
  });

  it("aren't returned for unpublished videos, and never include hidden videos", async () => {
    write([current, video({ ...plain, id: "h", title: "Night", status: "hidden" })]);
    expect(await relatedVideos("h")).toEqual([]);
    expect(await relatedVideos("nobody")).toEqual([]);
    expect(await relatedVideos("current")).toEqual([]);
  });

  it("reflect every change immediately, no matter which tool makes it", async () => {
    write([current, video({ ...plain, id: "a", title: "Nothing" })]);
    const related = async () => ids(await relatedVideos("current"));
    expect(await related()).toEqual([]);
    const change = async (sql: string) => {
      sqliteHandle().exec(sql);
      return related();
    };
    expect(await change("UPDATE videos SET views = 60000 WHERE id = 'a'")).toEqual(["a"]);
    expect(await change("UPDATE videos SET views = 5 WHERE id = 'a'")).toEqual([]);
    expect(await change("UPDATE videos SET title = 'Trains' WHERE id = 'a'")).toEqual(["a"]);
    expect(await change("UPDATE videos SET title = 'Nothing' WHERE id = 'a'")).toEqual([]);
    expect(await change("UPDATE videos SET category = 'amateur' WHERE id = 'a'")).toEqual(["a"]);
    expect(await change("UPDATE videos SET status = 'review' WHERE id = 'a'")).toEqual([]);
    expect(await change("UPDATE videos SET status = 'published' WHERE id = 'a'")).toEqual(["a"]);
    expect(await change("UPDATE videos SET title = 'X' WHERE id = 'current'")).toEqual(["a"]);
    expect(await change("DELETE FROM videos WHERE id = 'a'")).toEqual([]);
  });

  it("are complete even after more changes than the change log can hold", async () => {
    write([current]);
    expect(await relatedVideos("current")).toEqual([]);
    const others = Array.from({ length: 3_000 }, (_, i) =>
      video({ ...plain, id: `v${i}`, title: i % 100 ? "Nothing" : `Night ${i}` }),
    );
    write(others);
    for (let i = 0; i < 4; i += 1) sqliteHandle().exec("UPDATE videos SET title = title || ' x'");
    const renamed = others.map((each) => ({ ...each, title: `${each.title} x x x x` }));
    await vi.waitUntil(isRelatedIndexComplete, 20_000);
    expect(ids(await relatedVideos("current"))).toEqual(
      ids(reference.related([current, ...renamed], current, NOW)),
    );
  });
});

describe("the index of related videos", () => {
  it("returns the same videos as a naive implementation for a thousand realistic titles", async () => {
    const rows = [...generatedVideos(1_000)].map((each) =>
      video({
        ...each,
        tags: each.tags && JSON.parse(each.tags),
        created_at: new Date(
          Date.parse(each.created_at) + (NOW - Date.UTC(2026, 6, 1)),
        ).toISOString(),
      }),
    );
    write(rows);
    await vi.waitUntil(isRelatedIndexComplete, 20_000);
    for (let i = 0; i < rows.length; i += 41) {
      const subject = rows[i]!;
      const expected =
        subject.status === "published" ? ids(reference.related(rows, subject, NOW)) : [];
      expect(ids(await relatedVideos(subject.id)), subject.title).toEqual(expected);
    }
  }, 120_000);

  it("returns the same videos as a naive implementation for stop words, symbols, repetitions and several scripts", async () => {
    const word = fc.constantFrom(
      ..."the and night Night NIGHTS nightly tra train it's to a of ночь Ночью रात रातें एक É é élan café Café 東京 東京タワー 007 00 -- !! x'y no-one αβγ Αβγς".split(
        " ",
      ),
    );
    const row = fc.record({
      title: fc.array(word, { minLength: 1, maxLength: 7 }).map((words) => words.join(" ")),
      tags: fc.option(fc.array(word, { maxLength: 4 })),
      category: fc.constantFrom(...CATEGORY_IDS.flatMap((id) => storedValues(id))),
      status: fc.constantFrom("published", "published", "published", "hidden"),
      views: fc.constantFrom(0, 9_999, 10_000, 10_001, 50_000, 50_001, 2_000_000),
      created_at: fc.integer({ min: -2, max: 60 }).map(daysAgo),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 2, maxLength: 60 }), async (given) => {
        sqliteHandle().exec("DELETE FROM videos");
        const rows = given.map((each, i) => video({ ...each, id: `v${i}` }));
        write(rows);
        await vi.waitUntil(isRelatedIndexComplete, 20_000);
        for (const subject of rows.slice(0, 8)) {
          const expected =
            subject.status === "published" ? ids(reference.related(rows, subject, NOW)) : [];
          expect(ids(await relatedVideos(subject.id))).toEqual(expected);
        }
      }),
      { numRuns: 50 },
    );
  }, 120_000);
});
