import { useEffect, useRef, useState } from "react";
import { readStored, writeStored } from "~/features/visitor/browser-storage";
import { markAsFinished, watchHistory, writeWatchHistory } from "~/features/visitor/watch-history";
import type { Commands } from "./commands";
import { RESUME_MAX_VIDEOS, RESUME_MIN_S, RESUME_SAVE_INTERVAL_S, VOLUME_MAX } from "./constants";
import { parseStart } from "./media-time";

interface StoredVolume {
  volume: number;
  muted: boolean;
}

function readVolume(): StoredVolume | undefined {
  const stored = readStored("volume") as Partial<StoredVolume> | undefined;
  const volume = stored?.volume;
  if (typeof volume !== "number" || !(volume >= 0 && volume <= VOLUME_MAX)) return undefined;
  return { volume, muted: stored?.muted === true };
}

function readSpeed(): number {
  const stored = readStored("speed");
  return typeof stored === "number" && stored >= 0.25 && stored <= 4 ? stored : 1;
}

/** Resets the stored speed. Called when another video is opened, because its page may create a new player. */
export function resetSpeed(): void {
  writeStored("speed", 1);
}

/**
 * Restores the volume and speed from this browser's storage, unless the video is already playing or its volume was
 * changed before the scripts had loaded. If another video is opened on the same page, the video starts at normal speed,
 * which is then stored.
 */
export function useStoredVolumeAndSpeed(
  element: HTMLVideoElement,
  commands: Commands,
  id: string,
): void {
  useEffect(() => {
    const untouched = element.paused && element.volume === VOLUME_MAX && !element.muted;
    const stored = readVolume();
    if (untouched && stored) {
      element.volume = stored.volume;
      element.muted = stored.muted;
    }
    if (element.playbackRate === 1) commands.setSpeed(readSpeed());

    const saveVolume = () =>
      writeStored("volume", { volume: element.volume, muted: element.muted });
    // The default rate is stored, because the double speed during a press doesn't affect it.
    const saveSpeed = () => writeStored("speed", element.defaultPlaybackRate);
    const stop = new AbortController();
    element.addEventListener("volumechange", saveVolume, stop);
    element.addEventListener("ratechange", saveSpeed, stop);
    return () => stop.abort();
  }, [element, commands]);

  const lastId = useRef(id);
  useEffect(() => {
    if (lastId.current !== id) commands.reset();
    lastId.current = id;
  }, [commands, id]);
}

/** Returns the stored position in seconds, or undefined if there is none. */
export function resumePoint(id: string): number | undefined {
  return watchHistory().find(([stored]) => stored === id)?.[1];
}

/** Saves the position, or deletes it if it is near the beginning or the end. */
export function saveResumePoint(id: string, seconds: number, duration: number): void {
  const others = watchHistory().filter(([stored]) => stored !== id);
  const left = duration - seconds;
  const worthIt = seconds >= RESUME_MIN_S && left >= Math.max(RESUME_MIN_S, duration * 0.05);
  if (worthIt) others.push([id, Math.floor(seconds)]);
  else if (seconds >= RESUME_MIN_S) markAsFinished(id);
  writeWatchHistory(others.slice(-RESUME_MAX_VIDEOS));
}

/** Saves the position during playback and calls `onSave` each time. Returns a function that stops saving. */
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
    if (Math.abs(element.currentTime - savedAt) >= RESUME_SAVE_INTERVAL_S) savePosition();
  };
  const stop = new AbortController();
  element.addEventListener("timeupdate", onTime, stop);
  element.addEventListener("pause", savePosition, stop);
  element.addEventListener("ended", savePosition, stop);
  window.addEventListener("pagehide", savePosition, stop);
  return () => stop.abort();
}

/**
 * Returns the saved position of this video, so that the player can offer to resume, and keeps saving it. If the link
 * has a start time (`?t=`, or `#t=`, which isn't sent to the server), playback starts there instead.
 */
export function useResume(element: HTMLVideoElement, commands: Commands, id: string) {
  const [position, setPosition] = useState<number>();

  useEffect(() => {
    const { search, hash } = window.location;
    const named = [search, hash.slice(1)].map((text) => new URLSearchParams(text).get("t"));
    const start = parseStart(named[0] ?? named[1] ?? null);
    const hasStarted = !element.paused || element.currentTime > 0;
    if (start !== undefined && !hasStarted) commands.seekTo(start);
    let shown = start === undefined && !hasStarted ? resumePoint(id) : undefined;
    setPosition(shown);

    return saveResumePoints(element, id, () => {
      // Even setting the state to the same value may trigger another render.
      if (shown !== undefined) setPosition(undefined);
      shown = undefined;
    });
  }, [element, commands, id]);

  return { position, dismiss: () => setPosition(undefined) };
}

/**
 * The path of the page whose video should start playing when the page opens. The path isn't stored in the player,
 * because the next page may create a new one.
 */
let autoplayPath: string | undefined;

/** Makes the video start playing as soon as the page at this URL opens. */
export function autoplayNext(href: string): void {
  autoplayPath = new URL(href, window.location.href).pathname;
}

/** Starts playback if the visitor came to this page from the end of another video. */
export function useAutoplayNext(commands: Commands, id: string): void {
  // The path is checked again for each video.
  useEffect(() => {
    if (autoplayPath === undefined) return;
    const here = autoplayPath === window.location.pathname;
    autoplayPath = undefined;
    if (here) commands.play();
  }, [commands, id]);
}

/** An audio or caption track of a video. */
export interface MediaTrack {
  /** A name such as `English (Commentary)`. */
  label: string;
  /** A BCP 47 language tag; empty if unknown. */
  language: string;
}

/**
 * Returns the index of the audio track last chosen in this browser or, failing that, of a track in the same language.
 * Returns -1 if there is neither.
 */
export function rememberedAudioTrack(tracks: readonly MediaTrack[]): number {
  return findMatchingTrack(tracks, readStored("audioTrack"));
}

/**
 * Returns the index of the track with the stored name or, failing that, of the first track in its language. Returns -1
 * if there is neither.
 */
export function findMatchingTrack(tracks: readonly MediaTrack[], track: unknown): number {
  const stored = track as Partial<MediaTrack> | undefined;
  const same = tracks.findIndex(({ label }) => label === stored?.label);
  if (same >= 0 || !stored?.language) return same;
  return tracks.findIndex(({ language }) => language === stored.language);
}

/** Stores the chosen audio track in this browser. */
export function rememberAudioTrack({ label, language }: MediaTrack): void {
  writeStored("audioTrack", { label, language });
}
