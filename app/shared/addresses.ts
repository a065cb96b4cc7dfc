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

/** The address of a video, which carries the list that the visitor comes from. */
export function videoPath(id: string, listLocation?: ListLocation): string {
  const parameters = new URLSearchParams();
  if (listLocation) {
    parameters.set("from", listLocation.from);
    if (listLocation.category) parameters.set("category", listLocation.category);
    if (listLocation.search) parameters.set("search", listLocation.search);
    if (listLocation.page && listLocation.page > 1)
      parameters.set("page", String(listLocation.page));
  }
  return withParameters(`/video/${encodeURIComponent(id)}`, parameters);
}

/** The list that the address of a video names; Home where it names none that exists. */
export function parseListLocation(parameters: URLSearchParams): ListLocation {
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
