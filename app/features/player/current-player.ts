import { useEffect } from "react";
import type { Commands } from "./commands";
import { playbackPosition } from "./playback-state";

/** The player of the page, for what stands beside it: a link to a moment, the share button. */
let current: { root: HTMLElement; element: HTMLVideoElement; commands: Commands } | undefined;

export function useCurrentPlayer(
  root: HTMLElement,
  element: HTMLVideoElement,
  commands: Commands,
): void {
  useEffect(() => {
    const own = { root, element, commands };
    current = own;
    return () => {
      if (current === own) current = undefined;
    };
  }, [root, element, commands]);
}

/** Plays from a moment on, in view. False when there is no player that could. */
export function playFrom(seconds: number): boolean {
  if (!current) return false;
  current.commands.seekTo(seconds);
  current.commands.play();
  current.root.scrollIntoView({ block: "nearest" });
  return true;
}

/** Whole seconds. */
export function currentMoment(): number {
  return current ? Math.floor(playbackPosition(current.element).seconds) : 0;
}
