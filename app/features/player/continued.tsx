import { useLocation } from "@remix-run/react";
import { type ComponentType, useEffect, useState } from "react";
import { storedValue } from "~/features/visitor/browser-storage";
import { createStore, useStore } from "~/ui/store";
import type { PlaybackPosition } from "./playback-state";
import { savesData } from "./prefetch";
import type { PlayerVideo } from "./types";

/** A video that continues playing in the mini player after the visitor has left its page. */
export interface Continued {
  video: PlayerVideo;
  /** The URL of the video's page. */
  href: string;
  seconds: number;
  speed: number;
  volume: number;
  muted: boolean;
  /** Part of the video page's script, which has always been loaded by the time there is a video to continue. */
  Player: ComponentType<{ continued: Continued }>;
}

export const continued = createStore<Continued | undefined>(undefined);

/**
 * Whether videos continue in the mini player: the choice stored in this browser. By default, they do, unless the
 * browser is set to save data.
 */
export const miniPlayer = storedValue("miniPlayer", (stored) =>
  typeof stored === "boolean" ? stored : !savesData(),
);

let readPosition: (() => PlaybackPosition) | undefined;

/** Registers a function that reads the mini player's position. Returns a function that unregisters it. */
export function registerPosition(read: () => PlaybackPosition): () => void {
  readPosition = read;
  return () => {
    if (readPosition === read) readPosition = undefined;
  };
}

/** Closes the mini player and returns its position if it was playing this video. */
export function closeMiniPlayer(id: string): PlaybackPosition | undefined {
  const isThis = continued.get()?.video.id === id;
  const position = isThis ? readPosition?.() : undefined;
  continued.set(undefined);
  return position;
}

/**
 * Renders the mini player on any page once the visitor's age has been confirmed. Opening another video's page closes
 * it, even if that video has no file or doesn't exist.
 */
export function MiniPlayerHost({ allowed }: { allowed: boolean }) {
  const { pathname } = useLocation();
  const shown = useStore(continued);
  const isPlayable = allowed && !(shown && isOtherVideo(pathname, shown.href));
  useEffect(() => {
    if (!isPlayable) continued.set(undefined);
  }, [isPlayable]);
  return isPlayable && shown ? <shown.Player key={shown.video.id} continued={shown} /> : null;
}

/** Returns whether a path is the URL path of a video page other than the one at `href`. */
function isOtherVideo(pathname: string, href: string): boolean {
  return pathname.startsWith("/video/") && pathname !== new URL(href, location.href).pathname;
}

/** Returns whether this visit continues the video in the mini player and therefore isn't a new view. */
export function useContinuedVisit(id: string): boolean {
  const visit = `${useLocation().key} ${id}`;
  // Read on the first render, before the page's player takes over from the mini player.
  const [continuedVisit] = useState(() => continued.get()?.video.id === id && visit);
  return continuedVisit === visit;
}
