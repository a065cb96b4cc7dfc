import { useLayoutEffect, useRef } from "react";
import type { Commands } from "../commands";
import { playbackPosition } from "../source/playback-position";
import type { PlayerVideo } from "../types";
import { continued, endContinued, miniPlayer } from "./continued";
import { MiniPlayer } from "./mini-player";

/**
 * Goes on where the mini player was, when it plays this video, and ends it. Hands a video that
 * plays over to it when the page is left for another one; a page that is shown instead of this one
 * at the same address (the video is gone, the next one takes long) ends it.
 */
export function useContinuation(
  element: HTMLVideoElement,
  commands: Commands,
  video: PlayerVideo,
): void {
  const latest = useRef(video);
  latest.current = video;

  // Before the effects that look at the element: those that offer to resume, and the one that
  // empties it.
  useLayoutEffect(() => {
    const position = endContinued(latest.current.id);
    if (position) commands.seekTo(position.seconds);
    if (position?.playing) commands.play();
    return () => {
      const video = latest.current;
      const { seconds, playing } = playbackPosition(element);
      const { href } = video;
      const isLeft = href && new URL(href, location.href).pathname !== location.pathname;
      if (!isLeft || !playing || element.ended || !miniPlayer.read()) return;
      const { defaultPlaybackRate: speed, volume, muted } = element;
      continued.set({ video, href, seconds, speed, volume, muted, Player: MiniPlayer });
    };
  }, [element, commands]);
}
