import { searchText } from "~/shared/search-text";

/** The pages of series in the studio, as their addresses say. Parameters at their defaults are left out. */

/** For so long a deleted series can be restored, as a video can. */
export const SERIES_RESTORABLE_DAYS = 30;

export const MAX_SERIES_VIDEOS = 1_000;

/** A page of the list of series, or of the videos of one. */
export interface SeriesView {
  /** The id of the series whose page it is; undefined for the list of all. */
  id?: number;
  /** Part of a title, trimmed; empty for all. Of the list only. */
  search: string;
  page: number;
}

/**
 * The view of an address. An invalid value counts as its default.
 *
 * @param id the last part of the path, if there is one.
 */
export function readSeriesView(id: string | undefined, parameters: URLSearchParams): SeriesView {
  const page = parameters.get("page") ?? "";
  return {
    ...(id !== undefined && { id: /^\d{1,15}$/.test(id) ? Number(id) : 0 }),
    search: id === undefined ? searchText(parameters.get("search")) : "",
    page: /^\d{1,7}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** The address of a view, with the question whether to delete the series if that is asked for. */
export function seriesHref({ id, search, page }: SeriesView, isDeleting = false): string {
  const parameters = new URLSearchParams();
  if (search) parameters.set("search", search);
  if (page > 1) parameters.set("page", String(page));
  if (isDeleting) parameters.set("delete", "1");
  const path = id === undefined ? "/admin/series" : `/admin/series/${id}`;
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** The address of the first page of a series in the studio. */
export function oneSeriesHref(id: number): string {
  return seriesHref({ id, search: "", page: 1 });
}
