import { logUnexpected } from "~/platform/errors.server";
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
    return { list: videoPage([], 1, 0), error: fetchErrorMessage(error, request), status: 500 };
  }
}

/**
 * Reads what the page of one video shows.
 *
 * @throws what `load` throws as a Response; for any other failure a 500 Response with the message to show.
 */
export async function loadVideo<Data>(request: Request, load: () => Promise<Data>): Promise<Data> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof Response) throw error;
    throw new Response(fetchErrorMessage(error, request), {
      status: 500,
      statusText: "Internal Server Error",
    });
  }
}

/** Logs a failure. Returns the message for it (specification, section 8), with a reference to the log. */
function fetchErrorMessage(error: unknown, request: Request): string {
  const reference = logUnexpected(error, request);
  return reference ? `Failed to fetch videos. Reference ${reference}.` : "Failed to fetch videos.";
}
