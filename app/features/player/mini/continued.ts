import type { ComponentType } from "react";
import { storedValue } from "~/features/visitor/browser-storage";
import type { PlaybackPosition } from "../source/playback-position";
import { savesData } from "../source/primed-start";
import { createStore } from "../store";
import type { PlayerVideo } from "../types";

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
