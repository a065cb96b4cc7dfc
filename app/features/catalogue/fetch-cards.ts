import { useCallback, useEffect, useRef, useState } from "react";
import type { VideoCardData } from "~/shared/video-card";
import { useListener } from "~/ui/use-listener";

/**
 * Requests the cards for up to 24 videos. The cards are returned in the same order; videos that aren't public are left
 * out.
 */
export async function fetchCards(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<VideoCardData[]> {
  const body = new URLSearchParams(ids.map((id) => ["id", id]));
  const response = await fetch("/saved/videos", { method: "POST", body, signal });
  if (!response.ok) throw new Error(`The server responded with ${response.status}`);
  const { videos } = (await response.json()) as { videos: VideoCardData[] };
  return videos;
}

/**
 * Requests the cards of `ids`, at most 24. Requests them again when `ids` or `version` changes, when `retry` is called,
 * and when the browser comes back online after a failure.
 */
export function useCards(
  ids: readonly string[],
  onAnswer: (cards: VideoCardData[], ids: readonly string[]) => void,
  version?: number,
): { failed: boolean; retry: () => void } {
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState(false);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  const latest = useRef(onAnswer);
  latest.current = onAnswer;
  const request = JSON.stringify(ids);

  useEffect(() => {
    const ids: string[] = JSON.parse(request);
    if (ids.length === 0) return;
    const stop = new AbortController();
    setFailed(false);
    fetchCards(ids, stop.signal).then(
      (cards) => latest.current(cards, ids),
      () => !stop.signal.aborted && setFailed(true),
    );
    return () => stop.abort();
  }, [request, version, attempt]);

  useListener("window", "online", () => failed && retry());

  return { failed, retry };
}
