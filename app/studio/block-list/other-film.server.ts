import { recordActivity } from "~/account/activity.server";
import { dismissLikenesses } from "~/media/block-list/likeness.server";
import { appendToLog } from "~/trust/moderation-log.server";
import { releaseHold } from "~/visibility/holds.server";
import { database } from "~db/client.server";

/**
 * Notes that a video is another film than those of the block list that it looks like, and releases what held
 * it for that.
 *
 * @param films those that the page has named: another may have been found since.
 * @returns false if somebody has said so before.
 */
export async function sayOtherFilm(
  video: { id: string; title: string },
  films: readonly string[],
  userId: string,
): Promise<boolean> {
  return database()
    .transaction()
    .execute(async (transaction) => {
      if (!dismissLikenesses(video.id, films)) return false;
      // Whoever has looked at it has seen what a comparison would have asked about.
      releaseHold({ videoId: video.id, reason: "comparing" });
      appendToLog({ action: "other-film", videoId: video.id, userId });
      const entry = { userId, subjectId: video.id, detail: video.title };
      await recordActivity({ ...entry, action: "block-other" }, transaction);
      return true;
    });
}
