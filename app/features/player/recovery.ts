import { useEffect, useState } from "react";
import { createStore } from "~/ui/store";
import { MIN_RELOAD_DISTANCE_S, RECONNECT_DELAYS_MS, STALL_CHECK_MS } from "./constants";
import { type PlaybackState, playbackPosition } from "./playback-state";
import type { Source } from "./source";
import type { PlayerVideo } from "./types";

/** The MediaError codes (HTML §4.8.11.1): the download was interrupted; the data can't be decoded. */
const NETWORK = 2;
const DECODE = 3;
const HAVE_CURRENT_DATA = 2;

/**
 * Watches one video for problems that keep it from playing. After a lost connection, it reconnects: immediately if the
 * browser reports that it is online, or otherwise at growing intervals. Playback then continues at the same position.
 * Until then, the last frame stays on screen, because nothing is reloaded before the server responds.
 *
 * When a file is replaced, its URL stays the same (only the entity tag changes, RFC 9110 §8.8). The rest of the old
 * file is then unavailable, which interrupts the download or corrupts the data. A file that fails after playback has
 * started is therefore reloaded once before an error is shown.
 */
export function watchForProblems(
  element: HTMLVideoElement,
  source: Source,
  playback: PlaybackState,
  video: Pick<PlayerVideo, "fileUrl" | "hlsUrl" | "streamIsComing">,
) {
  const { fileUrl: url, hlsUrl, streamIsComing } = video;
  const problem = createStore<Problem | undefined>(undefined);
  const stop = new AbortController();
  let position = playbackPosition(element);
  let attempts = 0;
  let reloadedAt: number | undefined;
  let wait: ReturnType<typeof setTimeout> | undefined;
  let stall: ReturnType<typeof setTimeout> | undefined;

  const isOver = () => stop.signal.aborted;
  const isAdaptive = () => source.state.get().playing === "adaptive";

  const undecodable = (): Problem => (streamIsComing ? "preparing" : "unsupported");

  /**
   * Detects a file whose video track can't be decoded. In that case, the browser plays the audio without reporting an
   * error.
   */
  function videoTrackProblem(): Problem | undefined {
    const isDecoded = element.readyState >= HAVE_CURRENT_DATA;
    return isDecoded && element.videoWidth === 0 && !isAdaptive() ? undecodable() : undefined;
  }

  function remember() {
    const now = playbackPosition(element);
    // After a failure, the element is paused.
    const playing = element.error ? position.playing : now.playing;
    position = { seconds: now.seconds || position.seconds, playing };
  }

  function reload() {
    clearTimeout(wait);
    problem.set(undefined);
    source.reload(position);
  }

  /**
   * Reloads the source, unless this part of the video was already reloaded and would fail again. Returns whether it was
   * reloaded.
   */
  function reloadOnce(): boolean {
    if (reloadedAt !== undefined && Math.abs(position.seconds - reloadedAt) < MIN_RELOAD_DISTANCE_S)
      return false;
    reloadedAt = position.seconds;
    reload();
    return true;
  }

  function lose() {
    remember();
    problem.set("connection");
    reconnectLater();
  }

  function reconnectLater() {
    clearTimeout(wait);
    const last = RECONNECT_DELAYS_MS.length - 1;
    wait = setTimeout(reconnect, RECONNECT_DELAYS_MS[Math.min(attempts++, last)]);
  }

  async function reconnect() {
    clearTimeout(wait);
    const result = await probe(url);
    if (isOver() || problem.get() !== "connection") return;
    if (result === "found") reload();
    else if (result === "missing") problem.set("missing");
    else reconnectLater();
  }

  async function onError() {
    const code = element.error?.code;
    if (code === undefined || isAdaptive()) return;
    remember();
    const found = await diagnose(code, url);
    // In the meantime, another attempt has started or another video is playing.
    if (isOver() || element.error?.code !== code) return;
    if (found === "connection") return lose();
    // A stream without a file is still being encoded. If the encoding fails, the stream is encoded again under another
    // URL.
    if (url === hlsUrl) return problem.set("preparing");
    if (found === "missing") return problem.set(found);
    const hasStarted = position.seconds > 0 || position.playing;
    if ((code === NETWORK || code === DECODE) && hasStarted && reloadOnce()) return;
    if (code === NETWORK) {
      // The server has become reachable again in the meantime.
      problem.set("connection");
      reconnectLater();
    } else problem.set(found === "unsupported" ? undecodable() : found);
  }

  function watchStall() {
    clearTimeout(stall);
    if (problem.get() || !playback.get().buffering) return;
    stall = setTimeout(async () => {
      const result = await probe(url);
      if (isOver() || problem.get() || !playback.get().buffering) return;
      if (result === "unreachable") return lose();
      // The server is reachable but no data arrives, so the download has stalled without an error.
      remember();
      if (!isAdaptive() && element.networkState !== HTMLMediaElement.NETWORK_EMPTY) reload();
    }, STALL_CHECK_MS);
  }

  function onPlaying() {
    attempts = 0;
    problem.set(videoTrackProblem());
  }

  const { signal } = stop;
  element.addEventListener("error", () => void onError(), { signal });
  element.addEventListener("playing", onPlaying, { signal });
  element.addEventListener("loadeddata", () => problem.set(videoTrackProblem()), { signal });
  element.addEventListener("progress", watchStall, { signal });
  for (const event of ["timeupdate", "play", "pause"]) {
    element.addEventListener(event, () => !problem.get() && remember(), { signal });
  }
  window.addEventListener(
    "online",
    () => {
      if (problem.get() === "connection") void reconnect();
    },
    { signal },
  );
  const unsubscribe = [
    playback.subscribe(watchStall),
    source.state.subscribe(() => {
      if (source.state.get().lost && problem.get() === undefined) lose();
    }),
  ];
  // The video may already have failed before the scripts had loaded.
  void onError();
  if (!hlsUrl) problem.set(videoTrackProblem());

  return {
    problem,
    /** Retries at the visitor's request: continues playing from the same position. */
    retry() {
      attempts = 0;
      position = { ...position, playing: true };
      reload();
    },
    close() {
      stop.abort();
      clearTimeout(wait);
      clearTimeout(stall);
      for (const end of unsubscribe) end();
    },
  };
}

export type Recovery = Pick<ReturnType<typeof watchForProblems>, "problem" | "retry">;

/** Watches the video, and restarts when its sources change. */
export function useRecovery(
  element: HTMLVideoElement,
  source: Source,
  playback: PlaybackState,
  { fileUrl, hlsUrl, streamIsComing }: PlayerVideo,
): Recovery | undefined {
  const [recovery, setRecovery] = useState<Recovery>();
  useEffect(() => {
    const video = { fileUrl, hlsUrl, streamIsComing };
    const watch = watchForProblems(element, source, playback, video);
    setRecovery(watch);
    return () => {
      watch.close();
      setRecovery(undefined);
    };
  }, [element, source, playback, fileUrl, hlsUrl, streamIsComing]);
  return recovery;
}

/**
 * The reason why the video doesn't play. Only `connection` and `preparing` can be resolved without any action by the
 * visitor.
 */
export type Problem = "connection" | "missing" | "damaged" | "unsupported" | "preparing";

/** A message that says what happened, and what happens next. */
export const PROBLEM_MESSAGES: Record<Problem, string> = {
  connection: "Connection lost. The video will continue when you’re back online.",
  missing: "This video’s file is missing.",
  damaged: "This video is damaged at this point and can’t continue.",
  unsupported: "Your browser can’t play this type of video.",
  preparing:
    "We’re still converting this video for your device. It will play here when that’s done.",
};

const PROBE_TIMEOUT_MS = 8_000;

/**
 * Returns the problem behind the element's error. Sends a request to the server if the error code alone isn't enough.
 */
async function diagnose(code: number, url: string): Promise<Problem> {
  const result = await probe(url);
  if (result !== "found") return result === "missing" ? "missing" : "connection";
  return code === DECODE ? "damaged" : "unsupported";
}

/** Requests the first byte of a file to find out whether the file exists and the server is reachable. */
async function probe(url: string): Promise<"found" | "missing" | "unreachable"> {
  try {
    const response = await fetch(url, {
      headers: { Range: "bytes=0-0" },
      cache: "no-store",
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return "found";
    return response.status < 500 && response.status !== 429 ? "missing" : "unreachable";
  } catch {
    return "unreachable";
  }
}
