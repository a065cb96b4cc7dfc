import { type CategoryId, storedValues } from "~/shared/categories";
import { projected } from "~db/changes.server";
import { prepared } from "~db/client.server";

/** How many videos are published, of a category or of all, and how many of them have views. */
export async function publishedTotal(
  category?: CategoryId,
): Promise<{ videos: number; viewed: number }> {
  await projected();
  const names = category ? JSON.stringify(storedValues(category)) : null;
  return prepared(`
    SELECT coalesce(sum(videos), 0) AS videos, coalesce(sum(viewed), 0) AS viewed FROM video_totals
    WHERE status = 'published'
      AND (@names IS NULL OR category IN (SELECT value FROM json_each(@names)))`).get({
    names,
  }) as { videos: number; viewed: number };
}
