import { type CategoryId, toCategoryId } from "./categories";
import {
  DEFAULT_ORDER,
  type LengthId,
  type ListOrder,
  type ListView,
  parseListView,
} from "./list-view";
import { searchText } from "./search-text";

/** The lists that lead to a video, and back. */
export const LISTS = ["home", "categories", "trending", "tags"] as const;
type ListName = (typeof LISTS)[number];

/** One page of one list: all that its address says. */
export interface ListLocation {
  from: ListName;
  /** The id of a category; of the categories' lists, any value that a video may store. */
  category?: string;
  /** Of Home only. */
  search?: string;
  /** Of a tag's list only. */
  tag?: string;
  /** Of Home without a search, and of categories. */
  order?: ListOrder;
  length?: LengthId;
  page?: number;
}

/** The address of a list, with every parameter at its default left out. */
export function listPath(listLocation: ListLocation): string {
  const { from, category, search, tag, page } = listLocation;
  const parameters = new URLSearchParams();
  if (from === "home" && search) parameters.set("search", search);
  if (from === "home" && category) parameters.set("category", category);
  setView(parameters, listLocation);
  if (page && page > 1) parameters.set("page", String(page));
  if (from === "tags" && tag) return withParameters(tagPath(tag), parameters);
  return withParameters(listPathname(from, category), parameters);
}

function setView(parameters: URLSearchParams, { from, search, order, length }: ListLocation): void {
  if (!hasView(from) || search) return;
  if (order && order !== DEFAULT_ORDER) parameters.set("sort", order);
  if (length) parameters.set("length", length);
}

/** A default is no part of an address. */
function chosenView({ order, length }: ListView): Pick<ListLocation, "order" | "length"> {
  return { order: order === DEFAULT_ORDER ? undefined : order, length };
}

/** The lists that can be ordered and filtered. */
function hasView(from: ListName): boolean {
  return from === "home" || from === "categories";
}

function listPathname(from: ListName, category?: string): string {
  if (from === "home" || from === "tags") return "/";
  if (from === "trending") return "/trending";
  return category && isPathName(category) ? `/categories/${pathName(category)}` : "/categories";
}

/** Whether a text can be a segment of a path: browsers resolve dot segments. */
function isPathName(text: string): boolean {
  return text.trim() === searchText(text) && ![".", ".."].includes(text);
}

/** The framework takes a path that ends in .data for its own request. */
function pathName(text: string): string {
  return encodeURIComponent(text).replace(/\.data$/, "%2Edata");
}

/** The address of the list of a stored category; that of all videos where no path can name the value. */
export function categoryPath(stored: string): string {
  return listPath({ from: "categories", category: toCategoryId(stored) ?? stored });
}

/**
 * The address of a tag's list, in lower case; of a tag that no path can name (a dot segment, a control
 * character, one too long) that of a search for it.
 */
export function tagPath(tag: string): string {
  const name = searchText(tag);
  if (name === "" || !isPathName(tag.trim())) return listPath({ from: "home", search: name });
  return `/tags/${pathName(name.toLowerCase())}`;
}

/** The address of the RSS feed of a tag that has a list. */
export function tagFeedPath(tag: string): string {
  return `${tagPath(tag)}/feed.xml`;
}

/**
 * The address of a video, which carries the list that the visitor comes from, and the second to
 * start at.
 */
export function videoPath(id: string, listLocation?: ListLocation, startSeconds = 0): string {
  const parameters = new URLSearchParams();
  if (listLocation) {
    parameters.set("from", listLocation.from);
    if (listLocation.category) parameters.set("category", listLocation.category);
    if (listLocation.search) parameters.set("search", listLocation.search);
    if (listLocation.tag) parameters.set("tag", listLocation.tag);
    setView(parameters, listLocation);
    if (listLocation.page && listLocation.page > 1)
      parameters.set("page", String(listLocation.page));
  }
  if (startSeconds > 0) parameters.set("t", String(Math.floor(startSeconds)));
  return withParameters(`/video/${encodeURIComponent(id)}`, parameters);
}

/** The list that the address of a video names; Home where it names none that exists. */
export function parseListLocation(parameters: URLSearchParams): ListLocation {
  const from = LISTS.find((name) => name === parameters.get("from")) ?? "home";
  const page = Number(parameters.get("page"));
  return {
    from,
    category: categoryOf(from, parameters.get("category")),
    search: (from === "home" && parameters.get("search")) || undefined,
    tag: (from === "tags" && parameters.get("tag")) || undefined,
    ...(hasView(from) && chosenView(parseListView(parameters))),
    page: Number.isSafeInteger(page) && page > 1 ? page : undefined,
  };
}

function categoryOf(from: ListName, asked: string | null): string | undefined {
  const id = toCategoryId(asked);
  if (from === "home") return id;
  return from === "categories" ? (id ?? (asked || undefined)) : undefined;
}

/** What a search from a page begins with: the text and the category that the page is about. */
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
 * The URL that a text is, alone or against `base`; undefined where it is none. `URL.canParse` is not asked:
 * once V8 has optimised who asks, Node 20 reads Latin-1 letters in it as UTF-8 and answers wrongly.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
