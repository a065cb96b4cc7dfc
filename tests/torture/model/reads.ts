import fc from "fast-check";
import { CATEGORIES } from "../../../app/shared/category-list";
import { PAGE_SIZE } from "../../../app/shared/pages";
import {
  currentCategory,
  listed,
  lower,
  published,
  type ReferenceVideo,
  related,
  trending,
} from "../../catalogue-reference";
import { ROLES, type Role } from "./reference";
import { captures, linkedIds, type RunningSite, selectableIds } from "./running-site";
import { expectSame, nth, type StepKind } from "./step";
import { number, TAGS, WORDS } from "./values";

/** Steps that compare the pages that depend on the catalogue, for visitors and for each role. */

const STUDIO_PAGE = 50;
/**
 * The visitor for pages that depend on views. This visitor has a cookie, because pages for visitors without one may
 * come from the cache and be up to 15 s old.
 */
const UNCACHED = "with a cookie";
const category = fc.option(fc.constantFrom(...CATEGORIES.map(({ id }) => id)), { nil: "" });
const needle = fc.oneof(
  fc.constant(""),
  fc.constantFrom(...WORDS, ...TAGS),
  fc
    .tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS))
    .map(([first, second]) => `${first} ${second}`),
  fc
    .tuple(fc.constantFrom(...WORDS, ...TAGS), fc.nat(3), fc.integer({ min: 1, max: 4 }))
    .map(([word, from, length]) =>
      [...word]
        .slice(from, from + length)
        .join("")
        .trim(),
    ),
);

const ids = (videos: readonly { id: string }[]) => videos.map(({ id }) => id);
const urlWith = (path: string, parameters: Record<string, string>) => {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
};

/** Compares the videos that one page of a list links to. `number` selects the page. */
async function comparePage(
  site: RunningSite,
  path: string,
  parameters: Record<string, string>,
  all: readonly ReferenceVideo[],
  number: number,
  visitor?: typeof UNCACHED,
): Promise<void> {
  const page = 1 + (number % Math.max(1, Math.ceil(all.length / PAGE_SIZE)));
  const address = urlWith(path, { ...parameters, page: page > 1 ? String(page) : "" });
  const { status, main } = await site.read(address, visitor);
  const shown = ids(all).slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  expectSame(address, [status, linkedIds(main)], [200, shown]);
}

const home: StepKind<{ search: string; category: string; page: number }> = {
  weight: 8,
  args: fc.record({ search: needle, category, page: number }),
  async run({ search, category, page }, { videos }, site) {
    const all = listed(videos, { search, ...(category && { category }) });
    await comparePage(site, "/", { search, category }, all, page);
  },
};

const categories: StepKind<{ category: string; page: number }> = {
  weight: 2,
  args: fc.record({ category: category.filter(Boolean), page: number }),
  async run({ category, page }, { videos }, site) {
    await comparePage(site, `/categories/${category}`, {}, listed(videos, { category }), page);
  },
};

const mostViewed: StepKind<number> = {
  weight: 2,
  args: number,
  run: (page, { videos }, site) =>
    comparePage(site, "/trending", {}, trending(videos), page, UNCACHED),
};

const tagged: StepKind<{ tag: string; page: number }> = {
  weight: 3,
  args: fc.record({ tag: fc.constantFrom(...TAGS), page: number }),
  async run({ tag, page }, { videos }, site) {
    const all = published(videos).filter(({ tags }) =>
      tags?.some((each) => lower(each) === lower(tag)),
    );
    const path = `/tags/${encodeURIComponent(lower(tag))}`;
    if (all.length > 0) return comparePage(site, path, {}, all, page);
    expectSame(path, (await site.read(path)).status, 404);
  },
};

const video: StepKind<number> = {
  weight: 5,
  args: number,
  async run(which, model, site) {
    const id = nth(model.ids, which) ?? "none";
    const path = `/video/${id}`;
    const row = model.find(id);
    const { status, main } = await site.read(path, UNCACHED);
    if (row?.status !== "published") return expectSame(path, status, 404);
    const others = linkedIds(main).filter((each) => each !== id);
    expectSame(path, [status, others], [200, ids(related(model.videos, row, Date.now()))]);
  },
};

const series: StepKind<{ which: number; page: number }> = {
  weight: 2,
  args: fc.record({ which: number, page: number }),
  async run({ which, page }, model, site) {
    const one = nth(model.series, which);
    if (!one) return;
    const shown = one.videos.flatMap((id) => model.find(id) ?? []);
    const all = shown.filter(({ status }) => status === "published");
    const path = `/series/${one.slug}`;
    if (one.isPublic && !one.isDeleted && all.length > 0)
      return comparePage(site, path, {}, all, page);
    expectSame(path, (await site.read(path)).status, 404);
  },
};

const ORDERS: Record<string, (a: ReferenceVideo, b: ReferenceVideo) => number> = {
  newest: (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at),
  oldest: (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at),
};

const manage: StepKind<{
  role: Role;
  sort: string;
  search: string;
  status: string;
  category: string;
}> = {
  weight: 5,
  args: fc.record({
    role: fc.constantFrom(...ROLES),
    sort: fc.constantFrom(...Object.keys(ORDERS)),
    search: needle,
    status: fc.constantFrom("", "published", "hidden", "review"),
    category,
  }),
  async run({ role, sort, search, status, category }, model, site) {
    const own = role === "publisher" || role === "uploader";
    const found = model.videos
      .filter(
        (each) =>
          (!own || each.owner === role) &&
          (!status || each.status === status) &&
          (!category || currentCategory(each.category) === category) &&
          [each.title, ...(each.tags ?? [])].some((text) => lower(text).includes(lower(search))),
      )
      .sort(ORDERS[sort]);
    const address = urlWith("/admin", { tab: "manage", sort, search, status, category });
    const { main } = await site.read(address, role);
    expectSame(`${role}: ${address}`, selectableIds(main), ids(found).slice(0, STUDIO_PAGE));
    const total = own ? model.videos.filter(({ owner }) => owner === role) : model.videos;
    const shown = />([\d,]+)<\/dd><dt[^>]*>(?:(?!<\/dt>).)*Total Videos/s.exec(main)?.[1];
    expectSame(`${role}: total`, shown, total.length.toLocaleString("en"));
  },
};

const trash: StepKind<Role> = {
  weight: 2,
  args: fc.constantFrom(...ROLES),
  async run(role, model, site) {
    const { main } = await site.read("/admin/trash", role);
    const all = ids(model.deletedOf(role)).sort();
    if (all.length <= STUDIO_PAGE) expectSame(`${role}: trash`, selectableIds(main).sort(), all);
  },
};

const tagCounts: StepKind<null> = {
  weight: 1,
  args: fc.constant(null),
  async run(_, { videos }, site) {
    const { main } = await site.read("/admin/tags", "editor");
    const rows = main.split('name="selected"').slice(1);
    const shown = rows.map((row) => {
      const count = />([\d,]+) videos?</.exec(row.replaceAll("<!-- -->", ""))?.[1];
      return `${/value="([^"]*)"/.exec(row)?.[1]} ${count}`;
    });
    const counts = new Map<string, number>();
    for (const { tags } of videos) {
      for (const tag of new Set((tags ?? []).map(lower)))
        counts.set(tag, 1 + (counts.get(tag) ?? 0));
    }
    expectSame("tags", shown.sort(), [...counts].map(([tag, count]) => `${tag} ${count}`).sort());
  },
};

const files: StepKind<null> = {
  weight: 2,
  args: fc.constant(null),
  async run(_, { videos }, site) {
    const all = ids(published(videos));
    const feed = await site.read("/feed.xml");
    const items = captures(feed.body, /<guid[^>]*>[^<]*\/video\/([\w-]+)</g);
    expectSame("feed", items, all.slice(0, items.length));
    expectSame("length of the feed", items.length >= Math.min(20, all.length), true);
    const sitemap = await site.read("/sitemap/1.xml");
    const named = captures(sitemap.body, /<loc>[^<]*\/video\/([\w-]+)</g);
    expectSame("sitemap", named.sort(), all.sort());
  },
};

const suggestions: StepKind<string> = {
  weight: 2,
  args: needle.filter(Boolean),
  async run(search, { videos }, site) {
    const { status, body } = await site.read(urlWith("/search/suggestions", { q: search }));
    const found = ids(listed(videos, { search }));
    const stray = captures(body, /"\/video\/([\w-]+)[?"]/g).filter((id) => !found.includes(id));
    expectSame(`suggestions of ${search}`, [status, stray], [200, []]);
  },
};

export const READS = {
  ...{ home, categories, mostViewed, tagged, video, series, manage, trash, tagCounts },
  ...{ files, suggestions },
};
