import { sqliteHandle } from "~db/client.server";
import { mediaStem, parseMediaUrl } from "./bucket.server";

/**
 * Whether someone may have the file at an address: anyone may when a published video uses it, and
 * who is signed in may have all. Asked at every request, so hiding a video takes effect at once.
 *
 * @param url the path of the address, such as `/media/videos/u/1700000000000.mp4`.
 */
export function mayReach(url: string, signedIn: boolean): boolean {
  const name = parseMediaUrl(url);
  if (!name) return false;
  return signedIn || isNamed(url) || (name.path.split("/").length > 2 && isDerived(name.path));
}

function isNamed(url: string): boolean {
  return exists(
    `SELECT 1 FROM videos WHERE status = 'published' AND video_url = @url
     UNION ALL SELECT 1 FROM videos WHERE status = 'published' AND thumbnail_url = @url`,
    { url },
  );
}

/** Derived files stand in the folder of their video, and are as public as it is. */
function isDerived(path: string): boolean {
  // From "{stem}." to below "{stem}0": the video itself ("." ), or one in its folder ("/").
  const stem = `/media/videos/${mediaStem(path)}`;
  return exists(
    `SELECT 1 FROM videos WHERE status = 'published' AND video_url >= @from AND video_url < @to`,
    { from: `${stem}.`, to: `${stem}0` },
  );
}

function exists(sql: string, values: Record<string, string>): boolean {
  return sqliteHandle().prepare(`${sql} LIMIT 1`).get(values) !== undefined;
}
