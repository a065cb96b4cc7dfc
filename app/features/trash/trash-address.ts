import { formatQuantity } from "~/shared/format";
import { searchText } from "~/shared/search-text";

/** The URL of the Trash page. Parameters are left out if they have their default values. */

/** How long after its deletion a video can be restored. */
export const TRASH_DAYS = 30;

export interface TrashView {
  /** Whether the page shows replaced files instead of deleted videos. */
  files?: true;
  /** The text to search for in titles, without surrounding spaces; empty for all videos. */
  search: string;
  page: number;
}

/** Parses a URL. Invalid values are replaced with the default. */
export function readTrashView(parameters: URLSearchParams): TrashView {
  const page = parameters.get("page") ?? "";
  return {
    ...(parameters.get("show") === "files" && { files: true }),
    search: searchText(parameters.get("search")),
    page: /^\d{1,7}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** Returns a view's URL, optionally with the dialog for emptying the trash. */
export function trashHref({ files, search, page }: TrashView, isEmptying = false): string {
  const parameters = new URLSearchParams();
  if (files) parameters.set("show", "files");
  if (search) parameters.set("search", search);
  if (page > 1) parameters.set("page", String(page));
  if (isEmptying) parameters.set("empty", "1");
  return parameters.size > 0 ? `/admin/trash?${parameters}` : "/admin/trash";
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns how much longer a video or file can be restored, such as `29 days`. The result is never less than one day.
 */
export function daysLeft(deletedAt: string, now: number): string {
  const left = Date.parse(deletedAt) + TRASH_DAYS * DAY_MS - now;
  return formatQuantity(Math.max(1, Math.ceil(left / DAY_MS)), "day");
}
