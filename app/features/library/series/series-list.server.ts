import { createHash } from "node:crypto";
import { storedDuration } from "~/shared/format";
import { ownMediaPath } from "~/shared/media-path";
import { prepared } from "~db/client.server";
import type { SeriesVisibility } from "~db/schema/catalogue";
import { SERIES_RESTORABLE_DAYS, type SeriesView } from "./series-address";

const SERIES_PAGE_SIZE = 20;
const SERIES_VIDEOS_PAGE_SIZE = 50;
/** The number of series suggested in a field. */
const MAX_SUGGESTIONS = 50;
const MAX_DELETED_SHOWN = 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A series as shown in the studio's list. */
export interface ListedSeries {
  id: number;
  title: string;
  slug: string;
  visibility: SeriesVisibility;
  isFeatured: boolean;
  videos: number;
  /** The number of public videos. */
  published: number;
}

/** One page of the list. The page number is clamped to the last page. */
export interface SeriesList {
  series: ListedSeries[];
  page: number;
  pageCount: number;
  /** The number of series that match the search. */
  found: number;
  total: number;
  /** Series that can still be restored, most recently deleted first. */
  deleted: { id: number; title: string; deletedAt: string }[];
}

/** A series as shown on its page in the studio. */
export interface EditedSeries {
  id: number;
  title: string;
  slug: string;
  description: string;
  visibility: SeriesVisibility;
  /** The version of the series' order. */
  version: number;
  /** A hash of all other fields. A form that was opened with a different hash is rejected. */
  textsVersion: string;
  isFeatured: boolean;
}

/** A video in a series, which may be in the trash. */
export interface SeriesVideo {
  id: string;
  title: string;
  status: "published" | "hidden" | "review" | "deleted";
  duration: string;
  thumbnailUrl: string | null;
}

export interface SeriesVideosPage {
  videos: SeriesVideo[];
  /** The number of the first video on the page, counted from 1. */
  firstNumber: number;
  page: number;
  pageCount: number;
  total: number;
}

/** Returns a page of the list of series, sorted by title. */
export function listSeries({ search, page: requested }: SeriesView, now = Date.now()): SeriesList {
  const pattern = `%${search.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
  const found = prepared<number>(
    "SELECT count(*) FROM series WHERE deleted_at IS NULL AND title LIKE ? ESCAPE '\\'",
  )
    .pluck()
    .get(pattern)!;
  const total = prepared<number>("SELECT count(*) FROM series WHERE deleted_at IS NULL")
    .pluck()
    .get()!;
  const pageCount = Math.max(1, Math.ceil(found / SERIES_PAGE_SIZE));
  const page = Math.min(requested, pageCount);
  const rows = prepared<Omit<ListedSeries, "isFeatured"> & { isFeatured: 0 | 1 }>(`
    SELECT id, title, slug, visibility,
      EXISTS (SELECT 1 FROM featured_series WHERE series_id = series.id) AS isFeatured,
      (SELECT count(*) FROM series_videos WHERE series_id = series.id) AS videos,
      (SELECT count(*) FROM series_videos CROSS JOIN videos ON videos.id = video_id
        WHERE series_id = series.id AND +public) AS published
    FROM series WHERE deleted_at IS NULL AND title LIKE ? ESCAPE '\\'
    ORDER BY title COLLATE NOCASE LIMIT ? OFFSET ?`).all(
    pattern,
    SERIES_PAGE_SIZE,
    (page - 1) * SERIES_PAGE_SIZE,
  );
  const deleted = prepared<SeriesList["deleted"][number]>(
    `SELECT id, title, deleted_at AS deletedAt FROM series
     WHERE deleted_at > ? ORDER BY deleted_at DESC, id DESC LIMIT ?`,
  ).all(restorableSince(now), MAX_DELETED_SHOWN);
  const series = rows.map((row) => ({ ...row, isFeatured: row.isFeatured === 1 }));
  return { series, page, pageCount, found, total, deleted };
}

/** Returns the cutoff time (ISO 8601, UTC): earlier deletions can no longer be undone. */
export function restorableSince(now: number): string {
  return new Date(now - SERIES_RESTORABLE_DAYS * DAY_MS).toISOString();
}

/** Returns a series, or undefined if it doesn't exist or is in the trash. */
export function findSeries(id: number): EditedSeries | undefined {
  const row = prepared<Omit<EditedSeries, "isFeatured" | "textsVersion"> & { isFeatured: 0 | 1 }>(`
    SELECT id, title, slug, description, visibility, version,
      EXISTS (SELECT 1 FROM featured_series WHERE series_id = series.id) AS isFeatured
    FROM series WHERE id = ? AND deleted_at IS NULL`).get(id);
  if (!row) return undefined;
  const { version: _, ...texts } = row;
  const textsVersion = createHash("sha256").update(JSON.stringify(texts)).digest("base64url");
  return { ...row, isFeatured: row.isFeatured === 1, textsVersion: textsVersion.slice(0, 16) };
}

/** Returns one page of the videos in a series, including those in the trash, which keep their position. */
export function listSeriesVideos(id: number, requested: number): SeriesVideosPage {
  const total = prepared<number>(`SELECT count(*) ${KNOWN}`).pluck().get({ id })!;
  const pageCount = Math.max(1, Math.ceil(total / SERIES_VIDEOS_PAGE_SIZE));
  const page = Math.min(requested, pageCount);
  const offset = (page - 1) * SERIES_VIDEOS_PAGE_SIZE;
  const rows = prepared<SeriesVideo>(`
    SELECT entry.video_id AS id, coalesce(videos.title, trash.title) AS title,
      coalesce(status, 'deleted') AS status, coalesce(duration, '') AS duration,
      thumbnail_url AS thumbnailUrl
    ${KNOWN} ORDER BY position, entry.video_id LIMIT @limit OFFSET @offset`).all({
    id,
    offset,
    limit: SERIES_VIDEOS_PAGE_SIZE,
  });
  const videos = rows.map((row) => ({
    ...row,
    duration: row.duration && storedDuration(row.duration),
    thumbnailUrl: ownMediaPath(row.thumbnailUrl) ?? null,
  }));
  return { videos, firstNumber: offset + 1, page, pageCount, total };
}

/** Returns the ids of a series' videos in order, without videos that no longer exist. */
export function seriesOrder(id: number): string[] {
  return prepared<string>(`SELECT entry.video_id ${KNOWN} ORDER BY position, entry.video_id`)
    .pluck()
    .all({ id });
}

const KNOWN = `
  FROM series_videos AS entry LEFT JOIN videos ON videos.id = entry.video_id
    LEFT JOIN deleted_videos AS trash ON trash.id = entry.video_id
  WHERE series_id = @id AND (videos.id IS NOT NULL OR trash.id IS NOT NULL)`;

/** The data for the series fields in forms and dialogs about videos. */
export interface SeriesChoice {
  /** The titles of the most recently changed series. */
  suggested: string[];
  /** The series that the dialog's video is in, sorted by title. */
  current: { id: number; title: string }[];
}

export function seriesChoices(videoId?: string): SeriesChoice {
  const suggested = prepared<string>(
    "SELECT title FROM series WHERE deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT ?",
  )
    .pluck()
    .all(MAX_SUGGESTIONS);
  if (videoId === undefined) return { suggested, current: [] };
  const current = prepared<SeriesChoice["current"][number]>(
    `SELECT series.id, title FROM series_videos JOIN series ON series.id = series_id
     WHERE video_id = ? AND deleted_at IS NULL ORDER BY title COLLATE NOCASE`,
  ).all(videoId);
  return { suggested, current };
}

/** Returns the series with a given title or slug. */
export function findSeriesByName(name: string): { id: number; title: string } | undefined {
  const find = (condition: string) =>
    prepared<{ id: number; title: string }>(
      `SELECT id, title FROM series WHERE deleted_at IS NULL AND ${condition}`,
    ).get(name.trim());
  return find("title = ? COLLATE NOCASE") ?? find("slug = ?");
}

/** Returns the message for a name that doesn't belong to any series. */
export function unknownSeriesMessage(name: string): string {
  return `There is no series called “${name.trim()}”. Create it on the Series page first.`;
}
