import { createHash } from "node:crypto";
import { storedDuration } from "~/shared/format";
import { ownMediaPath } from "~/shared/media-path";
import { prepared } from "~db/client.server";
import type { SeriesVisibility } from "~db/schema/catalogue";
import { SERIES_RESTORABLE_DAYS, type SeriesView } from "./series-address";

const SERIES_PAGE_SIZE = 20;
const SERIES_VIDEOS_PAGE_SIZE = 50;
/** Names that a field for a series offers: those changed last. */
const OFFERED = 50;
const DELETED_SHOWN = 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A series as the studio's list shows it. */
export interface ListedSeries {
  id: number;
  title: string;
  slug: string;
  visibility: SeriesVisibility;
  isFeatured: boolean;
  videos: number;
  /** Of them those that are published. */
  published: number;
}

/** One page of the list, clamped to what exists. */
export interface SeriesList {
  series: ListedSeries[];
  page: number;
  pageCount: number;
  /** What the search finds, of all. */
  found: number;
  total: number;
  /** What can be restored, the latest deletion first. */
  deleted: { id: number; title: string; deletedAt: string }[];
}

/** A series as its page in the studio shows it. */
export interface EditedSeries {
  id: number;
  title: string;
  slug: string;
  description: string;
  visibility: SeriesVisibility;
  /** Of its order. */
  version: number;
  /** Of all else: a form that was made from another is refused. */
  textsVersion: string;
  isFeatured: boolean;
}

/** A video of a series: there, or in the trash. */
export interface SeriesVideo {
  id: string;
  title: string;
  status: "published" | "hidden" | "review" | "deleted";
  duration: string;
  thumbnailUrl: string | null;
}

export interface SeriesVideosPage {
  videos: SeriesVideo[];
  /** The number of the first of them, from 1. */
  firstNumber: number;
  page: number;
  pageCount: number;
  total: number;
}

/** The page of a view of all series, by title. */
export function listSeries({ search, page: asked }: SeriesView, now = Date.now()): SeriesList {
  const pattern = `%${search.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  const found = prepared<number>(
    "SELECT count(*) FROM series WHERE deleted_at IS NULL AND title LIKE ? ESCAPE '\\'",
  )
    .pluck()
    .get(pattern)!;
  const total = prepared<number>("SELECT count(*) FROM series WHERE deleted_at IS NULL")
    .pluck()
    .get()!;
  const pageCount = Math.max(1, Math.ceil(found / SERIES_PAGE_SIZE));
  const page = Math.min(asked, pageCount);
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
  ).all(restorableSince(now), DELETED_SHOWN);
  const series = rows.map((row) => ({ ...row, isFeatured: row.isFeatured === 1 }));
  return { series, page, pageCount, found, total, deleted };
}

/** What was deleted before can't be restored any more. ISO 8601 UTC. */
export function restorableSince(now: number): string {
  return new Date(now - SERIES_RESTORABLE_DAYS * DAY_MS).toISOString();
}

/** The series of an id; undefined for none, and for one in the trash. */
export function editedSeries(id: number): EditedSeries | undefined {
  const row = prepared<Omit<EditedSeries, "isFeatured" | "textsVersion"> & { isFeatured: 0 | 1 }>(`
    SELECT id, title, slug, description, visibility, version,
      EXISTS (SELECT 1 FROM featured_series WHERE series_id = series.id) AS isFeatured
    FROM series WHERE id = ? AND deleted_at IS NULL`).get(id);
  if (!row) return undefined;
  const { version: _, ...texts } = row;
  const textsVersion = createHash("sha256").update(JSON.stringify(texts)).digest("base64url");
  return { ...row, isFeatured: row.isFeatured === 1, textsVersion: textsVersion.slice(0, 16) };
}

/** One page of the videos of a series, those of the trash included: they come back to their position. */
export function listSeriesVideos(id: number, asked: number): SeriesVideosPage {
  const total = prepared<number>(`SELECT count(*) ${KNOWN}`).pluck().get({ id })!;
  const pageCount = Math.max(1, Math.ceil(total / SERIES_VIDEOS_PAGE_SIZE));
  const page = Math.min(asked, pageCount);
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

/** The ids of a series in their order, without those that are neither there nor in the trash. */
export function orderOf(id: number): string[] {
  return prepared<string>(`SELECT entry.video_id ${KNOWN} ORDER BY position, entry.video_id`)
    .pluck()
    .all({ id });
}

const KNOWN = `
  FROM series_videos AS entry LEFT JOIN videos ON videos.id = entry.video_id
    LEFT JOIN deleted_videos AS trash ON trash.id = entry.video_id
  WHERE series_id = @id AND (videos.id IS NOT NULL OR trash.id IS NOT NULL)`;

/** What the dialogs and forms of videos know of series. */
export interface SeriesChoice {
  /** The titles of those that were changed last. */
  offered: string[];
  /** Those that the video of the dialog is in, by title. */
  of: { id: number; title: string }[];
}

export function seriesChoice(videoId?: string): SeriesChoice {
  const offered = prepared<string>(
    "SELECT title FROM series WHERE deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT ?",
  )
    .pluck()
    .all(OFFERED);
  if (videoId === undefined) return { offered, of: [] };
  const of = prepared<SeriesChoice["of"][number]>(
    `SELECT series.id, title FROM series_videos JOIN series ON series.id = series_id
     WHERE video_id = ? AND deleted_at IS NULL ORDER BY title COLLATE NOCASE`,
  ).all(videoId);
  return { offered, of };
}

/** The series that somebody names by its title or slug. */
export function namedSeries(name: string): { id: number; title: string } | undefined {
  const find = (condition: string) =>
    prepared<{ id: number; title: string }>(
      `SELECT id, title FROM series WHERE deleted_at IS NULL AND ${condition}`,
    ).get(name.trim());
  return find("title = ? COLLATE NOCASE") ?? find("slug = ?");
}

/** What is said of a name that no series has. */
export function noSeries(name: string): string {
  return `There is no series “${name.trim()}”. Make it on the page of series first.`;
}
