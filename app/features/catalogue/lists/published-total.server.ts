import { storedValues } from "~/shared/categories";
import { projected } from "~db/changes.server";
import { prepared } from "~db/client.server";

interface Total {
  videos: number;
  viewed: number;
}

/** How many videos are listed, of a category (its id, or any stored value) or of all, and how many of them have views. */
export async function publishedTotal(category?: string): Promise<Total> {
  await projected();
  const names = category ? JSON.stringify(storedValues(category)) : null;
  return prepared(`
    SELECT coalesce(sum(videos), 0) AS videos, coalesce(sum(viewed), 0) AS viewed FROM video_totals
    WHERE listed AND (@names IS NULL OR category IN (SELECT value FROM json_each(@names)))`).get({
    names,
  }) as Total;
}
