import { useEffect, useRef, useState } from "react";
import { readStored, writeStored } from "~/features/visitor/browser-storage";
import {
  rememberFinished,
  watchHistory,
  writeWatchHistory,
} from "~/features/visitor/watch-history";
import type { Commands } from "./commands";
import { RESUME_MAX_VIDEOS, RESUME_MIN_S, RESUME_SAVE_EVERY_S, VOLUME_MAX } from "./constants";
import { parseStart } from "./media-time";

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

/** Seconds, or undefined when there is nothing worth going on from. */
export function resumePoint(id: string): number | undefined {
  return watchHistory().find(([stored]) => stored === id)?.[1];
}

/** Saves the position, or deletes it at the very beginning and near the end. */
export function saveResumePoint(id: string, seconds: number, duration: number): void {
  const others = watchHistory().filter(([stored]) => stored !== id);
  const left = duration - seconds;
  const worthIt = seconds >= RESUME_MIN_S && left >= Math.max(RESUME_MIN_S, duration * 0.05);
  if (worthIt) others.push([id, Math.floor(seconds)]);
  else if (seconds >= RESUME_MIN_S) rememberFinished(id);
  writeWatchHistory(others.slice(-RESUME_MAX_VIDEOS));
}

/** Saves the position of what plays, and says so each time. */
export function saveResumePoints(
  element: HTMLVideoElement,
  id: string,
  onSave: () => void,
): () => void {
  let savedAt = 0;
  const savePosition = () => {
    const { currentTime, duration } = element;
    if (currentTime < RESUME_MIN_S || !Number.isFinite(duration)) return;
    onSave();
    savedAt = currentTime;
    saveResumePoint(id, currentTime, duration);
  };
  const onTime = () => {
    if (Math.abs(element.currentTime - savedAt) >= RESUME_SAVE_EVERY_S) savePosition();
  };
  const stop = new AbortController();
  element.addEventListener("timeupdate", onTime, stop);
  element.addEventListener("pause", savePosition, stop);
  element.addEventListener("ended", savePosition, stop);
  window.addEventListener("pagehide", savePosition, stop);
  return () => stop.abort();
}

/**
 * The saved position of this video, which the visitor may resume from, and the saving of it. A link
 * that names a time (`?t=`, or `#t=`, which no server is told) starts there instead.
 */
export function useResume(element: HTMLVideoElement, commands: Commands, id: string) {
  const [position, setPosition] = useState<number>();

  useEffect(() => {
    const { search, hash } = window.location;
    const named = [search, hash.slice(1)].map((text) => new URLSearchParams(text).get("t"));
    const start = parseStart(named[0] ?? named[1] ?? null);
    const begun = !element.paused || element.currentTime > 0;
    if (start !== undefined && !begun) commands.seekTo(start);
    let shown = start === undefined && !begun ? resumePoint(id) : undefined;
    setPosition(shown);

    return saveResumePoints(element, id, () => {
      // Setting what is set already may render once all the same.
      if (shown !== undefined) setPosition(undefined);
      shown = undefined;
    });
  }, [element, commands, id]);

  return { position, dismiss: () => setPosition(undefined) };
}

/** The page whose video goes on playing. Outlives the player, which the next page may build anew. */
let autoplayPath: string | undefined;

/** The video behind this address is to play as soon as its page is there. */
export function autoplayNext(href: string): void {
  autoplayPath = new URL(href, window.location.href).pathname;
}

/** Plays by itself when the visitor came here from the end of another video. */
export function useAutoplayNext(commands: Commands, id: string): void {
  // Asked anew for each video.
  useEffect(() => {
    if (autoplayPath === undefined) return;
    const here = autoplayPath === window.location.pathname;
    autoplayPath = undefined;
    if (here) commands.play();
  }, [commands, id]);
}

/** One of the sounds of a video. */
export interface SoundTrack {
  /** Such as `English (Commentary)`. */
  label: string;
  /** BCP 47; empty where nobody knows. */
  language: string;
}

/** The sound as it was chosen last in this browser: the same, or another in that language; -1 for none. */
export function rememberedSound(tracks: readonly SoundTrack[]): number {
  return sameOrSimilar(tracks, readStored("audioTrack"));
}

/** The index of a track as it was stored: that of its name, else the first in its language; -1 for none. */
export function sameOrSimilar(tracks: readonly SoundTrack[], track: unknown): number {
  const stored = track as Partial<SoundTrack> | undefined;
  const same = tracks.findIndex(({ label }) => label === stored?.label);
  if (same >= 0 || !stored?.language) return same;
  return tracks.findIndex(({ language }) => language === stored.language);
}

/** Keeps the choice in this browser. */
export function rememberSound({ label, language }: SoundTrack): void {
  writeStored("audioTrack", { label, language });
}
