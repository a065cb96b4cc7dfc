import { searchText } from "./search-text";

/** A list's sort order and filters, which are URL parameters. */

export const LIST_ORDERS = [
  { id: "newest", label: "Newest", first: "newest first" },
  { id: "views", label: "Most viewed", first: "most viewed first" },
  { id: "longest", label: "Longest", first: "longest first" },
  { id: "shortest", label: "Shortest", first: "shortest first" },
  /** Only for searches. */
  { id: "relevance", label: "Most relevant", first: "most relevant first" },
] as const;
export type ListOrder = (typeof LIST_ORDERS)[number]["id"];

export const DEFAULT_ORDER = "newest" satisfies ListOrder;

const NO_LIMIT_S = 2 ** 31 - 1;

/** The ranges in seconds, inclusive. */
export const LENGTHS = [
  { id: "short", label: "Under 5 minutes", range: [0, 299] },
  { id: "medium", label: "5 to 20 minutes", range: [300, 1_200] },
  { id: "long", label: "Over 20 minutes", range: [1_201, NO_LIMIT_S] },
] as const;
export type LengthId = (typeof LENGTHS)[number]["id"];

export const AGES = [
  { id: "day", label: "Last 24 hours", days: 1 },
  { id: "week", label: "Last 7 days", days: 7 },
  { id: "month", label: "Last 30 days", days: 30 },
] as const;
type AgeId = (typeof AGES)[number]["id"];

/** The maximum number of required tags, and of excluded ones. */
const MAX_FILTER_TAGS = 10;

export interface ListFilters {
  length?: LengthId;
  since?: AgeId;
  /** Only videos with all of these tags. */
  tags?: readonly string[];
  /** Only videos without any of these tags. */
  not?: readonly string[];
}

export interface ListView extends ListFilters {
  order: ListOrder;
}

export const DEFAULT_VIEW: ListView = { order: DEFAULT_ORDER };

export function isDefaultView({ order, ...filters }: ListView): boolean {
  return order === DEFAULT_ORDER && !hasFilters(filters);
}

export function hasFilters({ length, since, tags = [], not = [] }: ListFilters): boolean {
  return Boolean(length || since) || tags.length > 0 || not.length > 0;
}

/** Reads the order and filters from URL parameters. Invalid values are replaced by the default. */
export function parseListView(parameters: URLSearchParams): ListView {
  const order = LIST_ORDERS.find(({ id }) => id === parameters.get("sort"))?.id ?? DEFAULT_ORDER;
  const isSearch = searchText(parameters.get("search")) !== "";
  const length = LENGTHS.find(({ id }) => id === parameters.get("length"))?.id;
  const since = AGES.find(({ id }) => id === parameters.get("since"))?.id;
  const [tags, not] = [tagNames(parameters.getAll("tag")), tagNames(parameters.getAll("not"))];
  return {
    order: order === "relevance" && !isSearch ? DEFAULT_ORDER : order,
    length,
    since,
    ...(tags.length > 0 && { tags }),
    ...(not.length > 0 && { not }),
  };
}

/** Reads tags from repeated parameters, and from a form field in which commas separate them. */
function tagNames(values: string[]): string[] {
  const names = values.flatMap((value) => value.split(",")).map(searchText);
  return [...new Set(names)].filter((name) => name !== "").slice(0, MAX_FILTER_TAGS);
}

/** Adds the parameters of a view, omitting default values. */
export function setListView(parameters: URLSearchParams, view: Partial<ListView>): void {
  const { order, length, since, tags = [], not = [] } = view;
  if (order && order !== DEFAULT_ORDER) parameters.set("sort", order);
  if (length) parameters.set("length", length);
  if (since) parameters.set("since", since);
  for (const tag of tags) parameters.append("tag", tag);
  for (const tag of not) parameters.append("not", tag);
}

export function lengthRange(length: LengthId | undefined): readonly [number, number] | undefined {
  return LENGTHS.find(({ id }) => id === length)?.range;
}
