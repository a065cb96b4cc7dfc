import { useEffect, useRef } from "react";
import { readStored, writeStored } from "~/features/visitor/browser-storage";
import type { Commands } from "../commands";
import { VOLUME_MAX } from "../constants";

interface Sound {
  volume: number;
  muted: boolean;
}

function readSound(): Sound | undefined {
  const stored = readStored("sound") as Partial<Sound> | undefined;
  const volume = stored?.volume;
  if (typeof volume !== "number" || !(volume >= 0 && volume <= VOLUME_MAX)) return undefined;
  return { volume, muted: stored?.muted === true };
}

function readSpeed(): number {
  const stored = readStored("speed");
  return typeof stored === "number" && stored >= 0.25 && stored <= 4 ? stored : 1;
}

/** Another video is on its way, whose page may come with a player of its own. */
export function forgetSpeed(): void {
  writeStored("speed", 1);
}

/**
 * Volume and speed as they were left, in this browser. A video that plays already, or whose sound
 * was set before the scripts came, is left as it is. Another video in the same page starts at normal
 * speed, and that is then what is remembered.
 */
export function useStoredSoundAndSpeed(
  element: HTMLVideoElement,
  commands: Commands,
  id: string,
): void {
  useEffect(() => {
    const untouched = element.paused && element.volume === VOLUME_MAX && !element.muted;
    const sound = readSound();
    if (untouched && sound) {
      element.volume = sound.volume;
      element.muted = sound.muted;
    }
    if (element.playbackRate === 1) commands.setSpeed(readSpeed());

    const saveSound = () => writeStored("sound", { volume: element.volume, muted: element.muted });
    // The default, which a speed that lasts as long as a press leaves alone.
    const saveSpeed = () => writeStored("speed", element.defaultPlaybackRate);
    const stop = new AbortController();
    element.addEventListener("volumechange", saveSound, stop);
    element.addEventListener("ratechange", saveSpeed, stop);
    return () => stop.abort();
  }, [element, commands]);

  const lastId = useRef(id);
  useEffect(() => {
    if (lastId.current !== id) commands.reset();
    lastId.current = id;
  }, [commands, id]);
}
