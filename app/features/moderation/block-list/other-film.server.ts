import { dismissLikenesses } from "~/features/processing/comparison/likeness.server";
import { releaseHold } from "~/features/visibility/holds.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { transaction } from "~db/client.server";

/**
 * Marks a video as different from the listed videos that it looks like, and releases its holds for that.
 *
 * @param films the entries that the page showed. Another may have been found since.
 * @returns false if it was already marked.
 */
export async function sayOtherFilm(
  video: { id: string; title: string },
  films: readonly string[],
  userId: string,
): Promise<boolean> {
  return transaction(() => {
    if (!dismissLikenesses(video.id, films)) return false;
    // A person has checked the video, so a comparison isn't needed.
    releaseHold({ videoId: video.id, reason: "comparing" });
    appendToLog({ action: "other-film", videoId: video.id, userId });
    const entry = { userId, subjectId: video.id, detail: video.title };
    recordActivity({ ...entry, action: "block-other" });
    return true;
  });
}
