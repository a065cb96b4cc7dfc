import type { SoundTrack } from "../memory/sound-track";

/** `auto` follows the connection; a number is a rendition's height in pixels. */
export type Quality = "auto" | number;

export interface Adaptive {
  /** Heights, highest first; empty when the device chooses by itself. */
  heights: number[];
  choose(quality: Quality): void;
  chooseSound(index: number): void;
  /** Goes on loading after the connection was lost. */
  resume(): void;
  close(): void;
}

export interface AdaptiveEvents {
  /** Asked when everything is ready, right before the element's source changes; false leaves it. */
  mayAttach(): boolean;
  /** The rendition now on screen; what the playlist doesn't say is 0. */
  onRendition(height: number, frameRate: number): void;
  /** What can be heard, such as languages, and the index of the one that is. */
  onSounds(sounds: SoundTrack[], heard: number): void;
  /** The playlist or its segments can't be had or played: the file must do. */
  onFailed(): void;
  /** The server can't be reached. */
  onLost(): void;
}
