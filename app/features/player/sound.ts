import { useEffect } from "react";
import { storedValue } from "~/features/visitor/browser-storage";
import type { PlayerVideo } from "./types";

/** Seconds; a change at once would be heard as a click. */
const CHANGE_SECONDS = 0.05;

/** What each element's sound is to be multiplied with. */
const wanted = new WeakMap<HTMLMediaElement, number>();
/**
 * An element's sound goes through its node for good once it does, and stays silent where the context
 * does not run: so it is led there only when it has to be changed, and the context runs.
 */
const nodes = new WeakMap<HTMLMediaElement, GainNode>();
let context: AudioContext | undefined;

/** A device's own player of streams, as an iPhone's, gives its sound to nobody. */
export function canChangeLoudness(): boolean {
  return "MediaSource" in window && "AudioContext" in window;
}

/** Makes the video as loud as others, while that is switched on and the browser can. */
export function useEvenLoudness(element: HTMLMediaElement, { sound }: PlayerVideo): void {
  const isOn = evenLoudness.use();
  const gain = isOn ? loudnessGain(sound) : 1;
  useEffect(() => {
    wanted.set(element, gain);
    const apply = () => void applyGain(element);
    apply();
    // A browser lets sound through only after the visitor has pressed something: play, at the latest.
    element.addEventListener("play", apply);
    return () => element.removeEventListener("play", apply);
  }, [element, gain]);
}

async function applyGain(element: HTMLMediaElement): Promise<void> {
  const isChanged = wanted.get(element) !== 1 && !element.paused && canChangeLoudness();
  if (!nodes.has(element) && !isChanged) return;
  context ??= new AudioContext({ latencyHint: "playback" });
  // For as long as the browser wants something pressed first, or after a call, it waits here.
  await context.resume().catch(() => {});
  const gain = wanted.get(element) ?? 1;
  const node = nodes.get(element);
  if (node) node.gain.setTargetAtTime(gain, context.currentTime, CHANGE_SECONDS);
  else if (context.state === "running") lead(element, context, gain);
}

function lead(element: HTMLMediaElement, context: AudioContext, gain: number): void {
  const node = new GainNode(context, { gain });
  nodes.set(element, node);
  context.createMediaElementSource(element).connect(node).connect(context.destination);
}

/** Whether videos are made equally loud: as chosen in this browser. */
export const evenLoudness = storedValue("evenLoudness", (stored) => stored !== false);

/** How loud every video is made, in LUFS. */
const TARGET_LUFS = -16;
/** No peak is raised above this, in dBTP: it would be clipped. */
const MAX_PEAK = -1;
/** More would raise the noise of a video that is nearly silent. */
const MAX_RAISED_DB = 12;
/** Nobody hears less. */
const MIN_DB = 0.5;
/** Below it a video has no sound to speak of (the absolute gate of ITU-R BS.1770). */
const GATE_LUFS = -70;

/**
 * What the sound of a video is multiplied with to be as loud as all others; 1 where it is already, and
 * where how loud it is was not measured. A quiet video with one loud moment is raised only as far as
 * that allows.
 *
 * @param sound LUFS of the whole video, and its highest peak in dBTP.
 */
export function loudnessGain(sound: { lufs: number; truePeak: number } | undefined): number {
  if (!sound || sound.lufs <= GATE_LUFS) return 1;
  const wanted = TARGET_LUFS - sound.lufs;
  const raisable = Math.max(0, Math.min(MAX_RAISED_DB, MAX_PEAK - sound.truePeak));
  const decibels = Math.min(wanted, raisable);
  return Math.abs(decibels) < MIN_DB ? 1 : 10 ** (decibels / 20);
}
