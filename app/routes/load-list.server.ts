import { videoPage } from "~/catalogue/pages";
import type { VideoPage } from "~/catalogue/video-card";
import { attempt } from "~/server/failure.server";

/**
 * A list for its page, or an empty one with the sentence to show in its place and the status to
 * answer with. A visitor is told a reference into the log, neither a path nor a statement.
 */
export async function loadList(load: () => Promise<VideoPage>) {
  const { value: list, reference } = await attempt(load, videoPage([], 1, 0));
  return {
    list,
    error: reference && `Failed to fetch videos. Reference ${reference}.`,
    status: reference ? 500 : 200,
  };
}
