import { type CategoryId, toCategoryId } from "~/shared/categories";
import { VIDEO_STATUSES, type VideoStatus } from "~db/schema";

/** What the manage tab shows, as its address says. Parameters at their defaults are left out. */

export const SORTS = ["newest", "oldest", "views", "title", "longest", "largest"] as const;
/** An order of what is scheduled alone: everything else has no time. */
const SCHEDULE_SORT = "schedule";
export type Sort = (typeof SORTS)[number] | typeof SCHEDULE_SORT;

export const SORT_LABELS: Record<Sort, string> = {
  newest: "Newest",
  oldest: "Oldest",
  views: "Most viewed",
  title: "Title",
  longest: "Longest",
  largest: "Largest",
  schedule: "Next scheduled",
};

/** What a view can be ordered by. */
export function sortsOf({ scheduled }: Pick<ManageView, "scheduled">): readonly Sort[] {
  return scheduled ? [...SORTS, SCHEDULE_SORT] : SORTS;
}

export const STATUS_LABELS: Record<VideoStatus, string> = {
  published: "Published",
  hidden: "Hidden",
  review: "Review",
};

const SEARCH_MAX_LENGTH = 200;
const PAGE_MAX = 10_000_000;

/** In the place of a status, for the videos that have a schedule, whatever their status. */
export const SCHEDULED = "scheduled";

/** In the place of a status, for the drafts that wait for an editor, or for who uploaded them. */
export const WAITING = { ready: "editor", unready: "uploader" } as const;
export type WaitsFor = (typeof WAITING)[keyof typeof WAITING];
export const WAITING_LABELS: Record<keyof typeof WAITING, string> = {
  ready: "Review: waits for an editor",
  unready: "Review: waits for the uploader",
};

/** The status of an address for whom drafts wait. */
export function waitingStatus(waitsFor: WaitsFor): keyof typeof WAITING {
  return waitsFor === "editor" ? "ready" : "unready";
}

export interface ManageView {
  page: number;
  /** Trimmed; empty for all. */
  search: string;
  status?: VideoStatus;
  /** Only what is published or hidden by itself. */
  scheduled?: boolean;
  /** Only drafts that wait for them; the status is that of drafts then. */
  waitsFor?: WaitsFor;
  category?: CategoryId;
  sort: Sort;
  /** The id of the user whose uploads alone are shown; not of the address, but of who asks. */
  uploadedBy?: string;
}

export const ALL_NEWEST: ManageView = { page: 1, search: "", sort: "newest" };

/** The view of an address. An invalid value counts as its default. */
export function readManageView(parameters: URLSearchParams): ManageView {
  const page = parameters.get("page") ?? "";
  const asked = parameters.get("status") ?? "";
  const waitsFor = Object.hasOwn(WAITING, asked)
    ? WAITING[asked as keyof typeof WAITING]
    : undefined;
  const scheduled = asked === SCHEDULED || undefined;
  return {
    page: /^\d{1,8}$/.test(page) ? Math.min(PAGE_MAX, Math.max(1, Number(page))) : 1,
    search: (parameters.get("search") ?? "").trim().slice(0, SEARCH_MAX_LENGTH).trim(),
    status: waitsFor ? "review" : VIDEO_STATUSES.find((status) => status === asked),
    ...(waitsFor && { waitsFor }),
    scheduled,
    category: toCategoryId(parameters.get("category")),
    sort: sortsOf({ scheduled }).find((sort) => sort === parameters.get("sort")) ?? "newest",
  };
}

/**
 * The address of the manage tab with this view, and with a dialog open when one is named:
 * `edit`, `schedule`, `replace` or `delete` with the id of a video.
 */
export function manageHref(view: ManageView, dialog: Record<string, string> = {}): string {
  const parameters = new URLSearchParams({ tab: "manage" });
  if (view.search) parameters.set("search", view.search);
  const ofDraft = view.waitsFor && waitingStatus(view.waitsFor);
  const status = view.scheduled ? SCHEDULED : (ofDraft ?? view.status);
  if (status) parameters.set("status", status);
  if (view.category) parameters.set("category", view.category);
  if (view.sort !== "newest") parameters.set("sort", view.sort);
  if (view.page > 1) parameters.set("page", String(view.page));
  for (const [name, value] of Object.entries(dialog)) parameters.set(name, value);
  return `/admin?${parameters}`;
}
