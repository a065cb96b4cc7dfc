import { useMemo } from "react";
import type { VideoCardData } from "~/shared/video-card";
import { watchedIds } from "./watch-history";
import { useHidesWatched } from "./watched-videos";

const NONE: ReadonlySet<string> = new Set();

/**
 * The videos of a page without those that this browser has watched, where the visitor wants that.
 *
 * @param isOffered whether the page offers that choice.
 */
export function useUnwatched(videos: VideoCardData[], isOffered: boolean) {
  const hides = useHidesWatched() && isOffered;
  // Of each page anew: the visitor may have watched one meanwhile.
  const watched = useMemo(
    () => (hides && videos.length > 0 ? watchedIds() : NONE),
    [hides, videos],
  );
  const unwatched = videos.filter(({ id }) => !watched.has(id));
  return { unwatched, hidden: videos.length - unwatched.length };
}
