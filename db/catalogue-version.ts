/** The number of times that the catalogue and the view counts have changed since the database was created. */
export interface CatalogueVersion {
  /** Increases with each change to a video that is public or was public before the change. */
  catalogue: number;
  views: number;
  /** Increases with every change, including changes that only the studio shows. It is never sent to visitors. */
  studio: number;
}

/**
 * One column counts both kinds of changes. It increases by this number for a public change, and by one for a change
 * that only the studio shows. A million studio changes in a row count as a public change, but the only effect on
 * visitors is an unnecessary refresh.
 */
export const PUBLIC_CHANGE = 2 ** 20;

/** Returns the version in a row of `catalogue_version`. */
export function toCatalogueVersion({ catalogue, views }: { catalogue: number; views: number }) {
  return { catalogue: Math.floor(catalogue / PUBLIC_CHANGE), views, studio: catalogue };
}
