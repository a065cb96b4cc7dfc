/**
 * The categories (specification, section 3). To add a category, add a line here. The form, filters, lists, sitemap,
 * statistics and search all use this list. The database doesn't have to be changed, because it stores the ids as text.
 */

interface Category {
  /** The id, which is used in URLs, forms and `videos.category`. */
  id: string;
  label: string;
  /** The form of the label that is used before a noun, as in "Premium videos". */
  shortLabel?: string;
  /**
   * The values that rows from the earlier system can contain. Videos with these values are treated as if they had the
   * id.
   */
  legacy: readonly string[];
}

export const CATEGORIES = [
  { id: "desi", label: "Desi", legacy: ["amateur"] },
  { id: "blacked", label: "Blacked", legacy: ["professional"] },
  { id: "english", label: "English", legacy: ["couples"] },
  { id: "pornstar", label: "Model/Star", legacy: ["solo"] },
  { id: "premium", label: "Premium Video", shortLabel: "Premium", legacy: ["featured"] },
] as const satisfies readonly Category[];
