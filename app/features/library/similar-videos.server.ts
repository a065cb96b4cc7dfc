import { changeAndRecord } from "~/platform/activity/activity.server";
import { type Failure, failure, GONE } from "~/platform/failure";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared } from "~db/client.server";

/** A video that resembles another video. */
export interface SimilarVideo {
  id: string;
  title: string;
  isPublic: 0 | 1;
}

/**
 * Returns the videos that each of the videos in `ids` resembles, except for pairs that were marked as not being
 * duplicates.
 *
 * @param uploader the id of a user who can't see other users' unpublished videos.
 */
export function similarVideos(
  ids: readonly string[],
  uploader?: string,
): Record<string, SimilarVideo[]> {
  const rows = prepared<
    {
      own: string;
    } & SimilarVideo
  >(/* sql */ `
    WITH shown AS (SELECT value AS id FROM json_each(@ids)),
      pairs AS (
        SELECT shown.id AS own, second AS other FROM shown
        JOIN similar_videos ON first = shown.id WHERE dismissed_at IS NULL
        UNION ALL SELECT shown.id, first FROM shown
        JOIN similar_videos ON second = shown.id WHERE dismissed_at IS NULL)
    SELECT own, id, title, public AS isPublic FROM pairs JOIN videos ON id = other
    WHERE @uploader IS NULL OR public OR uploaded_by = @uploader
    ORDER BY sort_key`).all({ ids: JSON.stringify(ids), uploader: uploader ?? null });
  const byVideo: Record<string, SimilarVideo[]> = {};
  for (const { own, ...other } of rows) {
    byVideo[own] ??= [];
    byVideo[own].push(other);
  }
  return byVideo;
}

/** Marks two videos as not being duplicates. */
export async function dismissSimilar(
  id: string,
  other: string,
  userId: string,
  uploader?: string,
): Promise<Failure | ToastMessage> {
  const video = similarVideos([id], uploader)[id]?.find((each) => each.id === other);
  const title = prepared("SELECT title FROM videos WHERE id = ?").pluck().get(id);
  if (!video || title === undefined) {
    return failure(404, "Couldn’t mark the videos as different.", {
      detail:
        title === undefined ? GONE : "These videos are no longer marked as possible duplicates.",
    });
  }
  const detail = `“${title}” and “${video.title}”`;
  await changeAndRecord({ userId, action: "not-same", detail, subjectId: id }, () =>
    prepared(
      `UPDATE similar_videos SET dismissed_at = @now
       WHERE first = min(@id, @other) AND second = max(@id, @other)`,
    ).run({ now: new Date().toISOString(), id, other }),
  );
  const description = `Marked as not a duplicate of “${video.title}”.`;
  return success("Video Updated", description);
}
