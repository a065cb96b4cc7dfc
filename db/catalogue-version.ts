/** How often the catalogue and the view counts have changed since the database was created. */
export interface CatalogueVersion {
  /** Rises with each change of a video that is public, or was public before the change. */
  catalogue: number;
  views: number;
  /** Rises with every change, including those that only the studio shows. Never sent to visitors. */
  studio: number;
}

/**
 * One column counts both kinds of changes: it rises by this number if the public sees the change, and by one if only
 * the studio does. A million studio changes in a row count as one public change, which costs visitors one needless
 * refresh.
 */
export const PUBLIC_CHANGE = 2 ** 20;

/** Returns the version in a row of `catalogue_version`. */
export function toCatalogueVersion({ catalogue, views }: { catalogue: number; views: number }) {
  return { catalogue: Math.floor(catalogue / PUBLIC_CHANGE), views, studio: catalogue };
}
