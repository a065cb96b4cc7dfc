import { CATEGORIES } from "./category-list";

export type CategoryId = (typeof CATEGORIES)[number]["id"];
export const CATEGORY_IDS: readonly CategoryId[] = CATEGORIES.map(({ id }) => id);

const byName = new Map(
  CATEGORIES.flatMap((category) =>
    [category.id, ...category.legacy].map((name) => [name as string, category] as const),
  ),
);

/** What the category selector offers, in its order; `all` and `trending` are never stored. */
export const SELECTOR_CHOICES: readonly { id: "all" | CategoryId | "trending"; label: string }[] = [
  { id: "all", label: "All Videos" },
  ...CATEGORIES.map(({ id, label }) => ({ id, label })),
  { id: "trending", label: "Trending" },
];

export function isCategoryId(value: string | null | undefined): value is CategoryId {
  return byName.get(value ?? "")?.id === value;
}

/** Today's id of a stored or requested value, or undefined when there is no such category. */
export function toCategoryId(value: string | null | undefined): CategoryId | undefined {
  return byName.get(value ?? "")?.id;
}

/** The label of a stored value: a legacy one has that of today, an unknown one itself. */
export function categoryLabel(value: string): string {
  return byName.get(value)?.label ?? value;
}

/** Every value that rows of a category may hold: its id and its legacy ones. */
export function storedValues(id: CategoryId): string[] {
  return [id, ...(byName.get(id)?.legacy ?? [])];
}
