import { OWN_DELETED, type OwnVideos, ownDeletedValues } from "~/features/permissions/permissions";
import { prepared } from "~db/client.server";

/** For so long the admin list offers to undo a deletion; the trash has it for longer. */
export const RECENT_MS = 10 * 60 * 1000;
/** Deletions that are offered for undoing, and the titles that are named of each. */
const DELETIONS_SHOWN = 10;
const TITLES_SHOWN = 5;

/** What was deleted at once, by one press of a button. */
export interface Deletion {
  /** Names the deletion in the form that undoes it. */
  batch: string;
  /** Some of the titles. */
  titles: string[];
  videos: number;
}

/** The deletions of the last minutes, the latest first, of one user's videos if they are given. */
export async function listDeletions(now = Date.now(), own?: OwnVideos): Promise<Deletion[]> {
  const values = {
    since: new Date(now - RECENT_MS).toISOString(),
    ...(own && ownDeletedValues(own)),
  };
  const batches = prepared<Omit<Deletion, "titles">>(
    `SELECT deleted_at AS batch, count(*) AS videos FROM deleted_videos
     WHERE deleted_at > @since AND ${own ? OWN_DELETED : "TRUE"}
     GROUP BY deleted_at ORDER BY deleted_at DESC LIMIT ${DELETIONS_SHOWN}`,
  ).all(values);
  const titles = prepared<string>(
    `SELECT title FROM deleted_videos
     WHERE deleted_at = @batch AND ${own ? OWN_DELETED : "TRUE"} LIMIT ${TITLES_SHOWN}`,
  ).pluck();
  return batches.map(({ batch, videos }) => ({
    batch,
    videos,
    titles: titles.all({ batch, ...(own && ownDeletedValues(own)) }),
  }));
}
