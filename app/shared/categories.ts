import { CATEGORIES } from "./category-list";

export type CategoryId = (typeof CATEGORIES)[number]["id"];
export const CATEGORY_IDS: readonly CategoryId[] = CATEGORIES.map(({ id }) => id);

const byName = new Map(
  CATEGORIES.flatMap((category) =>
    [category.id, ...category.legacy].map((name) => [name as string, category] as const),
  ),
);

/** A category with the label shown to users. */
export interface CategoryName {
  id: CategoryId;
  label: string;
}

export const DEFAULT_CATEGORIES: readonly CategoryName[] = CATEGORIES.map(({ id, label }) => ({
  id,
  label,
}));

// Labels are the same for every user, so they aren't passed to each component.
let named = DEFAULT_CATEGORIES;
let labels = new Map<string, string>();

/**
 * Sets the labels and the order of the categories. The server reads them from the database
 * (`features/catalogue/category-names.server.ts`) and sends them with every page.
 *
 * @param names all categories; undefined for the labels in the code.
 */
export function nameCategories(names: readonly CategoryName[] | undefined): void {
  named = names ?? DEFAULT_CATEGORIES;
  labels = new Map(named.map(({ id, label }) => [id, label]));
}

/** Returns the categories in display order. */
export function shownCategories(): readonly CategoryName[] {
  return named;
}

export type SelectorChoice = "all" | CategoryId | "trending";

/** Returns the category selector's choices in display order. `all` and `trending` are never stored. */
export function selectorChoices(): readonly { id: SelectorChoice; label: string }[] {
  return [{ id: "all", label: "All Videos" }, ...named, { id: "trending", label: "Trending" }];
}

export function isCategoryId(value: string | null | undefined): value is CategoryId {
  return byName.get(value ?? "")?.id === value;
}

/** Returns the current id of the category for a stored or requested value; undefined if there is no such category. */
export function toCategoryId(value: string | null | undefined): CategoryId | undefined {
  return byName.get(value ?? "")?.id;
}

/**
 * Returns the label for a stored value: the current label for a legacy value, and the value itself if it is unknown.
 */
export function categoryLabel(value: string): string {
  const category = byName.get(value);
  return category ? (labels.get(category.id) ?? category.label) : value;
}

/**
 * Returns the form of the label that is used before a noun ("Premium videos"), or the plain label if an owner has
 * renamed the category.
 */
export function shortCategoryLabel(value: string): string {
  const category = byName.get(value);
  const label = categoryLabel(value);
  const hasShortLabel = category && "shortLabel" in category && label === category.label;
  return hasShortLabel ? category.shortLabel : label;
}

/**
 * Returns all values that rows in a category may store: its id and its legacy values, or only the given value if that
 * is unknown.
 */
export function storedValues(category: string): string[] {
  const known = byName.get(category);
  return known ? [known.id, ...known.legacy] : [category];
}
