import { OWN_DELETED, type OwnVideos, ownDeletedValues } from "~/features/permissions/permissions";
import { prepared } from "~db/client.server";

/** How long the video list offers to undo a deletion. Videos stay in the trash for longer. */
export const RECENT_MS = 10 * 60 * 1000;
const MAX_DELETIONS_SHOWN = 10;
/** The number of titles listed for each deletion. */
const MAX_TITLES_SHOWN = 5;

/** Videos that were deleted together. */
export interface Deletion {
  /** The id of the deletion, which can be used to undo it. */
  batch: string;
  /** Some of the titles. */
  titles: string[];
  videos: number;
}

/**
 * Returns the deletions of the last few minutes, latest first. If `own` is given, only deletions of the user's own
 * videos are returned.
 */
export async function listDeletions(now = Date.now(), own?: OwnVideos): Promise<Deletion[]> {
  const values = {
    since: new Date(now - RECENT_MS).toISOString(),
    ...(own && ownDeletedValues(own)),
  };
  const batches = prepared<Omit<Deletion, "titles">>(
    `SELECT deleted_at AS batch, count(*) AS videos FROM deleted_videos
     WHERE deleted_at > @since AND ${own ? OWN_DELETED : "TRUE"}
     GROUP BY deleted_at ORDER BY deleted_at DESC LIMIT ${MAX_DELETIONS_SHOWN}`,
  ).all(values);
  const titles = prepared<string>(
    `SELECT title FROM deleted_videos
     WHERE deleted_at = @batch AND ${own ? OWN_DELETED : "TRUE"} LIMIT ${MAX_TITLES_SHOWN}`,
  ).pluck();
  return batches.map(({ batch, videos }) => ({
    batch,
    videos,
    titles: titles.all({ batch, ...(own && ownDeletedValues(own)) }),
  }));
}
