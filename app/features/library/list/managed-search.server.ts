import type { Database } from "better-sqlite3";
import { searchNeedle } from "~/shared/search-text";
import { indexOf, phrase } from "~db/search-index.server";
import { DEFAULT_PAGE_SIZE, type ManageView, type Problem, type Sort } from "./manage-address";

/** Finds the videos on a page of the studio's list. Runs in a worker thread. */

interface Order {
  /** SQL sort keys. The last one breaks ties; its value is larger for rows that are newer or were inserted later. */
  keys: readonly string[];
  direction: "ASC" | "DESC";
  /**
   * The indexes that are sorted in this order and together cover all rows. They also contain the status and category.
   */
  indexes: readonly string[];
}

/** A row's next scheduled time. Rows without one sort after all timestamps. */
const NEXT_TIME = `min(coalesce(CASE WHEN status <> 'published' THEN publish_at END, '9'),
  coalesce(unpublish_at, '9'))`;
/** The smallest id among the row and the videos it resembles. */
const SIMILAR_GROUP = `min(id, coalesce((SELECT min(first) FROM similar_videos
  WHERE second = id AND dismissed_at IS NULL), id))`;
const BY_AGE = ["INDEXED BY videos_by_age WHERE TRUE"];
const ORDERS: Record<Sort, Order> = {
  newest: { keys: ["sort_key"], direction: "DESC", indexes: BY_AGE },
  oldest: { keys: ["sort_key"], direction: "ASC", indexes: BY_AGE },
  views: {
    keys: ["views", "sort_key"],
    direction: "DESC",
    indexes: [
      "INDEXED BY videos_listed_by_views WHERE listed",
      "INDEXED BY videos_unlisted_by_views WHERE NOT listed",
    ],
  },
  title: {
    keys: ["title COLLATE NOCASE", "number"],
    direction: "ASC",
    indexes: ["INDEXED BY videos_by_title WHERE TRUE"],
  },
  longest: {
    keys: ["seconds", "sort_key"],
    direction: "DESC",
    indexes: [
      "INDEXED BY videos_listed_by_length WHERE listed",
      "INDEXED BY videos_unlisted_by_length WHERE NOT listed",
    ],
  },
  largest: {
    keys: ["bytes", "number"],
    direction: "DESC",
    indexes: ["INDEXED BY videos_by_size WHERE TRUE"],
  },
  schedule: { keys: [NEXT_TIME, "number"], direction: "ASC", indexes: BY_AGE },
  // Places similar videos next to each other.
  alike: { keys: [SIMILAR_GROUP, "number"], direction: "ASC", indexes: BY_AGE },
};

interface Filter {
  status?: ManageView["status"];
  /** Only rows that are scheduled to be published or hidden. */
  scheduled?: boolean;
  /** Only rows that resemble another video. If `knownTo` is given, that user must be able to see the other video. */
  similar?: boolean;
  knownTo?: string;
  /** The values that rows in the category may contain. */
  categories?: readonly string[];
  /** Only rows uploaded by this user. */
  uploadedBy?: string;
  /** Only rows that were added within this time range; see `ManageView`. */
  from?: string;
  to?: string;
  problems?: readonly Problem[];
}

/** A view that includes the stored values of its category, because the worker thread can't look them up. */
type View = Pick<ManageView, "search" | "sort" | "page" | "size"> & Filter;

export interface ManagedQuery {
  view: View;
  /** The number of videos, if the view is filtered only by status and category. */
  total: number | undefined;
}

export interface ManagedResult {
  /** The `number` of each row on the page. */
  rows: number[];
  total: number;
}

/**
 * Up to this many matches are collected and sorted. If there are more, scanning an index in order finds them fast
 * enough.
 */
const MAX_SORTED_VIDEOS = 4_000;

/** Returns one page of a view, clamped to the last page. */
export function readManagedPage(sqlite: Database) {
  return ({ view, total }: ManagedQuery): ManagedResult => {
    const { keys, direction, indexes } = ORDERS[view.sort];
    const size = view.size ?? DEFAULT_PAGE_SIZE;
    const startOf = (all: number) =>
      (Math.min(view.page, Math.max(1, Math.ceil(all / size))) - 1) * size;
    const filter = conditionOf(view);
    const found = `FROM ${sourceOf(view)} WHERE ${filter.sql}`;
    const count = (limit: number) =>
      sqlite
        .prepare<unknown[], number>(`SELECT count(*) FROM (SELECT 1 ${found} LIMIT ?)`)
        .pluck()
        .get(...filter.values, limit)!;
    if (
      total === undefined &&
      (selectsByNumber(view) || count(MAX_SORTED_VIDEOS + 1) <= MAX_SORTED_VIDEOS)
    ) {
      // The unary plus keeps SQLite from using an index for the sort order.
      const order = keys.map((key) => `+${key} ${direction}`);
      const sorted = sqlite
        .prepare<unknown[], number>(`SELECT number ${found} ORDER BY ${order}`)
        .pluck();
      const all = sorted.all(...filter.values);
      const start = startOf(all.length);
      return { rows: all.slice(start, start + size), total: all.length };
    }
    const all = total ?? count(-1);
    // SQLite can merge the parts in order only if the selected columns include the sort keys.
    const columns = new Set(["number", ...keys.map((key) => key.replace(" COLLATE NOCASE", ""))]);
    const parts = indexes
      .filter((index) => !isListedIndex(index) || !view.status || view.status === "published")
      .map((index) => ({ index, ...conditionOf(view, isListedIndex(index)) }));
    const walk = parts.map(
      ({ index, sql }) => `SELECT ${[...columns]} FROM videos ${index} AND ${sql}`,
    );
    const order = keys.map((key) => `${key} ${direction}`);
    const rows = sqlite
      .prepare<unknown[], number>(
        `SELECT number FROM (${walk.join(" UNION ALL ")} ORDER BY ${order} LIMIT ? OFFSET ?)`,
      )
      .pluck()
      .all(...parts.flatMap(({ values }) => values), size, startOf(all));
    return { rows, total: all };
  };
}

/** Returns whether an index contains only listed rows. These indexes don't contain the status. */
const isListedIndex = (index: string) => index.endsWith("WHERE listed");

/** Returns at most `limit` ids that match a view, in no particular order. */
export function readManagedIds(sqlite: Database) {
  return ({ view, limit }: { view: View; limit: number }): string[] => {
    const { sql, values } = conditionOf(view);
    const query = `SELECT id FROM ${sourceOf(view)} WHERE ${sql} LIMIT ?`;
    return sqlite.prepare<unknown[], string>(query).pluck().all(values, limit);
  };
}

/** Returns whether a view's condition selects rows by their `number`. */
function selectsByNumber({ scheduled, similar, problems }: Filter): boolean {
  return Boolean(scheduled || similar || problems?.some((problem) => problem !== "no-thumbnail"));
}

const sourceOf = (view: Filter) => (selectsByNumber(view) ? "videos NOT INDEXED" : "videos");

/** Includes the jobs for replacement files, because each row in the list also shows those jobs. */
const HAS_FAILED_JOB = `number IN (SELECT failed.number FROM jobs
  LEFT JOIN video_files ON video_files.id = jobs.video_id
  JOIN videos AS failed ON failed.id = coalesce(video_files.video_id, jobs.video_id)
  WHERE jobs.state = 'failed')`;
const PROBLEM_CONDITIONS: Record<Problem, string> = {
  failed: HAS_FAILED_JOB,
  missing: "number IN (SELECT number FROM missing_files)",
  "no-thumbnail": "coalesce(thumbnail_url, '') = ''",
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

/**
 * Returns a view's filters and search text as an SQL condition.
 *
 * @param isListed whether only listed rows are searched. If so, no status condition is needed.
 */
function conditionOf(view: View, isListed = false): { sql: string; values: unknown[] } {
  const { categories, uploadedBy, from, to, knownTo = null } = view;
  const conditions = ["TRUE"];
  const values: unknown[] = [];
  const add = (condition: string, ...parameters: unknown[]) => {
    conditions.push(condition);
    values.push(...parameters);
  };
  const needle = searchNeedle(view.search);
  if (needle) {
    const index = indexOf(needle);
    add(`sort_key IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ?)`, phrase([needle]));
  }
  const isDraftFilter = view.status === "ready" || view.status === "unready";
  const status = isDraftFilter ? "review" : view.status;
  if (status && !isListed) {
    // Lets SQLite use the index on unlisted rows.
    add(status === "published" ? "status = ?" : "NOT listed AND status = ?", status);
  }
  if (isDraftFilter) add(`ready_at IS ${view.status === "ready" ? "NOT NULL" : "NULL"}`);
  if (categories) add(`category IN (${categories.map(() => "?")})`, ...categories);
  if (view.scheduled) add(IS_SCHEDULED);
  if (view.similar) add(IS_SIMILAR, knownTo, knownTo, knownTo, knownTo);
  if (uploadedBy !== undefined) add("uploaded_by = ?", uploadedBy);
  if (from) add("sort_key >= ?", sortKeyOf(Date.parse(from)));
  if (to) add("sort_key < ?", sortKeyOf(Date.parse(to) + (isDay(to) ? DAY_MS : 0)));
  for (const problem of view.problems ?? []) add(PROBLEM_CONDITIONS[problem]);
  return { sql: conditions.join(" AND "), values };
}

const isDay = (text: string) => text.length === "2030-01-31".length;
const DAY_MS = 24 * 3_600_000;
const FIRST_MS = Date.UTC(2000, 0, 1);
const LAST_TIME = 2n ** 41n - 1n;

/** Returns the lowest `sort_key` for a timestamp. The baseline schema describes that column. */
function sortKeyOf(ms: number): bigint {
  const time = BigInt(ms - FIRST_MS);
  return (time < 0n ? 0n : time > LAST_TIME ? LAST_TIME : time) * 2n ** 22n;
}
