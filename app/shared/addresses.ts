import { type CategoryId, toCategoryId } from "./categories";

/** The lists that lead to a video, and back. */
export const LISTS = ["home", "categories", "trending"] as const;
export type ListName = (typeof LISTS)[number];

/** One page of one list: all that its address says. */
export interface ListLocation {
  from: ListName;
  category?: CategoryId;
  /** Of Home only. */
  search?: string;
  page?: number;
}

/** The address of a list, with every parameter at its default left out. */
export function listPath({ from, category, search, page }: ListLocation): string {
  const parameters = new URLSearchParams();
  if (from === "home" && search) parameters.set("search", search);
  if (from === "home" && category) parameters.set("category", category);
  if (page && page > 1) parameters.set("page", String(page));
  return withParameters(listPathname(from, category), parameters);
}

function listPathname(from: ListName, category?: CategoryId): string {
  if (from === "home") return "/";
  if (from === "trending") return "/trending";
  return category ? `/categories/${category}` : "/categories";
}

/** The address of a video, which knows the place that the visitor comes from. */
export function videoPath(id: string, place?: ListLocation): string {
  const parameters = new URLSearchParams();
  if (place) {
    parameters.set("from", place.from);
    if (place.category) parameters.set("category", place.category);
    if (place.search) parameters.set("search", place.search);
    if (place.page && place.page > 1) parameters.set("page", String(place.page));
  }
  return withParameters(`/video/${encodeURIComponent(id)}`, parameters);
}

/** The place that a video's address names; Home where it names none that exists. */
export function listLocation(parameters: URLSearchParams): ListLocation {
  const from = LISTS.find((name) => name === parameters.get("from")) ?? "home";
  const page = Number(parameters.get("page"));
  return {
    from,
    category: from === "trending" ? undefined : toCategoryId(parameters.get("category")),
    search: (from === "home" && parameters.get("search")) || undefined,
    page: Number.isSafeInteger(page) && page > 1 ? page : undefined,
  };
}

function withParameters(path: string, parameters: URLSearchParams): string {
  const query = parameters.toString();
  return query ? `${path}?${query}` : path;
}
