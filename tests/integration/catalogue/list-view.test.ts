import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listPublished } from "~/features/catalogue/published-list.server";
import { loader as categories } from "~/features/catalogue/routes/categories";
import { loader as home, meta } from "~/features/catalogue/routes/home";
import { CATEGORY_IDS, storedValues, toCategoryId } from "~/shared/categories";
import { LENGTHS, LIST_ORDERS } from "~/shared/list-view";
import { PAGE_SIZE } from "~/shared/pages";
import { sqliteHandle } from "~db/client.server";
import { randomFrom } from "../../bench/catalogue/generated-videos";
import { ids, video, write } from "../../catalogue-rows";
import { useTemporarySite } from "../../temporary-site";

const ORDERS = LIST_ORDERS.flatMap(({ id }) => (id === "relevance" ? [] : [id]));

let site: ReturnType<typeof useTemporarySite>;

describe("a list with a sort order and a length filter", () => {
  interface Row {
    id: string;
    category: string;
    views: number;
    minutes: number;
    created_at: string;
    status: string;
  }
  const random = randomFrom(5);
  const some = (most: number) => Math.floor(random() * most);
  // Add enough videos that the site doesn't sort all of them, and include a small category.
  const rows = Array.from(
    { length: 9_000 },
    (_, i): Row => ({
      id: `v${i}`,
      category:
        i % 500 === 0 ? "premium" : ["desi", "amateur", "english", "of another program"][some(4)]!,
      views: some(3) * some(1_000),
      minutes: some(40),
      created_at: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
      status: i % 10 === 0 && i % 500 !== 0 ? "hidden" : "published",
    }),
  );
  const seconds = (row: Row) => row.minutes * 60;

  beforeAll(() => {
    site = useTemporarySite();
    const insert = sqliteHandle().prepare(
      `INSERT INTO videos (id, title, category, views, duration, created_at, status)
       VALUES (@id, 'A video', @category, @views, @minutes || ':00', @created_at, @status)`,
    );
    sqliteHandle().transaction(() => {
      for (const row of rows) insert.run(row);
    })();
  });
  afterAll(() => site.remove());

  const newer = (a: Row, b: Row) => (a.created_at < b.created_at ? 1 : -1);
  const COMPARE = {
    newest: newer,
    views: (a: Row, b: Row) => b.views - a.views || newer(a, b),
    longest: (a: Row, b: Row) => seconds(b) - seconds(a) || newer(a, b),
    // The exact reverse of longest to shortest, even for videos with the same duration.
    shortest: (a: Row, b: Row) => seconds(a) - seconds(b) || newer(b, a),
  };

  const cases = ORDERS.flatMap((order) =>
    [undefined, ...LENGTHS].flatMap((length) =>
      [undefined, ...CATEGORY_IDS.slice(0, 3), "premium" as const].map((category) => ({
        order,
        length,
        category,
      })),
    ),
  );

  it.each(cases)("matches a naive query ($order, $length.id, $category)", async (params) => {
    const { order, length, category } = params;
    const expected = rows
      .filter((row) => row.status === "published")
      .filter((row) => !category || storedValues(category).includes(row.category))
      .filter((row) => {
        const [from, to] = length?.range ?? [0, Number.POSITIVE_INFINITY];
        return seconds(row) >= from && seconds(row) <= to;
      })
      .sort(COMPARE[order])
      .map(({ id }) => id);
    const view = { order, length: length?.id };
    const last = Math.max(1, Math.ceil(expected.length / PAGE_SIZE));
    for (const page of new Set([1, Math.min(2, last), Math.ceil(last / 2), last])) {
      const list = await listPublished({ category, view, page });
      const from = (page - 1) * PAGE_SIZE;
      expect(list).toMatchObject({ total: expected.length, pageCount: last });
      expect(ids(list.videos)).toEqual(expected.slice(from, from + PAGE_SIZE));
    }
  });

  it("shows its last page for page numbers beyond the end", async () => {
    const view = { order: "longest", length: "short" } as const;
    const { page, pageCount } = await listPublished({ view, page: 1e9 });
    expect(page).toBe(pageCount);
  });
});

describe("pages of sorted lists", () => {
  beforeEach(() => {
    site = useTemporarySite({ PUBLIC_URL: "https://videos.example" });
  });
  afterEach(() => site.remove());

  const open = async (loader: typeof home | typeof categories, url: string, params = {}) => {
    const request = new Request(`https://videos.example${url}`);
    const { data, init } = await loader({ request, params, context: {} } as never);
    return { ...data, status: init?.status, ids: ids(data.list.videos) };
  };

  it("show other tools' changes on the next request", async () => {
    write([video({ id: "a" }), video({ id: "b" })]);
    sqliteHandle().exec("UPDATE videos SET duration = '1:02:03' WHERE id = 'a'");
    expect((await open(home, "/?sort=longest")).ids).toEqual(["a", "b"]);
    expect((await open(home, "/?length=long")).list.total).toBe(1);
    sqliteHandle().exec("UPDATE videos SET duration = '30:00' WHERE id = 'b'");
    expect((await open(home, "/?length=long&sort=shortest")).ids).toEqual(["b", "a"]);
    sqliteHandle().exec("UPDATE videos SET status = 'hidden' WHERE id = 'a'");
    expect((await open(home, "/?length=long")).ids).toEqual(["b"]);
  });

  it.each([
    "sort=nonsense",
    "length=-1",
    "sort=&length=",
    "sort=longest%00",
    "length=short&length=x",
  ])("use the default for invalid input (%s)", async (query) => {
    write([video({ id: "a" }), video({ id: "b" })]);
    expect(await open(home, `/?${query}`)).toMatchObject({ status: 200, ids: ["b", "a"] });
  });

  it("keep the sort order and filter when a category URL redirects", async () => {
    const request = new Request("https://videos.example/categories/amateur?sort=views&page=2");
    const response = await categories({
      request,
      params: { category: "amateur" },
      context: {},
    } as never).catch((thrown: Response) => thrown);
    expect((response as Response).headers.get("Location")).toBe(
      "/categories/desi?sort=views&page=2",
    );
  });

  it("are indexed by search engines only in the default order", async () => {
    write([video({ id: "a" })]);
    const head = async (url: string) =>
      JSON.stringify(meta({ data: await open(home, url) } as never));
    expect(await head("/")).not.toContain("noindex");
    expect(await head("/")).toContain("newest first");
    const longest = await head("/?sort=longest");
    expect(longest).toContain("noindex");
    expect(longest).toContain("longest first");
    expect(longest).toContain('"href":"https://videos.example/?sort=longest"');
  });

  it("apply the sort order to search results", async () => {
    write([video({ id: "a", title: "Night" }), video({ id: "b", title: "Night" })]);
    sqliteHandle().exec("UPDATE videos SET duration = '30:00' WHERE id = 'a'");
    expect((await open(home, "/?search=night")).ids).toEqual(["b", "a"]);
    expect((await open(home, "/?search=night&sort=longest")).ids).toEqual(["a", "b"]);
  });

  it("include videos that are stored under the category's current or legacy value", async () => {
    write([video({ id: "a", category: "amateur" }), video({ id: "b", category: "desi" })]);
    const response = await open(categories, "/categories/desi?sort=shortest", { category: "desi" });
    expect(response.list.videos.map(({ category }) => toCategoryId(category))).toEqual([
      "desi",
      "desi",
    ]);
  });
});
