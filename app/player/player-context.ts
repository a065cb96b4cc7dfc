import { createContext, useContext } from "react";
import type { Commands } from "./commands";
import type { FeedbackBoard } from "./feedback";
import type { PlaybackMirror } from "./playback";
import type { PlayerVideo } from "./types";
import type { Captions } from "./use-captions";
import type { Fullscreen } from "./use-fullscreen";
import type { Source } from "./use-source";

/** What every control may use. It changes with the element, the video and the fullscreen state only. */
export interface PlayerParts {
  /** The element that goes fullscreen and holds everything. */
  root: HTMLElement;
  element: HTMLVideoElement;
  video: PlayerVideo;
  playback: PlaybackMirror;
  feedback: FeedbackBoard;
  commands: Commands;
  source: Source;
  captions: Captions;
  fullscreen: Fullscreen;
  theatre: boolean;
  toggleTheatre: () => void;
}

export const PlayerContext = createContext<PlayerParts | undefined>(undefined);

export function usePlayer(): PlayerParts {
  const parts = useContext(PlayerContext);
  if (!parts) throw new Error("usePlayer must be used within a VideoPlayer");
  return parts;
}
