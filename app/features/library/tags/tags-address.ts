import { searchText } from "~/shared/search-text";

/** The URL of the Tags page. Parameters at their defaults are left out. */

export const TAG_SORTS = ["videos", "name"] as const;
export type TagSort = (typeof TAG_SORTS)[number];

export const TAG_SORT_LABELS: Record<TagSort, string> = { videos: "Most used", name: "Name" };

export interface TagsView {
  /** Trimmed search text for tags; empty for all tags. */
  search: string;
  sort: TagSort;
  page: number;
}

/** Parses a URL. Invalid values are replaced by the defaults. */
export function readTagsView(parameters: URLSearchParams): TagsView {
  const page = parameters.get("page") ?? "";
  return {
    search: searchText(parameters.get("search")),
    sort: TAG_SORTS.find((sort) => sort === parameters.get("sort")) ?? "videos",
    page: /^\d{1,7}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** Returns the URL of a view. If a tag is given, the URL opens its dialog. */
export function tagsHref({ search, sort, page }: TagsView, tag?: string): string {
  const parameters = new URLSearchParams();
  if (search) parameters.set("search", search);
  if (sort !== "videos") parameters.set("sort", sort);
  if (page > 1) parameters.set("page", String(page));
  if (tag !== undefined) parameters.set("tag", tag);
  return parameters.size > 0 ? `/admin/tags?${parameters}` : "/admin/tags";
}
