import type { VideoCardData } from "~/shared/video-card";

/** The cards of at most 24 videos, in their order; those that are not public are left out. */
export async function fetchCards(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<VideoCardData[]> {
  const body = new URLSearchParams(ids.map((id) => ["id", id]));
  const answer = await fetch("/saved/videos", { method: "POST", body, signal });
  if (!answer.ok) throw new Error(`Answered ${answer.status}`);
  const { videos } = (await answer.json()) as { videos: VideoCardData[] };
  return videos;
}
