import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { SiteProcess } from "../site-process";

/** The parts of a site that later versions must not change. */
export interface DescribedSite {
  videos: {
    id: string;
    title: string;
    description: string;
    category: string;
    tags: string;
    status: string;
    publish_at: string | null;
    /** The SHA-256 of each file, by URL. */
    files: Record<string, string>;
  }[];
  trash: { id: string; title: string }[];
  /** The IDs of each series' videos, by the title of the series. */
  series: Record<string, string[]>;
}

type Row = Record<string, string | null> & { id: string };

/** The columns of `videos` that contain the URL of a file. */
export const FILE_COLUMNS = [
  "video_url",
  "source_url",
  "thumbnail_url",
  "hls_url",
  "storyboard_url",
  "preview_url",
];

/** Reads the description from the site's database and folder. */
export function describeSite(site: SiteProcess): DescribedSite {
  const database = site.database();
  const rows = database.prepare("SELECT * FROM videos ORDER BY title").all() as Row[];
  const digest = (url: string) =>
    createHash("sha256")
      .update(fs.readFileSync(path.join(site.uploads, url.replace("/media/", ""))))
      .digest("hex");
  const series = database
    .prepare(
      `SELECT title, json_group_array(video_id ORDER BY position) AS ids
       FROM series JOIN series_videos ON series_id = series.id GROUP BY series.id`,
    )
    .all() as { title: string; ids: string }[];
  return {
    videos: rows.map((row) => ({
      ...{ id: row.id, title: row.title!, description: row.description!, category: row.category! },
      ...{ tags: row.tags!, status: row.status!, publish_at: row.publish_at! },
      files: Object.fromEntries(
        FILE_COLUMNS.flatMap((name) => (row[name] ? [[row[name], digest(row[name])]] : [])),
      ),
    })),
    trash: database.prepare("SELECT id, title FROM deleted_videos").all() as DescribedSite["trash"],
    series: Object.fromEntries(series.map(({ title, ids }) => [title, JSON.parse(ids)])),
  };
}
