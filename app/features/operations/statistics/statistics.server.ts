import { totalsByCategory } from "~/features/library/list/managed-list.server";
import type { SourceCounts } from "~/features/processing/queue/outdated-streams.server";
import { readWatchedParts } from "~/features/watch/watched-parts.server";
import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { ladderSettings } from "~/media/encode/encoders.server";
import { diskUsage } from "~/media/media-files.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { settings } from "~/platform/settings.server";
import { csvTable } from "~/shared/markup/csv";
import type { PeriodDays } from "~/shared/statistics-address";
import { ensureProjected } from "~db/changes.server";
import { database, prepared } from "~db/client.server";
import type { VideoRow } from "~db/schema";
import { queryThread } from "~db/threads/query-thread.server";

const DAY_MS = 86_400_000;
const TOP_VIDEOS = 10;
/** Ten years. This limits the range if a day was recorded far in the past because the clock was wrong. */
const MAX_DAYS = 3_650;

/** Returns the views by day and by video for the days up to today (UTC), and the storage by category. */
export async function readStatistics(days: PeriodDays, now = Date.now()) {
  const period = periodOf(days, now);
  const from = period[0] ?? "";
  await ensureProjected();
  return {
    /** Every day of the period (YYYY-MM-DD, UTC), oldest first. */
    days: await viewsByDay(period, from),
    /** The period's most viewed videos, with their views in that period. */
    videos: await viewsByVideo(from),
    storage: await storageByCategory(),
  };
}

/** Returns the days up to and including today, as YYYY-MM-DD in UTC. */
export function periodOf(days: number, now: number): string[] {
  return Array.from({ length: days }, (_, index) =>
    new Date(now - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

async function viewsByDay(period: readonly string[], from: string, id?: string) {
  const rows = await database()
    .selectFrom("view_days")
    .select((e) => ["day", e.fn.sum<number>("views").as("views")])
    .where("day", ">=", from)
    .$if(id !== undefined, (query) => query.where("video_id", "=", id ?? ""))
    .groupBy("day")
    .execute();
  const views = new Map(rows.map((row) => [row.day, row.views]));
  return period.map((day) => ({ day, views: views.get(day) ?? 0 }));
}

/**
 * Returns a video's views by day, and how much of it was watched.
 *
 * @param days the number of days up to today (UTC); by default, all days since the first view.
 * @param uploadedBy if set, returns undefined for videos that another user has uploaded.
 */
export async function readVideoStatistics(
  id: string,
  { days, uploadedBy, now = Date.now() }: { days?: number; uploadedBy?: string; now?: number },
) {
  const video = prepared<Pick<VideoRow, "id" | "title" | "status" | "held" | "views">>(
    `SELECT id, title, status, held, views FROM videos
     WHERE id = @id AND (@uploadedBy IS NULL OR uploaded_by = @uploadedBy)`,
  ).get({ id, uploadedBy: uploadedBy ?? null });
  if (!video) return undefined;
  await ensureProjected();
  const period = periodOf(days ?? daysSinceFirstView(id, now), now);
  return {
    video,
    days: await viewsByDay(period, period[0] ?? "", id),
    watched: readWatchedParts(id),
  };
}

/** Returns the number of days since the first view, including today. */
function daysSinceFirstView(id: string, now: number): number {
  const first = prepared<string | null>("SELECT min(day) FROM view_days WHERE video_id = ?")
    .pluck()
    .get(id)!;
  const days = first ? Math.floor((now - Date.parse(first)) / DAY_MS) + 1 : 1;
  return Math.min(Math.max(1, days), MAX_DAYS);
}

/**
 * Sums up the views before the join, so that only the rows of the most viewed videos are read, rather than a hundred
 * thousand rows.
 */
function viewsByVideo(from: string) {
  return database()
    .selectFrom((e) =>
      e
        .selectFrom("view_days")
        .select((day) => ["video_id", day.fn.sum<number>("views").as("views")])
        .where("day", ">=", from)
        .groupBy("video_id")
        .as("sums"),
    )
    .innerJoin("videos", "videos.id", "sums.video_id")
    .select(["videos.id", "videos.title", "sums.views"])
    .orderBy("sums.views", "desc")
    .orderBy("videos.id")
    .limit(TOP_VIDEOS)
    .execute();
}

async function storageByCategory() {
  const totals = await totalsByCategory();
  return [...totals]
    .map(([category, { videos, bytes }]) => ({ category, videos, bytes }))
    .sort((a, b) => b.bytes - a.bytes || (a.category < b.category ? -1 : 1));
}

/** Returns the space that original files take up, and the number of outdated streams. */
export async function readSourceStatistics() {
  const { unrecorded, ...counts } = await queryThread<SourceCounts>(
    "studio",
    "source-counts",
    ladderSettings(),
  );
  const { sources, converted } = counts;
  for (const { url, isConverted } of unrecorded) {
    const name = parseMediaUrl(url);
    const bytes = await diskUsage((name && bucketFile(name.bucket, name.path)) ?? "");
    sources.bytes += bytes;
    if (isConverted) converted.bytes += bytes;
  }
  const outdated = ffmpegAvailable() ? counts.outdated : 0;
  const cut = prepared<{ videos: number; bytes: number }>(
    `SELECT count(*) AS videos, coalesce(sum(bytes), 0) AS bytes FROM video_files
     WHERE state = 'original'`,
  ).get()!;
  return { ...counts, outdated, cut, keep: settings().keepSources };
}

/** Returns a table as a CSV download that isn't cached. */
export function csvResponse(
  file: string,
  header: readonly string[],
  rows: (string | number)[][],
): Response {
  return new Response(csvTable(header, rows), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${file}"`,
      "Cache-Control": "no-store",
    },
  });
}
