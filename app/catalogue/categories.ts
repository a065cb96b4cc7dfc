/** The categories: their ids, labels and legacy values (specification, section 3). */

export const CATEGORY_IDS = ["desi", "blacked", "english", "pornstar", "premium"] as const;
export type CategoryId = (typeof CATEGORY_IDS)[number];

const LABELS: Record<CategoryId, string> = {
  desi: "Desi",
  blacked: "Blacked",
  english: "English",
  pornstar: "Model/Star",
  premium: "Premium Video",
};

const LEGACY: Record<string, CategoryId> = {
  amateur: "desi",
  professional: "blacked",
  couples: "english",
  solo: "pornstar",
  featured: "premium",
};

/** What the category selector offers, in its order; `all` and `trending` are never stored. */
export const SELECTOR_CHOICES = [
  { id: "all", label: "All Videos" },
  ...CATEGORY_IDS.map((id) => ({ id, label: LABELS[id] })),
  { id: "trending", label: "Trending" },
] as const;

export function isCategoryId(value: string | null | undefined): value is CategoryId {
  return (CATEGORY_IDS as readonly string[]).includes(value ?? "");
}

/** Today's id of a stored or requested value, or undefined when there is no such category. */
export function toCategoryId(value: string | null | undefined): CategoryId | undefined {
  if (isCategoryId(value)) return value;
  return Object.hasOwn(LEGACY, value ?? "") ? LEGACY[value ?? ""] : undefined;
}

/** The label of a stored value, legacy ones included. */
export function categoryLabel(value: string): string {
  const id = toCategoryId(value);
  return id ? LABELS[id] : value;
}

/** Every value that rows of a category may hold: its id and its legacy one. */
export function storedValues(id: CategoryId): string[] {
  return [id, ...Object.keys(LEGACY).filter((legacy) => LEGACY[legacy] === id)];
}
