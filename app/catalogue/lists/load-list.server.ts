import { logUnexpected } from "~/server/errors.server";
import { videoPage } from "~/shared/pages";
import type { VideoPage } from "~/shared/video-card";

/**
 * A list for its page, or an empty one with the sentence to show instead and the status to
 * answer with. A visitor is told a reference into the log, neither a path nor a statement.
 */
export async function loadList(
  request: Request,
  load: () => Promise<VideoPage>,
): Promise<{ list: VideoPage; error?: string; status: number }> {
  try {
    return { list: await load(), status: 200 };
  } catch (error) {
    const reference = logUnexpected(error, request);
    const sentence = reference
      ? `Failed to fetch videos. Reference ${reference}.`
      : "Failed to fetch videos.";
    return { list: videoPage([], 1, 0), error: sentence, status: 500 };
  }
}
