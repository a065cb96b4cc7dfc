/**
 * The categories (specification, section 3). To add a category, add a line here; the form, filters, lists, sitemap,
 * statistics and search use this list. The database stores ids as text and doesn't have to be changed.
 */

interface Category {
  /** The id, which is used in URLs, forms and `videos.category`. */
  id: string;
  label: string;
  /** The form of the label that is used before a noun, as in "Premium videos". */
  shortLabel?: string;
  /** Values in rows from the earlier system. Videos with these values are found and shown under the id. */
  legacy: readonly string[];
}

export const CATEGORIES = [
  { id: "desi", label: "Desi", legacy: ["amateur"] },
  { id: "blacked", label: "Blacked", legacy: ["professional"] },
  { id: "english", label: "English", legacy: ["couples"] },
  { id: "pornstar", label: "Model/Star", legacy: ["solo"] },
  { id: "premium", label: "Premium Video", shortLabel: "Premium", legacy: ["featured"] },
] as const satisfies readonly Category[];
