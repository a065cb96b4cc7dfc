import { formatQuantity } from "~/shared/format";
import { searchText } from "~/shared/search-text";

/** The page of the trash, as its address says. Parameters at their defaults are left out. */

/** How long a deleted video can be restored. */
export const TRASH_DAYS = 30;

export interface TrashView {
  /** Of files that were replaced, and not of deleted videos. */
  files?: true;
  /** Part of a title, trimmed; empty for all. */
  search: string;
  page: number;
}

/** The view of an address. An invalid value counts as its default. */
export function readTrashView(parameters: URLSearchParams): TrashView {
  const page = parameters.get("page") ?? "";
  return {
    ...(parameters.get("show") === "files" && { files: true }),
    search: searchText(parameters.get("search")),
    page: /^\d{1,7}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** The address of a view, with the question whether to empty the trash if that is asked for. */
export function trashHref({ files, search, page }: TrashView, isEmptying = false): string {
  const parameters = new URLSearchParams();
  if (files) parameters.set("show", "files");
  if (search) parameters.set("search", search);
  if (page > 1) parameters.set("page", String(page));
  if (isEmptying) parameters.set("empty", "1");
  return parameters.size > 0 ? `/admin/trash?${parameters}` : "/admin/trash";
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** For how long something can still be restored, such as `29 days`; at least a day. */
export function daysLeft(deletedAt: string, now: number): string {
  const left = Date.parse(deletedAt) + TRASH_DAYS * DAY_MS - now;
  return formatQuantity(Math.max(1, Math.ceil(left / DAY_MS)), "day");
}
