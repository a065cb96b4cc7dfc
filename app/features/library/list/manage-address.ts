import { type CategoryId, toCategoryId } from "~/shared/categories";
import { searchText } from "~/shared/search-text";

/** The URL of the Manage Videos tab. Parameters at their defaults are left out. */

export const SORTS = ["newest", "oldest", "views", "title", "longest", "largest"] as const;
/** Offered only for scheduled videos, because other videos have no scheduled time. */
const SCHEDULE_SORT = "schedule";
/** Offered only for similar videos. */
const SIMILAR_SORT = "alike";
export type Sort = (typeof SORTS)[number] | typeof SCHEDULE_SORT | typeof SIMILAR_SORT;

export const SORT_LABELS: Record<Sort, string> = {
  newest: "Newest",
  oldest: "Oldest",
  views: "Most viewed",
  title: "Title",
  longest: "Longest",
  largest: "Largest",
  schedule: "Next scheduled",
  alike: "Group similar videos",
};

/** Returns the sort orders that are available for a view. */
export function availableSorts({
  scheduled,
  similar,
}: Pick<ManageView, "scheduled" | "similar">): readonly Sort[] {
  if (similar) return [SIMILAR_SORT, ...SORTS];
  return scheduled ? [...SORTS, SCHEDULE_SORT] : SORTS;
}

/** Returns the sort order for a view whose URL doesn't specify one. */
function defaultSort({ similar }: Pick<ManageView, "similar">): Sort {
  return similar ? SIMILAR_SORT : "newest";
}

/**
 * The options of the status filter. Drafts are divided by who has to act next. The last two options include videos with
 * any status.
 */
export const STATUS_LABELS = {
  published: "Published",
  hidden: "Hidden",
  review: "Draft",
  ready: "Draft: ready for review",
  unready: "Draft: needs changes",
  scheduled: "Scheduled",
  similar: "Possible duplicates",
};
type NamedStatus = keyof typeof STATUS_LABELS;
const NAMED_STATUSES = Object.keys(STATUS_LABELS) as NamedStatus[];

/** Returns the value of a view's status filter. */
export function statusFilter({ scheduled, similar, status }: ManageView): NamedStatus | undefined {
  return scheduled ? "scheduled" : similar ? "similar" : status;
}

const MAX_UPLOADER_LENGTH = 100;
const MAX_PAGE = 10_000_000;
export const MAX_VIEW_NAME_LENGTH = 40;

export const PAGE_SIZES = [20, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];
export const DEFAULT_PAGE_SIZE: PageSize = 50;

/** Filters for videos with problems. Each has a separate parameter. */
export const PROBLEM_LABELS = {
  failed: "Failed processing",
  missing: "Missing files",
  "no-thumbnail": "No thumbnail",
} as const;
export type Problem = keyof typeof PROBLEM_LABELS;
export const PROBLEMS = Object.keys(PROBLEM_LABELS) as Problem[];

export interface ManageView {
  page: number;
  /** Trimmed search text; empty for all videos. */
  search: string;
  status?: Exclude<NamedStatus, "scheduled" | "similar">;
  /** Only videos with a schedule. */
  scheduled?: boolean;
  /** Only videos that resemble another video. */
  similar?: boolean;
  category?: CategoryId;
  /** Only videos added on or after this date or time: a date in UTC as YYYY-MM-DD, or an ISO 8601 UTC timestamp. */
  from?: string;
  /** The end of the range in the same format: either the last date, or a timestamp, which is not included. */
  to?: string;
  /** The id of a user, to show only that user's uploads. */
  uploader?: string;
  /** Only videos that have all of these problems. */
  problems?: readonly Problem[];
  sort: Sort;
  /** Videos per page; undefined for the default. */
  size?: PageSize;
  /** The columns shown besides the title; undefined for all. */
  columns?: readonly Column[];
  /** The id of the requesting user if they may see only their own uploads. Not part of the URL. */
  uploadedBy?: string;
}

export const DEFAULT_VIEW: ManageView = { page: 1, search: "", sort: "newest" };

/** Returns the view without its filters, but with the same sort order, page size and columns. */
export function withoutFilters({ sort, size, columns }: ManageView): ManageView {
  return {
    ...DEFAULT_VIEW,
    sort: availableSorts({}).includes(sort) ? sort : "newest",
    ...(size && { size }),
    ...(columns && { columns }),
  };
}

/** Returns whether the view has any filters. */
export function isFiltered(view: ManageView): boolean {
  return (
    manageHref({ ...withoutFilters(view), sort: view.sort }) !== manageHref({ ...view, page: 1 })
  );
}

/** Returns whether the view uses any of the filters under “More filters”. */
export function hasMoreFilters({ from, to, uploader, problems }: ManageView): boolean {
  return Boolean(from || to || uploader || problems);
}

/** Parses a URL. Invalid values are replaced by the defaults. */
export function readManageView(parameters: URLSearchParams): ManageView {
  const page = parameters.get("page") ?? "";
  const status = NAMED_STATUSES.find((each) => each === parameters.get("status"));
  const scheduled = status === "scheduled" || undefined;
  const similar = status === "similar" || undefined;
  const uploader = (parameters.get("uploader") ?? "").trim();
  const problems = PROBLEMS.filter((problem) => parameters.get(problem) === "1");
  const size = PAGE_SIZES.find((each) => String(each) === parameters.get("size"));
  return {
    page: /^\d{1,8}$/.test(page) ? Math.min(MAX_PAGE, Math.max(1, Number(page))) : 1,
    search: searchText(parameters.get("search")),
    status: status === "scheduled" || status === "similar" ? undefined : status,
    scheduled,
    ...(similar && { similar }),
    category: toCategoryId(parameters.get("category")),
    sort:
      availableSorts({ scheduled, similar }).find((sort) => sort === parameters.get("sort")) ??
      defaultSort({ similar }),
    from: readDay(parameters.get("from")),
    to: readDay(parameters.get("to")),
    uploader: uploader.length <= MAX_UPLOADER_LENGTH ? uploader || undefined : undefined,
    problems: problems.length > 0 ? problems : undefined,
    size: size === DEFAULT_PAGE_SIZE ? undefined : size,
    columns: readColumns(parameters.getAll("columns")),
  };
}

/** Returns the text if it is a valid date or timestamp; otherwise undefined. */
export function readDay(text: string | null): string | undefined {
  const trimmed = text?.trim() ?? "";
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?$/.test(trimmed)) return undefined;
  const time = new Date(trimmed);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(trimmed)
    ? trimmed
    : undefined;
}

/**
 * Returns the URL of the Manage Videos tab for this view. If a dialog is given, the URL opens it: `edit`, `schedule`,
 * `replace`, `trim` or `delete` with a video's id.
 */
export function manageHref(view: ManageView, dialog: Record<string, string> = {}): string {
  const parameters = new URLSearchParams({ tab: "manage" });
  if (view.search) parameters.set("search", view.search);
  const status = statusFilter(view);
  if (status) parameters.set("status", status);
  if (view.category) parameters.set("category", view.category);
  for (const name of ["from", "to", "uploader"] as const) {
    if (view[name]) parameters.set(name, view[name]);
  }
  for (const problem of view.problems ?? []) parameters.set(problem, "1");
  if (view.sort !== defaultSort(view)) parameters.set("sort", view.sort);
  if (view.size) parameters.set("size", String(view.size));
  if (view.columns) parameters.set("columns", writeColumns(view.columns));
  if (view.page > 1) parameters.set("page", String(view.page));
  for (const [name, value] of Object.entries(dialog)) parameters.set(name, value);
  return `/admin?${parameters}`;
}

/** The list's optional columns. The title, the checkbox and the actions are always shown. */
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

/**
 * Always sent, so that a form in which no optional column is selected differs from a URL that doesn't specify columns.
 */
export const TITLE_COLUMN = "title";

/**
 * Returns the columns that a URL specifies; undefined for all columns, which is the default. They can be written as
 * `columns=status,views` or as several parameters, which is how a form sends them without JavaScript.
 */
function readColumns(values: readonly string[]): Column[] | undefined {
  const named = new Set(values.join(",").split(","));
  const columns = COLUMNS.filter((column) => named.has(column));
  const isUnspecified = columns.length === 0 && !named.has(TITLE_COLUMN);
  return isUnspecified || columns.length === COLUMNS.length ? undefined : columns;
}

function writeColumns(columns: readonly Column[]): string {
  return [TITLE_COLUMN, ...columns].join(",");
}
