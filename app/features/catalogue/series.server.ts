import { redirect } from "@remix-run/node";
import { clampPage, PAGE_SIZE, videoPage } from "~/shared/pages";
import { seriesPath } from "~/shared/series/series-path";
import type { SeriesQueue } from "~/shared/series/series-queue";
import type { VideoCardData, VideoPage } from "~/shared/video-card";
import { prepared } from "~db/client.server";
import { CARD_COLUMNS, type CardRow, toCard } from "./published-list.server";

/**
 * Returns the series that a URL below /series refers to.
 *
 * @param maySee whether this visitor may see a series that isn't public.
 * @param pathAfter the part of the canonical URL after the slug.
 * @throws a 404 for a series that doesn't exist or that the visitor may not see, regardless of the spelling; a
 * permanent redirect for a different spelling; a temporary redirect for a former slug, which may become the current
 * slug again.
 */
export async function requestedSeries(
  request: Request,
  requested: string,
  maySee: () => Promise<boolean>,
  pathAfter = "",
): Promise<FoundSeries> {
  const slug = requested.toLowerCase().normalize("NFC");
  const series = findSeries(slug);
  if (!series || !(isShown(series) || (await maySee()))) throw seriesNotFound();
  const { pathname, search } = new URL(request.url);
  const canonical = seriesPath(series.slug) + pathAfter + search;
  if (slug !== series.slug) throw redirect(canonical, 302);
  if (requested !== slug || pathname.endsWith("/")) throw redirect(canonical, 301);
  return series;
}

export function seriesNotFound(): Response {
  return new Response(null, { status: 404, statusText: "Not Found" });
}

// Series as visitors see them: only the listed videos, in order.

/** The number of videos in the row on Home: as many as fit next to each other on the widest screen. */
const MAX_FEATURED = 4;
/** The number of entries in the list next to a video, and how many of them come before the video. */
const MAX_QUEUE = 20;
const QUEUE_BEFORE = 4;

/** A series as shown on its page. */
export interface SeriesDetail {
  slug: string;
  title: string;
  description: string;
  isPublic: boolean;
}

export interface FoundSeries extends SeriesDetail {
  id: number;
}

// CROSS JOIN forces the join order: first the positions, then each video's row.
const LISTED = `
  FROM series_videos CROSS JOIN videos ON videos.id = series_videos.video_id
  WHERE series_id = @id AND +listed`;
const CARDS = CARD_COLUMNS.map((column) => `videos.${column}`).join(", ");

/** Returns the series with a current or former slug; undefined if it doesn't exist or is in the trash. */
function findSeries(slug: string): FoundSeries | undefined {
  const row = prepared<Omit<FoundSeries, "isPublic"> & { isPublic: 0 | 1 }>(`
    SELECT id, series.slug, title, description, visibility = 'public' AS isPublic
    FROM series_slugs JOIN series ON series.id = series_id
    WHERE series_slugs.slug = ? AND deleted_at IS NULL`).get(slug);
  return row && { ...row, isPublic: row.isPublic === 1 };
}

/** Returns whether visitors can see a series: it is public and has a listed video. */
function isShown({ id, isPublic }: FoundSeries): boolean {
  return isPublic && prepared(`SELECT 1 ${LISTED} LIMIT 1`).get({ id }) !== undefined;
}

/** Returns one page of the videos in a series. */
export function seriesVideos(id: number, requested: number): VideoPage {
  const total = prepared<number>(`SELECT count(*) ${LISTED}`).pluck().get({ id })!;
  const page = clampPage(requested, total);
  return videoPage(cardsFrom(id, (page - 1) * PAGE_SIZE, PAGE_SIZE), page, total);
}

/** Returns the featured series with its encoded slug and its first videos; undefined if there is nothing to show. */
export function featuredSeries():
  | { slug: string; title: string; videos: VideoCardData[] }
  | undefined {
  const row = prepared<FoundSeries>(`
    SELECT series.id, slug, title FROM featured_series JOIN series ON series.id = series_id
    WHERE visibility = 'public' AND deleted_at IS NULL`).get();
  if (!row) return undefined;
  const { id, slug, title } = row;
  const videos = cardsFrom(id, 0, MAX_FEATURED);
  // Encoded here, so that Home doesn't need a script to build the URL.
  return videos.length > 0 ? { slug: encodeURIComponent(slug), title, videos } : undefined;
}

/**
 * Returns the videos before and after a video in a public series; undefined if the series doesn't contain the video.
 */
export function seriesQueue(slug: string, videoId: string): SeriesQueue | undefined {
  const series = findSeries(slug);
  if (!series?.isPublic) return undefined;
  const ids = prepared<string>(`SELECT videos.id ${LISTED} ORDER BY position, video_id`)
    .pluck()
    .all({ id: series.id });
  const at = ids.indexOf(videoId);
  if (at === -1) return undefined;
  const first = Math.max(0, Math.min(at - QUEUE_BEFORE, ids.length - MAX_QUEUE));
  const cards = cardsFrom(series.id, first, MAX_QUEUE);
  return {
    slug: series.slug,
    title: series.title,
    number: at + 1,
    total: ids.length,
    firstNumber: first + 1,
    videos: cards.map(({ id, title, duration }) => ({ id, title, duration })),
    next: cards[at - first + 1],
  };
}

/** Returns the ids of the last listed videos in a series, starting with the last one. */
export function lastOfSeries(id: number, limit: number): string[] {
  return prepared<string>(
    `SELECT videos.id ${LISTED} ORDER BY position DESC, video_id DESC LIMIT @limit`,
  )
    .pluck()
    .all({ id, limit });
}

/** Returns the slugs of the public series with listed videos, most recently changed first. */
export function publicSeries(limit: number): string[] {
  return prepared<string>(`
    SELECT slug FROM series WHERE visibility = 'public' AND deleted_at IS NULL
      AND EXISTS (SELECT 1 FROM series_videos CROSS JOIN videos ON videos.id = video_id
        WHERE series_id = series.id AND +listed)
    ORDER BY updated_at DESC, id DESC LIMIT ?`)
    .pluck()
    .all(limit);
}

function cardsFrom(id: number, offset: number, limit: number): VideoCardData[] {
  const rows = prepared<CardRow>(
    `SELECT ${CARDS} ${LISTED} ORDER BY position, video_id LIMIT @limit OFFSET @offset`,
  ).all({ id, offset, limit });
  return rows.map(toCard);
}
