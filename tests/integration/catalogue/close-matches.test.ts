import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listCloseMatches, listPublished } from "~/features/catalogue/published-list.server";
import type { ListView } from "~/shared/list-view";
import { sqliteHandle } from "~db/client.server";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeAll(() => {
  site = useTemporarySite();
});
afterAll(() => site.remove());
beforeEach(() => {
  sqliteHandle().exec("DELETE FROM videos; DELETE FROM series; DELETE FROM tag_aliases");
});

const CATALOGUE = [
  { id: "fjord", title: "Green lights above the fjord", tags: ["night", "sky"] },
  { id: "towers", title: "Standing tall: towers before the rain" },
  { id: "cafe", title: "Café in München", tags: ["été"] },
  { id: "lodz", title: "La señorita de Łódź" },
  { id: "istanbul", title: "İstanbul by night" },
  { id: "strasse", title: "Die lange Straße" },
  { id: "peach", title: "Peach season" },
  { id: "engines", title: "A very long title about search engines" },
];
const add = (videos: Parameters<typeof video>[0][]) => write(videos.map((each) => video(each)));

const exact = async (search: string, view: Partial<ListView> = {}) =>
  ids((await listPublished({ search, view: { order: "newest", ...view }, page: 1 })).videos);
const close = async (search: string, view: Partial<ListView> = {}, category?: string) => {
  const filters = { order: "newest" as const, ...view };
  return ids((await listCloseMatches({ search, category, view: filters, page: 1 })).videos);
};

describe("the videos found for a search", () => {
  beforeEach(() => add(CATALOGUE));

  it.each([
    ["cafe munchen", []],
    ["CAFÉ IN MÜNCHEN", ["cafe"]],
    ["senorita", ["lodz"]],
    ["lodz", ["lodz"]],
    ["istanbul", ["istanbul"]],
    ["lange strasse", ["strasse"]],
    ["ete", ["cafe"]],
    ["ﬂ", []],
    ["ｐｅａｃｈ", ["peach"]],
  ])("contain %j, whatever its case, accents, letter variants and width", async (search, found) => {
    expect(await exact(search)).toEqual(found);
  });

  it.each([
    ["lights green", "fjord"],
    ["fjord!", "fjord"],
    ["green-lights", "fjord"],
    ["night sky", "fjord"],
    ["standing tall towers", "towers"],
    ["cafe munchen", "cafe"],
    ["senorita lodz", "lodz"],
  ])("have the words of %j in any order as close matches", async (search, id) => {
    expect(await exact(search)).toEqual([]);
    expect(await close(search)).toEqual([id]);
  });

  it("start with the most relevant ones when they are sorted by relevance", async () => {
    expect(await exact("sea")).toEqual(["engines", "peach"]);
    expect(await exact("sea", { order: "relevance" })).toEqual(["peach", "engines"]);
    expect(await exact("night", { order: "relevance" })).toEqual(["istanbul", "fjord"]);
  });

  it("have the text inside a word after those that have it at the beginning of a word", async () => {
    add([
      { id: "inside", title: "Overseas", views: 9 },
      { id: "word", title: "A day by the sea, and one in the hills above the village" },
    ]);
    const found = await exact("sea", { order: "relevance" });
    expect(found.at(-1)).toBe("inside");
  });
});

describe("close matches", () => {
  it("exclude the videos that contain the text", async () => {
    add([
      { id: "exact", title: "Red car" },
      { id: "other", title: "A car that is red" },
    ]);
    expect(await close("red car")).toEqual(["other"]);
  });

  it("lack one of the words only if no video has all of them", async () => {
    add([
      { id: "two", title: "Blue door" },
      { id: "one", title: "Blue window" },
    ]);
    expect(await close("door blue")).toEqual(["two"]);
    expect(await close("door blue wall")).toEqual(["two"]);
    expect(await close("nothing else matches")).toEqual([]);
  });

  it("find words in the title first, then in tags, the category, series and the description", async () => {
    const filler = "many other words that make the title longer than that of the others";
    add([
      { id: "title", title: "Comet" },
      { id: "tag", title: filler, tags: ["comet"] },
      { id: "series", title: filler },
      { id: "description", title: filler },
    ]);
    sqliteHandle().exec(`
      UPDATE videos SET description = 'A comet' WHERE id = 'description';
      INSERT INTO series (id, title, slug, visibility) VALUES (1, 'The comets', 'c', 'public');
      INSERT INTO series_videos VALUES (1, 'series', 1)`);
    expect(await close("comet !")).toEqual(["title", "tag", "series", "description"]);
    expect(await close("comets !")).toEqual(["series"]);
    sqliteHandle().exec("UPDATE series SET visibility = 'studio'");
    expect(await close("comets !")).toEqual([]);
    sqliteHandle().exec("UPDATE series SET visibility = 'public', title = 'The planets'");
    expect(await close("planets !")).toEqual(["series"]);
    sqliteHandle().exec("DELETE FROM series_videos");
    expect(await close("planets !")).toEqual([]);
  });

  it("find a category by its label", async () => {
    add([
      { id: "new", title: "Night", category: "pornstar" },
      { id: "legacy", title: "Night", category: "solo" },
      { id: "other", title: "Night", category: "premium" },
    ]);
    expect(await close("night star")).toEqual(["legacy", "new"]);
  });

  it("have more views first if they are equally relevant", async () => {
    add([
      { id: "few", title: "Wide river", views: 1 },
      { id: "many", title: "Wide river", views: 100 },
    ]);
    expect(await close("river wide")).toEqual(["many", "few"]);
  });

  it("are limited to a category, and to listed videos", async () => {
    add([
      { id: "a", title: "Red car", category: "desi" },
      { id: "b", title: "Red car", category: "english" },
      { id: "c", title: "Red car", category: "desi", status: "hidden" },
    ]);
    expect(await close("car red", {}, "desi")).toEqual(["a"]);
  });

  it.each([
    ["", []],
    ["  ", []],
    ["!?", []],
    ["\u0301", []],
    ['"', []],
    ["* OR", []],
    ["NEAR(green fjord)", ["fjord"]],
    ["{tags}: peach", ["peach"]],
    ["peach NOT season", ["peach"]],
  ])("treat the operators in %j as text", async (search, found) => {
    add(CATALOGUE);
    expect(await close(search)).toEqual(found);
  });

  it("use at most eight words of a long search", async () => {
    add([{ id: "a", title: "one two three four five six seven eight" }]);
    expect(await close("eight seven six five four three two one nine ten")).toEqual(["a"]);
  });
});

describe("filters", () => {
  const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
  beforeEach(() => {
    add([
      { id: "sea", title: "By the sea", tags: ["Été", "sky"], created_at: days(0.5) },
      { id: "sky", title: "The sky", tags: ["sky"], created_at: days(3) },
      { id: "old", title: "Old sky", tags: ["ete"], created_at: days(20) },
    ]);
    sqliteHandle().exec("UPDATE videos SET duration = '10:00' WHERE id = 'old'");
  });
  const listed = async (view: Partial<ListView>, search?: string) =>
    ids((await listPublished({ search, view: { order: "newest", ...view }, page: 1 })).videos);

  it.each<[Partial<ListView>, string[]]>([
    [{ tags: ["sky"] }, ["sea", "sky"]],
    [{ tags: ["ete"] }, ["sea", "old"]],
    [{ tags: ["ÉTÉ", "Sky"] }, ["sea"]],
    [{ not: ["sky"] }, ["old"]],
    [{ tags: ["sky"], not: ["été"] }, ["sky"]],
    [{ tags: ["sk"] }, []],
    [{ since: "day" }, ["sea"]],
    [{ since: "week" }, ["sea", "sky"]],
    [{ since: "month" }, ["sea", "sky", "old"]],
    [{ since: "month", length: "medium" }, ["old"]],
    [{ not: ['" OR "'] }, ["sea", "sky", "old"]],
  ])("%j apply to a list", async (view, found) => {
    expect(await listed(view)).toEqual(found);
  });

  it("apply to a search and to its close matches", async () => {
    expect(await listed({ tags: ["sky"] }, "sky")).toEqual(["sea", "sky"]);
    expect(await listed({ since: "day" }, "sk")).toEqual(["sea"]);
    expect(await listed({ not: ["ete"], order: "views" }, "sky")).toEqual(["sky"]);
    expect(await close("sky old")).toEqual(["old"]);
    expect(await close("sky old", { not: ["ete"] })).toEqual(["sky"]);
    expect(await close("sky the", { since: "week" })).toEqual(["sky", "sea"]);
  });

  it("match videos that another tool has tagged with an alias", async () => {
    sqliteHandle().exec("INSERT INTO tag_aliases VALUES ('summer', 'ete', 'été')");
    expect(await listed({ tags: ["summer"] })).toEqual(["sea", "old"]);
    expect(await listed({ not: ["summer"] })).toEqual(["sky"]);
    add([{ id: "other", title: "Other", tags: ["summer"], created_at: days(0.1) }]);
    expect(await listed({ tags: ["été"] })).toEqual(["other", "sea", "old"]);
  });
});
