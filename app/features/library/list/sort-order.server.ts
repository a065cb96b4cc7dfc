import { VIDEO_STATUSES, type VideoStatus } from "~db/schema";
import type { ManageView, Problem, Sort, WaitsFor } from "./manage-address";

interface Order {
  /** What it sorts by, in SQL; of equals, the later entered or the newer goes with the larger. */
  keys: readonly string[];
  descending: boolean;
  /** Indexes of this order, which together have every row, and also hold status and category. */
  indexes: readonly Index[];
}

interface Index {
  name: string;
  /** The condition of a partial index, and the statuses that rows in it may have. */
  condition: string;
  statuses: readonly VideoStatus[];
}

const all = (name: string): Index[] => [{ name, condition: "TRUE", statuses: VIDEO_STATUSES }];
const both = (listed: string, others: string): Index[] => [
  { name: listed, condition: "listed", statuses: ["published"] },
  { name: others, condition: "NOT listed", statuses: VIDEO_STATUSES },
];

/** When the next thing of its schedule happens to a row; after every time for one without. */
const NEXT_TIME = `min(coalesce(CASE WHEN status <> 'published' THEN publish_at END, '9'),
  coalesce(unpublish_at, '9'))`;
/** The smallest id among those that a row looks like and its own. */
const FIRST_ALIKE = `min(id, coalesce((SELECT min(first) FROM similar_videos
  WHERE second = id AND dismissed_at IS NULL), id))`;
const AGE = { keys: ["sort_key"], indexes: all("videos_by_age") };
const ORDERS: Record<Sort, Order> = {
  newest: { ...AGE, descending: true },
  oldest: { ...AGE, descending: false },
  views: {
    keys: ["views", "sort_key"],
    indexes: both("videos_listed_by_views", "videos_unlisted_by_views"),
    descending: true,
  },
  title: {
    keys: ["title COLLATE NOCASE", "number"],
    indexes: all("videos_by_title"),
    descending: false,
  },
  longest: {
    keys: ["seconds", "sort_key"],
    indexes: both("videos_listed_by_length", "videos_unlisted_by_length"),
    descending: true,
  },
  largest: { keys: ["bytes", "number"], indexes: all("videos_by_size"), descending: true },
  // Of the few that have a time, see `rowsBy`; the next first.
  schedule: { keys: [NEXT_TIME, "number"], indexes: AGE.indexes, descending: false },
  // Those that look alike beside each other.
  alike: { keys: [FIRST_ALIKE, "number"], indexes: AGE.indexes, descending: false },
};
/** In no order, for the few rows of a status or category. */
const BY_STATE = both("videos_listed_by_category", "videos_unlisted_by_status");
/** What one user has uploaded, by age. */
const BY_UPLOADER = all("videos_by_uploader");
/** What has no thumbnail, by age. */
const NO_THUMBNAIL = "coalesce(thumbnail_url, '') = ''";
const WITHOUT_THUMBNAIL: Index[] = [
  { name: "videos_without_thumbnail", condition: NO_THUMBNAIL, statuses: VIDEO_STATUSES },
];

export interface Filter {
  status?: VideoStatus;
  /** Only rows with a time at which they are published or hidden. */
  scheduled?: boolean;
  /** Only rows that look like another, of those that a user may know of where one is given. */
  similar?: boolean;
  knownTo?: string;
  /** The names that rows of the category may have. */
  categories?: readonly string[];
  /** Only drafts that are ready, or those that are not. */
  waitsFor?: WaitsFor;
  /** Only rows that this user has uploaded. */
  uploadedBy?: string;
  /** The first and the last day of UTC that rows were added on, or moments; see `ManageView`. */
  from?: string;
  to?: string;
  problems?: readonly Problem[];
}

/** Whether a view has fewer videos than an order; how many tells then how to read them. */
export function isNarrow(view: Filter): boolean {
  const { status, categories, uploadedBy, problems } = view;
  return Boolean(
    status ||
      view.scheduled ||
      view.similar ||
      categories ||
      uploadedBy ||
      view.from ||
      view.to ||
      problems,
  );
}

/** A query and the values of its parameters. */
export interface Query {
  sql: string;
  values: unknown[];
}

export function orderBy({ sort }: Pick<ManageView, "sort">, backwards = false): string {
  const { keys, descending } = ORDERS[sort];
  const direction = descending !== backwards ? "DESC" : "ASC";
  return `ORDER BY ${keys.map((key) => `${key} ${direction}`).join(", ")}`;
}

/**
 * The rows of a view by indexes of its order, whose parts are merged as they come, and none is sorted.
 *
 * @param condition one more, of each row.
 */
export function rowsInOrder(view: Filter & Pick<ManageView, "sort">, condition?: Query): Query {
  const { keys, indexes } = ORDERS[view.sort];
  const columns = columnsFor(view);
  // They are few: found by their own indexes, and sorted.
  if (view.scheduled || view.similar) return rowsOfSet(view, columns, condition);
  const ofAge = keys === AGE.keys ? indexesByAge(view) : undefined;
  return rowsBy(ofAge ?? indexes, view, columns, condition);
}

/** The same by what the view is filtered by, which is good for few rows: they are sorted. */
export function rowsByState(view: Filter & Pick<ManageView, "sort">, condition?: Query): Query {
  return narrowRows(view, columnsFor(view), condition, BY_STATE);
}

/** A row for each of a view, to be counted: no columns, so that an index can be enough. */
export function countedRows(view: Filter): Query {
  return narrowRows(view, "1", undefined, BY_STATE);
}

/** The ids of the rows of a view, in no order. */
export function idsByState(view: Filter): Query {
  const byState = view.status || view.categories ? BY_STATE : AGE.indexes;
  return narrowRows(view, "id", undefined, byState);
}

function narrowRows(
  view: Filter,
  columns: string,
  condition: Query | undefined,
  otherwise: readonly Index[],
): Query {
  const isOfSet =
    view.scheduled || view.similar || view.problems?.some((problem) => problem !== "no-thumbnail");
  if (isOfSet) return rowsOfSet(view, columns, condition);
  return rowsBy(indexesByAge(view) ?? otherwise, view, columns, condition);
}

/** The index by age that has the fewest rows beside those of the view; undefined for none of its own. */
function indexesByAge(view: Filter): readonly Index[] | undefined {
  if (view.problems?.includes("no-thumbnail")) return WITHOUT_THUMBNAIL;
  if (view.uploadedBy !== undefined) return BY_UPLOADER;
  return view.from || view.to ? AGE.indexes : undefined;
}

/** The number of a row and what orders it, which a query of several parts must have to be merged. */
function columnsFor({ sort }: Pick<ManageView, "sort">): string {
  const keys = ORDERS[sort].keys.map((key) => key.replace(" COLLATE NOCASE", ""));
  return [...new Set(["number", ...keys])].join(", ");
}

function rowsBy(
  indexes: readonly Index[],
  view: Filter,
  columns: string,
  condition: Query = { sql: "TRUE", values: [] },
): Query {
  const parts = indexes
    .filter(({ statuses }) => !view.status || statuses.includes(view.status))
    .map(({ name, condition: isHeld, statuses }) => {
      const filter = filtered(view, statuses);
      return {
        sql: `SELECT ${columns} FROM videos INDEXED BY ${name}
          WHERE ${isHeld} AND ${filter.sql} AND ${condition.sql}`,
        values: [...filter.values, ...condition.values],
      };
    });
  return {
    sql: parts.map(({ sql }) => sql).join(" UNION ALL "),
    values: parts.flatMap(({ values }) => values),
  };
}

/** The rows of a schedule, or of problems: they are looked up by the numbers that these have. */
function rowsOfSet(
  view: Filter,
  columns: string,
  condition: Query = { sql: "TRUE", values: [] },
): Query {
  const filter = filtered(view);
  return {
    sql: `SELECT ${columns} FROM videos NOT INDEXED WHERE ${filter.sql} AND ${condition.sql}`,
    values: [...filter.values, ...condition.values],
  };
}

/** As the rows of the list say it: also of a file that is to replace the video's. */
const HAS_FAILED_JOB = `number IN (SELECT failed.number FROM jobs
  LEFT JOIN video_files ON video_files.id = jobs.video_id
  JOIN videos AS failed ON failed.id = coalesce(video_files.video_id, jobs.video_id)
  WHERE jobs.state = 'failed')`;
const PROBLEM_CONDITIONS: Record<Problem, string> = {
  failed: HAS_FAILED_JOB,
  missing: "number IN (SELECT number FROM missing_files)",
  "no-thumbnail": NO_THUMBNAIL,
};
const IS_SCHEDULED = `number IN (SELECT number FROM videos WHERE publish_at IS NOT NULL
  UNION ALL SELECT number FROM videos WHERE unpublish_at IS NOT NULL)`;

const KNOWN = "(? IS NULL OR other.public OR other.uploaded_by = ?)";
const IS_SIMILAR = `number IN (
  SELECT own.number FROM similar_videos
    JOIN videos AS own ON own.id = first JOIN videos AS other ON other.id = second
  WHERE dismissed_at IS NULL AND ${KNOWN}
  UNION ALL SELECT own.number FROM similar_videos
    JOIN videos AS own ON own.id = second JOIN videos AS other ON other.id = first
  WHERE dismissed_at IS NULL AND ${KNOWN})`;

/** The filters of a view as a condition, of rows of these statuses. */
export function filtered(
  { status, scheduled, similar, waitsFor, categories, uploadedBy, from, to, ...view }: Filter,
  statuses: readonly VideoStatus[] = VIDEO_STATUSES,
): Query {
  const conditions = ["TRUE"];
  const values: unknown[] = [];
  const among = (column: string, allowed: readonly string[]) => {
    conditions.push(`${column} IN (${allowed.map(() => "?").join(", ")})`);
    values.push(...allowed);
  };
  // With one status, the condition of the index says so already.
  if ((status || categories) && statuses.length > 1) among("status", status ? [status] : statuses);
  if (waitsFor) conditions.push(`ready_at IS ${waitsFor === "editor" ? "NOT NULL" : "NULL"}`);
  if (scheduled) conditions.push(IS_SCHEDULED);
  if (similar) {
    const user = view.knownTo ?? null;
    conditions.push(IS_SIMILAR);
    values.push(user, user, user, user);
  }
  if (categories) among("category", categories);
  if (uploadedBy !== undefined) among("uploaded_by", [uploadedBy]);
  const added = (comparison: string, time: number) => {
    conditions.push(`sort_key ${comparison} ?`);
    values.push(sortKeyOf(time));
  };
  if (from) added(">=", Date.parse(from));
  if (to) added("<", Date.parse(to) + (isDay(to) ? DAY_MS : 0));
  for (const problem of view.problems ?? []) conditions.push(PROBLEM_CONDITIONS[problem]);
  return { sql: conditions.join(" AND "), values };
}

const isDay = (text: string) => text.length === "2030-01-31".length;
const DAY_MS = 24 * 3_600_000;
const FIRST_MS = Date.UTC(2000, 0, 1);
const LAST_TIME = 2n ** 41n - 1n;

/** The sort key of the first row of a moment, see the column `sort_key` in the baseline of the schema. */
function sortKeyOf(ms: number): bigint {
  const time = BigInt(ms - FIRST_MS);
  return (time < 0n ? 0n : time > LAST_TIME ? LAST_TIME : time) * 2n ** 22n;
}
