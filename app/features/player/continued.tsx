import { useLocation } from "@remix-run/react";
import { type ComponentType, useEffect, useState } from "react";
import { storedValue } from "~/features/visitor/browser-storage";
import { createStore, useStore } from "~/ui/store";
import type { PlaybackPosition } from "./playback-state";
import { savesData } from "./primed-start";
import type { PlayerVideo } from "./types";

/** A video that goes on playing after its page was left. */
export interface Continued {
  video: PlayerVideo;
  /** Of the video's own page. */
  href: string;
  seconds: number;
  speed: number;
  volume: number;
  muted: boolean;
  /** Comes with the video page's script, which is there when there is anything to continue. */
  Player: ComponentType<{ continued: Continued }>;
}

export const continued = createStore<Continued | undefined>(undefined);

/** Whether videos go on in the mini player: as chosen in this browser, else unless it saves data. */
export const miniPlayer = storedValue("miniPlayer", (stored) =>
  typeof stored === "boolean" ? stored : !savesData(),
);

let readPosition: (() => PlaybackPosition) | undefined;

/** The mini player says where it is for as long as it is there. */
export function providePosition(read: () => PlaybackPosition): () => void {
  readPosition = read;
  return () => {
    if (readPosition === read) readPosition = undefined;
  };
}

/** Ends the mini player; where it was when its video is this one. */
export function endContinued(id: string): PlaybackPosition | undefined {
  const isThis = continued.get()?.video.id === id;
  const position = isThis ? readPosition?.() : undefined;
  continued.set(undefined);
  return position;
}

/**
 * Where the mini player is, on whatever page; not before the visitor's age is confirmed. The page of another
 * video ends it, also where that video has no file or doesn't exist.
 */
export function MiniHost({ allowed }: { allowed: boolean }) {
  const { pathname } = useLocation();
  const shown = useStore(continued);
  const isPlayable = allowed && !(shown && isOtherVideo(pathname, shown.href));
  useEffect(() => {
    if (!isPlayable) continued.set(undefined);
  }, [isPlayable]);
  return isPlayable && shown ? <shown.Player key={shown.video.id} continued={shown} /> : null;
}

/** Whether a page is that of a video, and not the one at `href`. */
function isOtherVideo(pathname: string, href: string): boolean {
  return pathname.startsWith("/video/") && pathname !== new URL(href, location.href).pathname;
}

/** Whether this visit of the page only goes on with what the mini player plays: it is no new view. */
export function useContinuedVisit(id: string): boolean {
  const visit = `${useLocation().key} ${id}`;
  // Asked at the first rendering, before the player takes over.
  const [continuedVisit] = useState(() => continued.get()?.video.id === id && visit);
  return continuedVisit === visit;
}
