import { type CategoryId, toCategoryId } from "~/shared/categories";
import { searchText } from "~/shared/search-text";

/** What the manage tab shows, as its address says. Parameters at their defaults are left out. */

export const SORTS = ["newest", "oldest", "views", "title", "longest", "largest"] as const;
/** An order of what is scheduled alone: everything else has no time. */
const SCHEDULE_SORT = "schedule";
/** One of what looks like another alone. */
const ALIKE_SORT = "alike";
export type Sort = (typeof SORTS)[number] | typeof SCHEDULE_SORT | typeof ALIKE_SORT;

export const SORT_LABELS: Record<Sort, string> = {
  newest: "Newest",
  oldest: "Oldest",
  views: "Most viewed",
  title: "Title",
  longest: "Longest",
  largest: "Largest",
  schedule: "Next scheduled",
  alike: "Alike",
};

/** What a view can be ordered by. */
export function sortsOf({
  scheduled,
  similar,
}: Pick<ManageView, "scheduled" | "similar">): readonly Sort[] {
  if (similar) return [ALIKE_SORT, ...SORTS];
  return scheduled ? [...SORTS, SCHEDULE_SORT] : SORTS;
}

/** What a view is ordered by unless its address says another order. */
function usualSort({ similar }: Pick<ManageView, "similar">): Sort {
  return similar ? ALIKE_SORT : "newest";
}

/** What an address names as the status: one, drafts by whom they wait for, and videos of any status. */
export const STATUS_LABELS = {
  published: "Published",
  hidden: "Hidden",
  review: "Review",
  ready: "Review: waits for an editor",
  unready: "Review: waits for the uploader",
  scheduled: "Scheduled",
  similar: "Looks alike",
};
type NamedStatus = keyof typeof STATUS_LABELS;
const NAMED_STATUSES = Object.keys(STATUS_LABELS) as NamedStatus[];

/** The status that the address of a view names. */
export function namedStatus({ scheduled, similar, status }: ManageView): NamedStatus | undefined {
  return scheduled ? "scheduled" : similar ? "similar" : status;
}

const UPLOADER_MAX_LENGTH = 100;
const PAGE_MAX = 10_000_000;
export const MAX_VIEW_NAME_LENGTH = 40;

export const PAGE_SIZES = [20, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];
export const DEFAULT_PAGE_SIZE: PageSize = 50;

/** What is looked for where something is wrong with a video; each is on its own parameter. */
export const PROBLEM_LABELS = {
  failed: "A job has failed",
  missing: "A file is missing",
  "no-thumbnail": "No thumbnail",
} as const;
export type Problem = keyof typeof PROBLEM_LABELS;
export const PROBLEMS = Object.keys(PROBLEM_LABELS) as Problem[];

export interface ManageView {
  page: number;
  /** Trimmed; empty for all. */
  search: string;
  status?: Exclude<NamedStatus, "scheduled" | "similar">;
  /** Only what is published or hidden by itself. */
  scheduled?: boolean;
  /** Only what looks like another video. */
  similar?: boolean;
  category?: CategoryId;
  /** Only what was added since: a day of UTC as YYYY-MM-DD, or a moment in ISO 8601 UTC. */
  from?: string;
  /** The same for the end: the last day, or the moment before which it was added. */
  to?: string;
  /** The id of a user whose uploads alone are shown. */
  uploader?: string;
  /** Only videos that have all of these. */
  problems?: readonly Problem[];
  sort: Sort;
  /** Videos of a page; the default is not written. */
  size?: PageSize;
  /** The columns beside the title; undefined for all. */
  columns?: readonly Column[];
  /** The id of the user whose uploads alone are shown; not of the address, but of who asks. */
  uploadedBy?: string;
}

export const ALL_NEWEST: ManageView = { page: 1, search: "", sort: "newest" };

/** The view without what narrows it, with its order, page size and columns. */
export function cleared({ sort, size, columns }: ManageView): ManageView {
  return {
    ...ALL_NEWEST,
    sort: sortsOf({}).includes(sort) ? sort : "newest",
    ...(size && { size }),
    ...(columns && { columns }),
  };
}

/** Whether anything narrows the view. */
export function isFiltered(view: ManageView): boolean {
  return manageHref({ ...cleared(view), sort: view.sort }) !== manageHref({ ...view, page: 1 });
}

/** Whether one of the filters does that stand apart, as most views need none of them. */
export function hasMoreFilters({ from, to, uploader, problems }: ManageView): boolean {
  return Boolean(from || to || uploader || problems);
}

/** The view of an address. An invalid value counts as its default. */
export function readManageView(parameters: URLSearchParams): ManageView {
  const page = parameters.get("page") ?? "";
  const asked = NAMED_STATUSES.find((status) => status === parameters.get("status"));
  const scheduled = asked === "scheduled" || undefined;
  const similar = asked === "similar" || undefined;
  const uploader = (parameters.get("uploader") ?? "").trim();
  const problems = PROBLEMS.filter((problem) => parameters.get(problem) === "1");
  const size = PAGE_SIZES.find((each) => String(each) === parameters.get("size"));
  return {
    page: /^\d{1,8}$/.test(page) ? Math.min(PAGE_MAX, Math.max(1, Number(page))) : 1,
    search: searchText(parameters.get("search")),
    status: asked === "scheduled" || asked === "similar" ? undefined : asked,
    scheduled,
    ...(similar && { similar }),
    category: toCategoryId(parameters.get("category")),
    sort:
      sortsOf({ scheduled, similar }).find((sort) => sort === parameters.get("sort")) ??
      usualSort({ similar }),
    from: readDay(parameters.get("from")),
    to: readDay(parameters.get("to")),
    uploader: uploader.length <= UPLOADER_MAX_LENGTH ? uploader || undefined : undefined,
    problems: problems.length > 0 ? problems : undefined,
    size: size === DEFAULT_PAGE_SIZE ? undefined : size,
    columns: readColumns(parameters.getAll("columns")),
  };
}

/** A day, or a moment, that a calendar has; undefined for anything else. */
export function readDay(text: string | null): string | undefined {
  const given = text?.trim() ?? "";
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?$/.test(given)) return undefined;
  const time = new Date(given);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(given) ? given : undefined;
}

/**
 * The address of the manage tab with this view, and with a dialog open when one is named:
 * `edit`, `schedule`, `replace`, `trim` or `delete` with the id of a video.
 */
export function manageHref(view: ManageView, dialog: Record<string, string> = {}): string {
  const parameters = new URLSearchParams({ tab: "manage" });
  if (view.search) parameters.set("search", view.search);
  const status = namedStatus(view);
  if (status) parameters.set("status", status);
  if (view.category) parameters.set("category", view.category);
  for (const name of ["from", "to", "uploader"] as const) {
    if (view[name]) parameters.set(name, view[name]);
  }
  for (const problem of view.problems ?? []) parameters.set(problem, "1");
  if (view.sort !== usualSort(view)) parameters.set("sort", view.sort);
  if (view.size) parameters.set("size", String(view.size));
  if (view.columns) parameters.set("columns", writeColumns(view.columns));
  if (view.page > 1) parameters.set("page", String(view.page));
  for (const [name, value] of Object.entries(dialog)) parameters.set(name, value);
  return `/admin?${parameters}`;
}

/** The columns of the studio's list that can be left out. The title, the selection and the actions stay. */
export const COLUMN_LABELS = {
  status: "Status",
  category: "Category",
  duration: "Duration",
  views: "Views",
  size: "Size",
  added: "Added",
} as const;
export type Column = keyof typeof COLUMN_LABELS;
export const COLUMNS = Object.keys(COLUMN_LABELS) as Column[];

/** Sent with every choice, so that a form in which no other column is chosen says so. */
export const TITLE_COLUMN = "title";

/**
 * The columns that an address names, by `columns=status,views` or by several parameters, as a form
 * without scripts sends them; undefined for all of them, which is the default.
 */
function readColumns(values: readonly string[]): Column[] | undefined {
  const named = new Set(values.join(",").split(","));
  const columns = COLUMNS.filter((column) => named.has(column));
  const isNoChoice = columns.length === 0 && !named.has(TITLE_COLUMN);
  return isNoChoice || columns.length === COLUMNS.length ? undefined : columns;
}

function writeColumns(columns: readonly Column[]): string {
  return [TITLE_COLUMN, ...columns].join(",");
}
