import type { Database } from "better-sqlite3";
import { PAGE_SIZE } from "~/shared/pages";
import * as reference from "../../catalogue-reference";

/** The simplest implementation of the catalogue, with LIKE, count(*), OFFSET, and scoring in JavaScript. */

export interface PlainQuery {
  where?: string;
  order?: string;
  values?: unknown[];
  page: number;
}

const NEWEST = "created_at DESC, number DESC";

export function plainCatalogue(sqlite: Database) {
  return {
    page({ where = "1", order = NEWEST, values = [], page }: PlainQuery) {
      const from = `FROM videos WHERE status = 'published' AND ${where}`;
      const total = sqlite
        .prepare(`SELECT count(*) ${from}`)
        .pluck()
        .get(...values) as number;
      const rows = sqlite
        .prepare(`SELECT * ${from} ORDER BY ${order} LIMIT ? OFFSET ?`)
        .all(...values, PAGE_SIZE, (page - 1) * PAGE_SIZE) as { id: string }[];
      return { total, ids: rows.map(({ id }) => id) };
    },

    /** Scores every published video. */
    related(id: string, now: number): string[] {
      const rows = sqlite
        .prepare(
          `SELECT id, title, category, tags, status, views, created_at FROM videos
           WHERE status = 'published' ORDER BY ${NEWEST}`,
        )
        .all() as (Omit<reference.ReferenceVideo, "tags"> & { tags: string | null })[];
      const videos = rows.map((row, i) => ({
        ...row,
        tags: row.tags && JSON.parse(row.tags),
        entered: -i,
      }));
      const current = videos.find((video) => video.id === id);
      return current ? reference.related(videos, current, now).map((video) => video.id) : [];
    },
  };
}
