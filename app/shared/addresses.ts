import { type CategoryId, toCategoryId } from "./categories";
import { DEFAULT_ORDER, type ListView, parseListView, setListView } from "./list-view";
import { searchText } from "./search-text";

/** The lists that link to videos. The Back link on a video's page leads back to the list. */
export const LISTS = ["home", "categories", "trending", "tags"] as const;
type ListName = (typeof LISTS)[number];

/** One page of a list, as described by its URL. Only lists on Home and Categories have a sort order and filters. */
export interface ListLocation extends Partial<ListView> {
  from: ListName;
  /** A category's id; on the Categories page, any value that a row can store. */
  category?: string;
  /** Only for Home. */
  search?: string;
  /** Set if the list contains the close matches for the search instead of its results. */
  close?: boolean;
  /** Set only for a tag's list. */
  tag?: string;
  page?: number;
}

/** Returns the URL of a list. Omits parameters with their default value. */
export function listPath(listLocation: ListLocation): string {
  const { from, category, search, close, tag, page } = listLocation;
  const parameters = new URLSearchParams();
  if (from === "home" && search) parameters.set("search", search);
  if (from === "home" && search && close) parameters.set("close", "1");
  if (from === "home" && category) parameters.set("category", category);
  setView(parameters, listLocation);
  if (page && page > 1) parameters.set("page", String(page));
  if (from === "tags" && tag) return withParameters(tagPath(tag), parameters);
  return withParameters(listPathname(from, category), parameters);
}

function setView(parameters: URLSearchParams, listLocation: ListLocation): void {
  const { from, search, order, ...filters } = listLocation;
  if (!hasView(from)) return;
  const isPossible = order !== "relevance" || (from === "home" && searchText(search) !== "");
  setListView(parameters, { ...filters, order: isPossible ? order : undefined });
}

/** Omits the default order, which URLs never contain. */
function chosenView({ order, ...filters }: ListView): Partial<ListView> {
  return { order: order === DEFAULT_ORDER ? undefined : order, ...filters };
}

/** Whether a list can be sorted and filtered. */
function hasView(from: ListName): boolean {
  return from === "home" || from === "categories";
}

function listPathname(from: ListName, category?: string): string {
  if (from === "home" || from === "tags") return "/";
  if (from === "trending") return "/trending";
  return category && isPathName(category) ? `/categories/${pathName(category)}` : "/categories";
}

/** Whether a string can be used as a path segment. Dot segments can't, because browsers resolve them. */
function isPathName(text: string): boolean {
  return text.trim() === searchText(text) && ![".", ".."].includes(text);
}

/** Remix treats a path that ends in .data as one of its data requests. */
function pathName(text: string): string {
  return encodeURIComponent(text).replace(/\.data$/, "%2Edata");
}

/**
 * Returns the URL of a stored category's list, or the URL of the list of all videos if the value can't be a path
 * segment.
 */
export function categoryPath(stored: string): string {
  return listPath({ from: "categories", category: toCategoryId(stored) ?? stored });
}

/**
 * Returns the URL of a tag's list, in the given spelling. If the tag can't be a path segment (because it is a dot
 * segment, is too long or contains a control character), returns the URL of a search for it.
 */
export function tagPath(tag: string): string {
  const name = searchText(tag);
  if (name === "" || !isPathName(tag.trim())) return listPath({ from: "home", search: name });
  return `/tags/${pathName(name)}`;
}

/** Returns the URL of the RSS feed for a tag that has a list. */
export function tagFeedPath(tag: string): string {
  return `${tagPath(tag)}/feed.xml`;
}

/**
 * Returns a video's URL, including the list that the visitor came from and the position in seconds at which playback
 * starts.
 */
export function videoPath(id: string, listLocation?: ListLocation, startSeconds = 0): string {
  const parameters = new URLSearchParams();
  if (listLocation) {
    parameters.set("from", listLocation.from);
    if (listLocation.category) parameters.set("category", listLocation.category);
    if (listLocation.search) parameters.set("search", listLocation.search);
    if (listLocation.search && listLocation.close) parameters.set("close", "1");
    if (listLocation.from === "tags" && listLocation.tag) parameters.set("tag", listLocation.tag);
    setView(parameters, listLocation);
    if (listLocation.page && listLocation.page > 1)
      parameters.set("page", String(listLocation.page));
  }
  if (startSeconds > 0) parameters.set("t", String(Math.floor(startSeconds)));
  return withParameters(`/video/${encodeURIComponent(id)}`, parameters);
}

/** Reads the list from a video's URL. Returns Home if the URL doesn't specify an existing list. */
export function parseListLocation(parameters: URLSearchParams): ListLocation {
  const from = LISTS.find((name) => name === parameters.get("from")) ?? "home";
  const page = Number(parameters.get("page"));
  return {
    from,
    category: categoryOf(from, parameters.get("category")),
    search: (from === "home" && parameters.get("search")) || undefined,
    close: (from === "home" && parameters.get("close") === "1") || undefined,
    tag: (from === "tags" && parameters.get("tag")) || undefined,
    ...(hasView(from) && chosenView(parseListView(parameters))),
    page: Number.isSafeInteger(page) && page > 1 ? page : undefined,
  };
}

function categoryOf(from: ListName, requested: string | null): string | undefined {
  const id = toCategoryId(requested);
  if (from === "home") return id;
  return from === "categories" ? (id ?? (requested || undefined)) : undefined;
}

/** Returns the query and category that prefill the search on this page. */
export function searchLocation(
  pathname: string,
  parameters: URLSearchParams,
): { search?: string; category?: CategoryId } {
  const [, room, id] = pathname.split("/");
  if (room === "video") {
    const { search, category } = parseListLocation(parameters);
    return { search, category: toCategoryId(category) };
  }
  if (room !== "categories") return {};
  return { category: toCategoryId(id || parameters.get("cat")) };
}

function withParameters(path: string, parameters: URLSearchParams): string {
  const query = parameters.toString();
  return query ? `${path}?${query}` : path;
}

/**
 * Parses a URL and resolves it against `base` if given. Returns undefined if it is invalid. `URL.canParse` isn't used,
 * because in Node 20, it decodes Latin-1 strings as UTF-8 and returns wrong results once V8 has optimized the caller.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
