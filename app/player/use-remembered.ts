import { useEffect, useRef } from "react";
import { keep, readKept } from "./browser-storage";
import type { Commands } from "./commands";
import { VOLUME_MAX } from "./constants";

interface Sound {
  volume: number;
  muted: boolean;
}

function readSound(): Sound | undefined {
  const kept = readKept("sound") as Partial<Sound> | undefined;
  const volume = kept?.volume;
  if (typeof volume !== "number" || !(volume >= 0 && volume <= VOLUME_MAX)) return undefined;
  return { volume, muted: kept?.muted === true };
}

function readSpeed(): number {
  const kept = readKept("speed");
  return typeof kept === "number" && kept >= 0.25 && kept <= 4 ? kept : 1;
}

/**
 * Volume and speed as they were left, in this browser. A video that plays already, or whose sound
 * was set before the scripts came, is left as it is. Another video in the same page starts at normal
 * speed, and that is then what is remembered.
 */
export function useRemembered(element: HTMLVideoElement, commands: Commands, id: string): void {
  useEffect(() => {
    const untouched = element.paused && element.volume === VOLUME_MAX && !element.muted;
    const sound = readSound();
    if (untouched && sound) {
      element.volume = sound.volume;
      element.muted = sound.muted;
    }
    if (element.playbackRate === 1) commands.setSpeed(readSpeed());

    const keepSound = () => keep("sound", { volume: element.volume, muted: element.muted });
    const keepSpeed = () => keep("speed", element.playbackRate);
    element.addEventListener("volumechange", keepSound);
    element.addEventListener("ratechange", keepSpeed);
    return () => {
      element.removeEventListener("volumechange", keepSound);
      element.removeEventListener("ratechange", keepSpeed);
    };
  }, [element, commands]);

  const lastId = useRef(id);
  useEffect(() => {
    if (lastId.current !== id) commands.reset();
    lastId.current = id;
  }, [commands, id]);
}
