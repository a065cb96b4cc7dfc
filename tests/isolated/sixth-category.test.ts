import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pagesSitemap } from "~/features/catalogue/feeds.server";
import { listPublished, listTrending } from "~/features/catalogue/published-list.server";
import { DEFAULT_VIEW } from "~/features/library/list/manage-address";
import { listManaged } from "~/features/library/list/managed-list.server";
import { readStatistics } from "~/features/operations/statistics/statistics.server";
import { relatedVideos } from "~/features/watch/video.server";
import { CATEGORY_IDS, categoryLabel, toCategoryId } from "~/shared/categories";
import { addVideo } from "../admin-requests";
import { ids } from "../catalogue-rows";
import { useTemporarySite } from "../temporary-site";

// This is the only file that has to change when a category is added.
vi.mock("~/shared/category-list", async (original) => {
  const { CATEGORIES } = await original<typeof import("~/shared/category-list")>();
  return { CATEGORIES: [...CATEGORIES, { id: "retro", label: "Retro", legacy: ["vintage"] }] };
});

const [retro] = CATEGORY_IDS.slice(5);

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
  addVideo({ id: "a", title: "Night train", category: "retro", views: 3, bytes: 10 });
  addVideo({ id: "b", title: "Night bus", category: "vintage", bytes: 5 });
  addVideo({ id: "c", title: "Night boat", category: "desi", bytes: 1 });
});
afterEach(() => site.remove());

it("shows a newly added sixth category in lists, search, related videos, statistics and the sitemap", async () => {
  expect(retro).toBe("retro");
  const category = retro ?? "desi";
  expect(toCategoryId("vintage")).toBe("retro");
  expect(categoryLabel("vintage")).toBe("Retro");

  // Lists and search results, by the current ID and by a legacy value.
  const inIt = await listPublished({ category, page: 1 });
  expect(inIt).toMatchObject({ total: 2, videos: [{ category: "retro" }, { category: "retro" }] });
  expect(ids(inIt.videos)).toEqual(["b", "a"]);
  expect(ids((await listPublished({ category, search: "night", page: 1 })).videos)).toEqual([
    "b",
    "a",
  ]);
  expect(ids((await listPublished({ category, search: "ra", page: 1 })).videos)).toEqual(["a"]);
  expect((await listTrending({ page: 1 })).videos).toMatchObject([{ category: "retro" }]);
  expect(ids(await relatedVideos("a"))).toContain("b");

  // The studio.
  const managed = await listManaged({ ...DEFAULT_VIEW, category });
  expect(ids(managed.videos)).toEqual(["b", "a"]);
  expect((await readStatistics(7)).storage).toContainEqual({
    category: "retro",
    videos: 2,
    bytes: 15,
  });
  expect(pagesSitemap({ name: "Site", origin: "https://videos.example" })).toContain(
    "https://videos.example/categories/retro<",
  );
});
