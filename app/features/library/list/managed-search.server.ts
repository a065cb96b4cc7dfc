import type { Database } from "better-sqlite3";
import { fold } from "~/shared/fold";
import { searchText } from "~/shared/search-text";
import { DEFAULT_PAGE_SIZE, type ManageView, type Problem, type Sort } from "./manage-address";

/** Which videos are on the pages of the admin list. Runs on a thread. */

interface Order {
  /** What it sorts by, in SQL; of equals, the later entered or the newer goes with the larger. */
  keys: readonly string[];
  direction: "ASC" | "DESC";
  /** Indexes of this order, which together have every row, and also hold status and category. */
  indexes: readonly string[];
}

/** When the next thing of its schedule happens to a row; after every time for one without. */
const NEXT_TIME = `min(coalesce(CASE WHEN status <> 'published' THEN publish_at END, '9'),
  coalesce(unpublish_at, '9'))`;
/** The smallest id among those that a row looks like and its own. */
const FIRST_ALIKE = `min(id, coalesce((SELECT min(first) FROM similar_videos
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
  // Of the few that have a time, the next first.
  schedule: { keys: [NEXT_TIME, "number"], direction: "ASC", indexes: BY_AGE },
  // Those that look alike beside each other.
  alike: { keys: [FIRST_ALIKE, "number"], direction: "ASC", indexes: BY_AGE },
};

interface Filter {
  status?: ManageView["status"];
  /** Only rows with a time at which they are published or hidden. */
  scheduled?: boolean;
  /** Only rows that look like another, of those that a user may know of where one is given. */
  similar?: boolean;
  knownTo?: string;
  /** The names that rows of the category may have. */
  categories?: readonly string[];
  /** Only rows that this user has uploaded. */
  uploadedBy?: string;
  /** The first and the last day of UTC that rows were added on, or moments; see `ManageView`. */
  from?: string;
  to?: string;
  problems?: readonly Problem[];
}

/** What a view shows; the thread is told the names of its category. */
type View = Pick<ManageView, "search" | "sort" | "page" | "size"> & Filter;

export interface ManagedQuery {
  view: View;
  /** How many videos a view has that is filtered by status and category alone. */
  total: number | undefined;
}

export interface ManagedResult {
  /** The numbers of the rows on the page. */
  rows: number[];
  total: number;
}

/** So few videos are collected and sorted; more are found soon enough by walking an index of their order. */
const MAX_SORTED_VIDEOS = 4_000;

/** A page of a view, clamped to what exists. */
export function readManagedPage(sqlite: Database) {
  return ({ view, total }: ManagedQuery): ManagedResult => {
    const { keys, direction, indexes } = ORDERS[view.sort];
    const size = view.size ?? DEFAULT_PAGE_SIZE;
    const startOf = (all: number) =>
      (Math.min(view.page, Math.max(1, Math.ceil(all / size))) - 1) * size;
    const filter = filtered(view);
    const found = `FROM ${sourceOf(view)} WHERE ${filter.sql}`;
    const count = (limit: number) =>
      sqlite
        .prepare<unknown[], number>(`SELECT count(*) FROM (SELECT 1 ${found} LIMIT ?)`)
        .pluck()
        .get(...filter.values, limit)!;
    if (
      total === undefined &&
      (isOfSet(view) || count(MAX_SORTED_VIDEOS + 1) <= MAX_SORTED_VIDEOS)
    ) {
      // With a plus, no index of the order is used.
      const order = keys.map((key) => `+${key} ${direction}`);
      const sorted = sqlite
        .prepare<unknown[], number>(`SELECT number ${found} ORDER BY ${order}`)
        .pluck();
      const all = sorted.all(...filter.values);
      const start = startOf(all.length);
      return { rows: all.slice(start, start + size), total: all.length };
    }
    const all = total ?? count(-1);
    // Of several parts, which are merged as they come, the columns have to include the keys.
    const columns = new Set(["number", ...keys.map((key) => key.replace(" COLLATE NOCASE", ""))]);
    const parts = indexes
      .filter((index) => !isOfListed(index) || !view.status || view.status === "published")
      .map((index) => ({ index, ...filtered(view, isOfListed(index)) }));
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

/** Its rows are published, and it doesn't hold their status. */
const isOfListed = (index: string) => index.endsWith("WHERE listed");

/** The ids of a view, in no order, at most `most`. */
export function readManagedIds(sqlite: Database) {
  return ({ view, most }: { view: View; most: number }): string[] => {
    const { sql, values } = filtered(view);
    const query = `SELECT id FROM ${sourceOf(view)} WHERE ${sql} LIMIT ?`;
    return sqlite.prepare<unknown[], string>(query).pluck().all(values, most);
  };
}

/** Whether a view is found by the numbers of its rows, which its condition has. */
function isOfSet({ scheduled, similar, problems }: Filter): boolean {
  return Boolean(scheduled || similar || problems?.some((problem) => problem !== "no-thumbnail"));
}

const sourceOf = (view: Filter) => (isOfSet(view) ? "videos NOT INDEXED" : "videos");

/** As the rows of the list say it: also of a file that is to replace the video's. */
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
 * The filters of a view and its search text as a condition.
 *
 * @param isListed of rows that are listed, whose status needs no look.
 */
function filtered(view: View, isListed = false): { sql: string; values: unknown[] } {
  const { categories, uploadedBy, from, to, knownTo = null } = view;
  const conditions = ["TRUE"];
  const values: unknown[] = [];
  const add = (condition: string, ...parameters: unknown[]) => {
    conditions.push(condition);
    values.push(...parameters);
  };
  const needle = fold(searchText(view.search));
  if (needle) {
    // Two characters are a token of one index, three and more a phrase of trigrams of the other.
    const index = [...needle].length < 3 ? "video_search_short" : "video_search";
    const phrase = `"${needle.replaceAll('"', '""')}"`;
    add(`sort_key IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ?)`, phrase);
  }
  const isOfDrafts = view.status === "ready" || view.status === "unready";
  const status = isOfDrafts ? "review" : view.status;
  if (status && !isListed) {
    // So that the index of what isn't listed can be used.
    add(status === "published" ? "status = ?" : "NOT listed AND status = ?", status);
  }
  if (isOfDrafts) add(`ready_at IS ${view.status === "ready" ? "NOT NULL" : "NULL"}`);
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

/** The sort key of the first row of a moment, see the column `sort_key` in the baseline of the schema. */
function sortKeyOf(ms: number): bigint {
  const time = BigInt(ms - FIRST_MS);
  return (time < 0n ? 0n : time > LAST_TIME ? LAST_TIME : time) * 2n ** 22n;
}
