import { createContext, useContext } from "react";
import type { Captions } from "./captions";
import type { Commands } from "./commands";
import type { FeedbackBoard } from "./feedback";
import type { Fullscreen } from "./fullscreen";
import type { PlaybackState } from "./playback-state";
import type { Source } from "./source";
import type { PlayerVideo } from "./types";

/** The values shared by all controls. They change only with the element, the video and the fullscreen state. */
export interface PlayerParts {
  /** The container element that is shown in fullscreen. */
  root: HTMLElement;
  element: HTMLVideoElement;
  video: PlayerVideo;
  playback: PlaybackState;
  feedback: FeedbackBoard;
  commands: Commands;
  source: Source;
  captions: Captions;
  fullscreen: Fullscreen;
  theater: boolean;
  toggleTheater: () => void;
}

export const PlayerContext = createContext<PlayerParts | undefined>(undefined);

export function usePlayer(): PlayerParts {
  const parts = useContext(PlayerContext);
  if (!parts) throw new Error("usePlayer must be used within a VideoPlayer");
  return parts;
}
