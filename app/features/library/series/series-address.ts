import { searchText } from "~/shared/search-text";

/** The URLs of the studio's series pages. Parameters at their defaults are left out. */

/** How long a deleted series can be restored; the same as for videos. */
export const SERIES_RESTORABLE_DAYS = 30;

export const MAX_SERIES_VIDEOS = 1_000;

/** A page of the list of series, or of the videos in one series. */
export interface SeriesView {
  /** The id of the series; undefined for the list of all series. */
  id?: number;
  /** Trimmed search text for titles; empty for all series. Used only for the list. */
  search: string;
  page: number;
}

/**
 * Parses a URL. Invalid values are replaced by the defaults.
 *
 * @param id the last segment of the path, if there is one.
 */
export function readSeriesView(id: string | undefined, parameters: URLSearchParams): SeriesView {
  const page = parameters.get("page") ?? "";
  return {
    ...(id !== undefined && { id: /^\d{1,15}$/.test(id) ? Number(id) : 0 }),
    search: id === undefined ? searchText(parameters.get("search")) : "",
    page: /^\d{1,7}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** Returns the URL of a view, optionally with the dialog for deleting the series open. */
export function seriesHref({ id, search, page }: SeriesView, isDeleting = false): string {
  const parameters = new URLSearchParams();
  if (search) parameters.set("search", search);
  if (page > 1) parameters.set("page", String(page));
  if (isDeleting) parameters.set("delete", "1");
  const path = id === undefined ? "/admin/series" : `/admin/series/${id}`;
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** Returns the URL of the first page of a series in the studio. */
export function oneSeriesHref(id: number): string {
  return seriesHref({ id, search: "", page: 1 });
}
