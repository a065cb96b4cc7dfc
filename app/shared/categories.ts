import { CATEGORIES } from "./category-list";

export type CategoryId = (typeof CATEGORIES)[number]["id"];
export const CATEGORY_IDS: readonly CategoryId[] = CATEGORIES.map(({ id }) => id);

const byName = new Map(
  CATEGORIES.flatMap((category) =>
    [category.id, ...category.legacy].map((name) => [name as string, category] as const),
  ),
);

/** A category as people read it. */
export interface CategoryName {
  id: CategoryId;
  label: string;
}

export const DEFAULT_CATEGORIES: readonly CategoryName[] = CATEGORIES.map(({ id, label }) => ({
  id,
  label,
}));

// What the site calls them is the same for everybody, so it is no parameter of each component.
let named = DEFAULT_CATEGORIES;
let labels = new Map<string, string>();

/**
 * Sets what the categories are called and their order: the server does from its database
 * (`features/catalogue/category-names.server.ts`), and every page from what the server tells it.
 *
 * @param names all of them; undefined for the labels of the code.
 */
export function nameCategories(names: readonly CategoryName[] | undefined): void {
  named = names ?? DEFAULT_CATEGORIES;
  labels = new Map(named.map(({ id, label }) => [id, label]));
}

/** The categories in the order in which they are shown. */
export function shownCategories(): readonly CategoryName[] {
  return named;
}

export type SelectorChoice = "all" | CategoryId | "trending";

/** What the category selector offers, in its order; `all` and `trending` are never stored. */
export function selectorChoices(): readonly { id: SelectorChoice; label: string }[] {
  return [{ id: "all", label: "All Videos" }, ...named, { id: "trending", label: "Trending" }];
}

export function isCategoryId(value: string | null | undefined): value is CategoryId {
  return byName.get(value ?? "")?.id === value;
}

/** Today's id of a stored or requested value, or undefined when there is no such category. */
export function toCategoryId(value: string | null | undefined): CategoryId | undefined {
  return byName.get(value ?? "")?.id;
}

/** The label of a stored value: a legacy one has that of today, an unknown one itself. */
export function categoryLabel(value: string): string {
  const category = byName.get(value);
  return category ? (labels.get(category.id) ?? category.label) : value;
}

/** The label of a stored value before a noun ("Premium videos"), unless an owner has renamed the category. */
export function shortCategoryLabel(value: string): string {
  const category = byName.get(value);
  const label = categoryLabel(value);
  const hasShortLabel = category && "shortLabel" in category && label === category.label;
  return hasShortLabel ? category.shortLabel : label;
}

/** Every value that rows of a category may store: its id and its legacy ones; an unknown value only itself. */
export function storedValues(category: string): string[] {
  const known = byName.get(category);
  return known ? [known.id, ...known.legacy] : [category];
}
