/**
 * The categories (specification, section 3). To add one, add its line here: form, filters, lists,
 * sitemap, statistics and search follow. The database holds the names as they are and needs no change.
 */

interface Category {
  /** In addresses, in forms and in `videos.category`. */
  id: string;
  label: string;
  /** Before a noun, as in "Premium videos". */
  shortLabel?: string;
  /** What rows of the earlier system call it. They are found, and shown, under the id. */
  legacy: readonly string[];
}

export const CATEGORIES = [
  { id: "desi", label: "Desi", legacy: ["amateur"] },
  { id: "blacked", label: "Blacked", legacy: ["professional"] },
  { id: "english", label: "English", legacy: ["couples"] },
  { id: "pornstar", label: "Model/Star", legacy: ["solo"] },
  { id: "premium", label: "Premium Video", shortLabel: "Premium", legacy: ["featured"] },
] as const satisfies readonly Category[];
