/** A list's sort order and length filter, which are both URL parameters. */

export const LIST_ORDERS = [
  { id: "newest", label: "Newest", first: "newest first" },
  { id: "views", label: "Most viewed", first: "most viewed first" },
  { id: "longest", label: "Longest", first: "longest first" },
  { id: "shortest", label: "Shortest", first: "shortest first" },
] as const;
export type ListOrder = (typeof LIST_ORDERS)[number]["id"];

export const DEFAULT_ORDER: ListOrder = "newest";

const NO_LIMIT_S = 2 ** 31 - 1;

/** The ranges in seconds, inclusive. */
export const LENGTHS = [
  { id: "short", label: "Under 5 minutes", range: [0, 299] },
  { id: "medium", label: "5 to 20 minutes", range: [300, 1_200] },
  { id: "long", label: "Over 20 minutes", range: [1_201, NO_LIMIT_S] },
] as const;
export type LengthId = (typeof LENGTHS)[number]["id"];

export interface ListView {
  order: ListOrder;
  length?: LengthId;
}

export const DEFAULT_VIEW: ListView = { order: DEFAULT_ORDER };

export function isDefaultView({ order, length }: ListView): boolean {
  return order === DEFAULT_ORDER && !length;
}

/** Reads the order and length from URL parameters. Invalid values are replaced by the default. */
export function parseListView(parameters: URLSearchParams): ListView {
  const order = LIST_ORDERS.find(({ id }) => id === parameters.get("sort"))?.id ?? DEFAULT_ORDER;
  const length = LENGTHS.find(({ id }) => id === parameters.get("length"))?.id;
  return { order, length };
}

export function lengthRange(length: LengthId | undefined): readonly [number, number] | undefined {
  return LENGTHS.find(({ id }) => id === length)?.range;
}
