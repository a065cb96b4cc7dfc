import { recordActivity } from "~/account/activity.server";
import { dismissLikeness } from "~/media/block-list/likeness.server";
import { appendToLog } from "~/trust/moderation-log.server";
import { releaseHold } from "~/trust/publication.server";
import { database } from "~db/client.server";

/**
 * Notes that a video is another film than those of the block list that it looks like, and lets it go: it is
 * published where it was to be, and nothing else holds it.
 *
 * @returns false when somebody has said so before.
 */
export async function sayOtherFilm(
  video: { id: string; title: string },
  userId: string,
): Promise<boolean> {
  return database()
    .transaction()
    .execute(async (transaction) => {
      const isDismissed = dismissLikeness(video.id);
      const isReleased = releaseHold({ videoId: video.id, reason: "block-list" });
      if (!isDismissed && !isReleased) return false;
      // Whoever has looked at it has seen what a comparison would have asked about.
      releaseHold({ videoId: video.id, reason: "comparing" });
      appendToLog({ action: "other-film", videoId: video.id, userId });
      const entry = { userId, subjectId: video.id, detail: video.title };
      await recordActivity({ ...entry, action: "block-other" }, transaction);
      return true;
    });
}
