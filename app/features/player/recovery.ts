import { useEffect, useState } from "react";
import { createStore } from "~/ui/store";
import { RECONNECT_WAITS_MS, RELOAD_APART_S, STALL_CHECK_MS } from "./constants";
import { type PlaybackState, playbackPosition } from "./playback-state";
import type { Source } from "./source";
import type { PlayerVideo } from "./types";

/** MediaError.code, HTML §4.8.11.1: the download broke off; what came can't be decoded. */
const NETWORK = 2;
const DECODE = 3;
const HAVE_CURRENT_DATA = 2;

/**
 * Watches one video for what keeps it from playing. A lost connection is tried again, at once when
 * the browser says that it is online and at growing intervals otherwise, and playback goes on where
 * it was; the last picture stays until then, because nothing is reloaded before the server answers.
 *
 * An address keeps its name when its file is replaced (RFC 9110 §8.8: another entity tag). The rest
 * of the old file can't be had then, which ends its download or garbles what comes. So a file that
 * fails after it has begun is reloaded once before anything is said about it.
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
  const byScript = () => source.state.get().playing === "adaptive";

  const undecodable = (): Problem => (streamIsComing ? "preparing" : "unsupported");

  /** Of a file whose picture it can't decode, a browser plays the sound without an error. */
  function pictureProblem(): Problem | undefined {
    const isDecoded = element.readyState >= HAVE_CURRENT_DATA;
    return isDecoded && element.videoWidth === 0 && !byScript() ? undecodable() : undefined;
  }

  function remember() {
    const now = playbackPosition(element);
    // A failure pauses the element by itself.
    const playing = element.error ? position.playing : now.playing;
    position = { seconds: now.seconds || position.seconds, playing };
  }

  function reload() {
    clearTimeout(wait);
    problem.set(undefined);
    source.reload(position);
  }

  /** False when this part of the video has been reloaded before: it would only fail again. */
  function reloadOnce(): boolean {
    if (reloadedAt !== undefined && Math.abs(position.seconds - reloadedAt) < RELOAD_APART_S)
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
    const last = RECONNECT_WAITS_MS.length - 1;
    wait = setTimeout(reconnect, RECONNECT_WAITS_MS[Math.min(attempts++, last)]);
  }

  async function reconnect() {
    clearTimeout(wait);
    const answer = await probe(url);
    if (isOver() || problem.get() !== "connection") return;
    if (answer === "found") reload();
    else if (answer === "missing") problem.set("missing");
    else reconnectLater();
  }

  async function onError() {
    const code = element.error?.code;
    if (code === undefined || byScript()) return;
    remember();
    const found = await diagnose(code, url);
    // Something newer plays by now, or another video.
    if (isOver() || element.error?.code !== code) return;
    if (found === "connection") return lose();
    // A stream without a file is still being made, and after a failure anew at another address.
    if (url === hlsUrl) return problem.set("preparing");
    if (found === "missing") return problem.set(found);
    const begun = position.seconds > 0 || position.playing;
    if ((code === NETWORK || code === DECODE) && begun && reloadOnce()) return;
    if (code === NETWORK) {
      // The server answers again already.
      problem.set("connection");
      reconnectLater();
    } else problem.set(found === "unsupported" ? undecodable() : found);
  }

  function watchStall() {
    clearTimeout(stall);
    if (problem.get() || !playback.get().buffering) return;
    stall = setTimeout(async () => {
      const answer = await probe(url);
      if (isOver() || problem.get() || !playback.get().buffering) return;
      if (answer === "unreachable") return lose();
      // The server is there, and yet nothing comes: the download died without an error.
      remember();
      if (!byScript() && element.networkState !== HTMLMediaElement.NETWORK_EMPTY) reload();
    }, STALL_CHECK_MS);
  }

  function onPlaying() {
    attempts = 0;
    problem.set(pictureProblem());
  }

  const { signal } = stop;
  element.addEventListener("error", () => void onError(), { signal });
  element.addEventListener("playing", onPlaying, { signal });
  element.addEventListener("loadeddata", () => problem.set(pictureProblem()), { signal });
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
  // It may have failed before the scripts came.
  void onError();
  if (!hlsUrl) problem.set(pictureProblem());

  return {
    problem,
    /** Asked by the visitor: from the same position, and playing. */
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

/** The watch over the video of this id; a new one when the id changes. */
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

/** Why the video doesn't play. Only `connection` and `preparing` mend themselves. */
export type Problem = "connection" | "missing" | "damaged" | "unsupported" | "preparing";

/** One sentence each: what happened, and what comes of it. */
export const PROBLEM_MESSAGES: Record<Problem, string> = {
  connection: "The connection was lost; the video goes on as soon as it is back.",
  missing: "The file of this video can't be found.",
  damaged: "This video is damaged here and can't be played further.",
  unsupported: "Your browser can't play this kind of video.",
  preparing:
    "This video is being prepared for this device; it can be played here when that is done.",
};

const PROBE_TIMEOUT_MS = 8_000;

/** What the element's error means, asking the server where the code alone doesn't say. */
async function diagnose(code: number, url: string): Promise<Problem> {
  const answer = await probe(url);
  if (answer !== "found") return answer === "missing" ? "missing" : "connection";
  return code === DECODE ? "damaged" : "unsupported";
}

/** Asks for the first byte of a file: is it there, is it gone, or can't the server be reached? */
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
