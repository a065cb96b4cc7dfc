import { useEffect } from "react";
import { DISCREET_TITLE, discreetTitles } from "~/features/visitor/preferences";
import { useListener } from "~/ui/use-listener";
import type { Commands } from "./commands";
import { SEEK_STEP_S } from "./constants";
import type { PlayerVideo } from "./types";

/** Provides the title, poster and controls for the lock screen and for headphone buttons. */
export function useMediaSession(
  element: HTMLVideoElement,
  commands: Commands,
  { title, posterUrl }: PlayerVideo,
  openNext: (() => void) | undefined,
): void {
  // Discreet titles also apply to the lock screen, which anyone nearby can read.
  const isDiscreet = discreetTitles.use();
  useEffect(() => {
    if (!("mediaSession" in navigator)) return;
    const session = navigator.mediaSession;
    session.metadata = new MediaMetadata({
      title: isDiscreet ? DISCREET_TITLE : title,
      artwork: posterUrl && !isDiscreet ? [{ src: new URL(posterUrl, location.href).href }] : [],
    });
    const handlers: [MediaSessionAction, MediaSessionActionHandler | null][] = [
      ["play", commands.play],
      ["pause", () => element.pause()],
      ["stop", () => element.pause()],
      ["seekbackward", ({ seekOffset }) => commands.seekBy(-(seekOffset ?? SEEK_STEP_S))],
      ["seekforward", ({ seekOffset }) => commands.seekBy(seekOffset ?? SEEK_STEP_S)],
      ["seekto", ({ seekTime }) => seekTime != null && commands.seekTo(seekTime)],
      ["nexttrack", openNext ?? null],
    ];
    const set = (action: MediaSessionAction, handler: MediaSessionActionHandler | null) => {
      try {
        session.setActionHandler(action, handler);
      } catch {
        // Browsers that don't support an action throw an error.
      }
    };
    for (const [action, handler] of handlers) set(action, handler);
    return () => {
      session.metadata = null;
      for (const [action] of handlers) set(action, null);
    };
  }, [element, commands, title, posterUrl, openNext, isDiscreet]);

  useListener(element, "loadedmetadata durationchange seeked ratechange play", () => {
    const { duration, currentTime, playbackRate } = element;
    if (!(duration > 0 && Number.isFinite(duration)) || playbackRate === 0) return;
    const position = Math.min(currentTime, duration);
    navigator.mediaSession?.setPositionState?.({ duration, playbackRate, position });
  });
}

const CHANNEL = "player";

/** Pauses the videos in other tabs of this site when this video starts playing. */
export function useSinglePlayer(element: HTMLVideoElement): void {
  useEffect(() => {
    if (!("BroadcastChannel" in window)) return;
    const channel = new BroadcastChannel(CHANNEL);
    const announce = () => channel.postMessage("playing");
    channel.onmessage = () => element.pause();
    element.addEventListener("play", announce);
    return () => {
      element.removeEventListener("play", announce);
      channel.close();
    };
  }, [element]);
}
