import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useCaptions } from "./captions";
import { type Commands, createCommands } from "./commands";
import { Controls } from "./controls";
import { createFeedback } from "./feedback";
import { useFullscreen, useFullscreenOnRotation } from "./fullscreen";
import { useLoudnessNormalization } from "./loudness";
import { useMediaSession, useSinglePlayer } from "./media-session";
import { autoplayNext, useAutoplayNext, useStoredVolumeAndSpeed } from "./memory";
import { useContinuation } from "./mini-player";
import { observePlayback, playbackPosition } from "./playback-state";
import { PlayerContext, type PlayerParts } from "./player-context";
import { useRecovery } from "./recovery";
import { useSource } from "./source";
import type { NextVideo, PlayerVideo } from "./types";

/**
 * Adds our controls to the video element that the server rendered. The element keeps its state and continues playing,
 * because nothing is changed that would restart it.
 */
export function EnhancedPlayer({
  root,
  element,
  video,
  onNext,
  onPreparing,
}: {
  root: HTMLElement;
  element: HTMLVideoElement;
  video: PlayerVideo;
  onNext: (next: NextVideo) => void;
  onPreparing?: () => void;
}) {
  const playback = useMemo(() => observePlayback(element), [element]);
  const feedback = useMemo(createFeedback, []);
  const commands = useMemo(
    () => createCommands(element, playback, feedback),
    [element, playback, feedback],
  );
  const source = useSource(element, video);
  const captions = useCaptions(element, video.id, video.captions);
  const fullscreen = useFullscreen(root, element);
  useFullscreenOnRotation(fullscreen, playback);
  const [theater, setTheater] = useState(false);
  const toggleTheater = useCallback(() => setTheater((on) => !on), []);
  const recovery = useRecovery(element, source, playback, video);

  const latest = useRef({ next: video.next, onNext, onPreparing });
  latest.current = { next: video.next, onNext, onPreparing };
  const hasNext = video.next !== undefined;
  const openNext = useMemo(() => {
    if (!hasNext) return undefined;
    return () => {
      const { next, onNext } = latest.current;
      if (!next) return;
      autoplayNext(next.href);
      onNext(next);
    };
  }, [hasNext]);

  useStoredVolumeAndSpeed(element, commands, video.id);
  useLoudnessNormalization(element, video);
  useContinuation(element, commands, video);
  useEffect(() => {
    const own = { root, element, commands };
    current = own;
    return () => {
      if (current === own) current = undefined;
    };
  }, [root, element, commands]);
  useSinglePlayer(element);
  useMediaSession(element, commands, video, openNext);
  useAutoplayNext(commands, video.id);

  useEffect(() => {
    root.toggleAttribute("data-theater", theater);
    root.toggleAttribute("data-fullscreen", fullscreen.active);
  }, [root, theater, fullscreen.active]);
  useEffect(() => feedback.clear, [feedback]);
  useEffect(() => {
    if (!recovery) return;
    const report = () => {
      if (recovery.problem.get() === "preparing") latest.current.onPreparing?.();
    };
    report();
    return recovery.problem.subscribe(report);
  }, [recovery]);

  const parts: PlayerParts = {
    ...{ root, element, video, playback, feedback, commands, source, captions },
    ...{ fullscreen, theater, toggleTheater },
  };
  return (
    <PlayerContext.Provider value={useMemo(() => parts, Object.values(parts))}>
      <Controls recovery={recovery} openNext={openNext} />
    </PlayerContext.Provider>
  );
}

/** The page's player, for elements outside it: timestamp links and the share button. */
let current: { root: HTMLElement; element: HTMLVideoElement; commands: Commands } | undefined;

/** Plays from a position and scrolls the player into view. Returns false if the page has no player. */
export function playFrom(seconds: number): boolean {
  if (!current) return false;
  current.commands.seekTo(seconds);
  current.commands.play();
  current.root.scrollIntoView({ block: "nearest" });
  return true;
}

/** Returns the playback position in whole seconds. */
export function currentPosition(): number {
  return current ? Math.floor(playbackPosition(current.element).seconds) : 0;
}
