import { useEffect, useState } from "react";
import type { PlaybackMirror } from "./playback";
import { watchForProblems } from "./recovery";
import type { PlayerVideo } from "./types";
import type { Source } from "./use-source";

export type Recovery = Pick<ReturnType<typeof watchForProblems>, "problem" | "retry">;

/** The watch over the video of this id; a new one when the id changes. */
export function useRecovery(
  element: HTMLVideoElement,
  source: Source,
  playback: PlaybackMirror,
  { fileUrl }: PlayerVideo,
): Recovery | undefined {
  const [recovery, setRecovery] = useState<Recovery>();
  useEffect(() => {
    const watch = watchForProblems(element, source, playback, fileUrl);
    setRecovery(watch);
    return () => {
      watch.close();
      setRecovery(undefined);
    };
  }, [element, source, playback, fileUrl]);
  return recovery;
}
