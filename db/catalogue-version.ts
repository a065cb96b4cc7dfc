/** How often the catalogue and the view counts have changed since the file was made. */
export interface CatalogueVersion {
  /** What the public sees: rises with a video that is public, or was until now. */
  catalogue: number;
  views: number;
  /** Rises with every change, also of what only the studio shows. Never told to visitors. */
  studio: number;
}

/**
 * One column counts both: it rises by this where the public sees the change, and by one where only the studio
 * does. A million of these without one of those count as one of those, which costs visitors a look for nothing.
 */
export const PUBLIC_CHANGE = 2 ** 20;

/** The version that a row of `catalogue_version` holds. */
export function versionOf({ catalogue, views }: { catalogue: number; views: number }) {
  return { catalogue: Math.floor(catalogue / PUBLIC_CHANGE), views, studio: catalogue };
}
