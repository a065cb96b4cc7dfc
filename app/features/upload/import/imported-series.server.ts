import { freeSlug, slugOf } from "~/shared/series/slug";
import { prepared } from "~db/client.server";

/**
 * Puts an imported video into series, which are made where they are missing, for the studio only. Within the
 * transaction that enters the video.
 *
 * @param series positions by title.
 */
export function putIntoSeries(videoId: string, series: Readonly<Record<string, number>>): void {
  for (const [title, position] of Object.entries(series)) {
    prepared(
      `INSERT INTO series_videos (series_id, video_id, position) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET position = excluded.position`,
    ).run(seriesOfTitle(title), videoId, position);
  }
}

function seriesOfTitle(title: string): number {
  const known = prepared(
    "SELECT id FROM series WHERE title = ? COLLATE NOCASE AND deleted_at IS NULL",
  )
    .pluck()
    .get(title) as number | undefined;
  if (known !== undefined) return known;
  const isTaken = prepared("SELECT 1 FROM series_slugs WHERE slug = ?");
  const slug = freeSlug(slugOf(title), (each) => isTaken.get(each) !== undefined);
  const { lastInsertRowid } = prepared("INSERT INTO series (title, slug) VALUES (?, ?)").run(
    title,
    slug,
  );
  prepared("INSERT INTO series_slugs (slug, series_id) VALUES (?, ?)").run(slug, lastInsertRowid);
  return Number(lastInsertRowid);
}
