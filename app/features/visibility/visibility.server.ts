import { prepared } from "~db/client.server";
import type { NewVideoRow, VideoRow, VideoStatus } from "~db/schema";

/**
 * Determines who may see a video. `status`, `publish_at` and `unpublish_at` store what users want; holds
 * (`holds.server.ts`) override them. From these columns and the holds, the database derives two columns, which every
 * query uses: `public` for pages and files, and `listed` for lists, search and feeds. Only the code in this folder
 * writes these columns.
 */

/** The visibility that users have set for a video. Holds can override it. */
export type Intention = Pick<VideoRow, "status" | "publish_at" | "unpublish_at">;

/** When a video is published and hidden automatically (ISO 8601, UTC). */
interface Times {
  publishAt: string | null;
  unpublishAt: string | null;
}

/** Returns whether visitors can open a video's page and files. */
export function isPublic(videoId: string): boolean {
  return prepared("SELECT 1 FROM videos WHERE id = ? AND public").get(videoId) !== undefined;
}

/** Returns a new video's visibility columns. */
export function newIntention(
  status: VideoStatus,
  { publishAt, unpublishAt }: Partial<Times> = {},
): Pick<NewVideoRow, "status" | "publish_at" | "unpublish_at"> {
  return { status, publish_at: publishAt, unpublish_at: unpublishAt };
}

/**
 * Returns the columns as they are after a user has published or hidden a video, or undefined if nothing changes. Hiding
 * cancels the schedule, so that nothing publishes the video later. Publishing replaces the scheduled publication, but
 * keeps the time at which the video will be hidden if that time is in the future.
 *
 * @param now milliseconds since 1970.
 */
export function intentionAfter(
  order: "publish" | "hide",
  row: Intention,
  now = Date.now(),
): Intention | undefined {
  const { unpublish_at } = row;
  const keepsEnd = order === "publish" && unpublish_at !== null && Date.parse(unpublish_at) > now;
  const after: Intention = {
    status: order === "publish" ? "published" : "hidden",
    publish_at: null,
    unpublish_at: keepsEnd ? unpublish_at : null,
  };
  const columns = Object.keys(after) as (keyof Intention)[];
  return columns.some((column) => row[column] !== after[column]) ? after : undefined;
}

/**
 * Publishes or hides a video for a user. Holds stay: the video only becomes public once all of them have been released.
 * Synchronous, because it is called in the caller's transaction.
 *
 * @returns whether anything changed.
 */
export function setVisibility(
  videoId: string,
  order: "publish" | "hide",
  now = Date.now(),
): boolean {
  const row = prepared<Intention>(
    "SELECT status, publish_at, unpublish_at FROM videos WHERE id = ?",
  ).get(videoId);
  const after = row && intentionAfter(order, row, now);
  if (!after) return false;
  writeIntentions([{ id: videoId, ...after }]);
  return true;
}

/**
 * Sets when a video is published and hidden automatically. Synchronous, because it is called in the caller's
 * transaction.
 */
export function setTimes(videoId: string, { publishAt, unpublishAt }: Times): void {
  prepared("UPDATE videos SET publish_at = ?, unpublish_at = ? WHERE id = ?").run(
    publishAt,
    unpublishAt,
    videoId,
  );
}

/** Writes many videos' scheduled columns. Synchronous, because it is called in the caller's transaction. */
export function writeIntentions(videos: readonly ({ id: string } & Intention)[]): void {
  prepared(
    `UPDATE videos SET status = given.value ->> 'status', publish_at = given.value ->> 'publish_at',
       unpublish_at = given.value ->> 'unpublish_at'
     FROM json_each(?) AS given WHERE videos.id = given.value ->> 'id'`,
  ).run(JSON.stringify(videos));
}

/** A video that was due, and the change to its status. */
export interface DueVideo {
  id: string;
  title: string;
  change: "published" | "hidden" | "none";
}

/**
 * Publishes and hides the videos that are due, and clears the time at which they were due. A published video is sorted
 * by its scheduled time. Synchronous, because it is called in the caller's transaction.
 *
 * @param time in ISO 8601 format (UTC).
 * @returns at most `limit` videos, or none once nothing is due.
 */
export function applyTimes(time: string, limit: number): DueVideo[] {
  const due = prepared<{ id: string; title: string } & Intention>(
    // With UNION, SQLite would read both halves in the order of their ids, which requires scanning the whole table.
    `SELECT id, title, status, publish_at, unpublish_at FROM videos WHERE number IN (
       SELECT number FROM videos WHERE publish_at <= @time
       UNION ALL SELECT number FROM videos WHERE unpublish_at <= @time LIMIT @limit)`,
  ).all({ time, limit });
  const write = prepared(
    `UPDATE videos SET status = @status, publish_at = @publish_at, unpublish_at = @unpublish_at,
       created_at = coalesce(@created_at, created_at) WHERE id = @id`,
  );
  return due.map(({ id, title, ...row }) => {
    const isDue = (at: string | null) => at !== null && at <= time;
    const ends = isDue(row.unpublish_at);
    const appears = isDue(row.publish_at) && !ends && row.status !== "published";
    const disappears = ends && row.status === "published";
    write.run({
      id,
      status: appears ? "published" : disappears ? "hidden" : row.status,
      publish_at: isDue(row.publish_at) ? null : row.publish_at,
      unpublish_at: ends ? null : row.unpublish_at,
      created_at: appears ? row.publish_at : null,
    });
    return { id, title, change: appears ? "published" : disappears ? "hidden" : "none" };
  });
}
