/**
 * The categories (specification, section 3). To add one, add a line here: form, filters, lists, sitemap,
 * statistics and search follow. The database stores ids as text and needs no change.
 */

interface Category {
  /** Used in URLs, in forms and in `videos.category`. */
  id: string;
  label: string;
  /** Used before a noun, as in "Premium videos". */
  shortLabel?: string;
  /** Values in rows of the earlier system. They are found and shown under the id. */
  legacy: readonly string[];
}

export const CATEGORIES = [
  { id: "desi", label: "Desi", legacy: ["amateur"] },
  { id: "blacked", label: "Blacked", legacy: ["professional"] },
  { id: "english", label: "English", legacy: ["couples"] },
  { id: "pornstar", label: "Model/Star", legacy: ["solo"] },
  { id: "premium", label: "Premium Video", shortLabel: "Premium", legacy: ["featured"] },
] as const satisfies readonly Category[];
