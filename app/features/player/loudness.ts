import { useEffect } from "react";
import { storedValue } from "~/features/visitor/browser-storage";
import type { PlayerVideo } from "./types";

/** The duration of a gain change. An abrupt change would be audible as a click. */
const CHANGE_SECONDS = 0.05;

/** The target gain for each element. */
const targetGains = new WeakMap<HTMLMediaElement, number>();
/**
 * The gain node for each element. Routing an element through a node can't be undone, and the element is silent while
 * the audio context is suspended. The element is therefore connected only when the gain must change and the context is
 * running.
 */
const nodes = new WeakMap<HTMLMediaElement, GainNode>();
let context: AudioContext | undefined;

/** Returns whether the gain can be changed. A native HLS player, as on an iPhone, doesn't expose its audio. */
export function canChangeLoudness(): boolean {
  return "MediaSource" in window && "AudioContext" in window;
}

/** Normalizes the video's loudness if the setting is on and the browser supports it. */
export function useLoudnessNormalization(
  element: HTMLMediaElement,
  { loudness }: PlayerVideo,
): void {
  const isOn = stableVolume.use();
  const gain = isOn ? loudnessGain(loudness) : 1;
  useEffect(() => {
    targetGains.set(element, gain);
    const apply = () => void applyGain(element);
    apply();
    // Browsers allow audio only after a user gesture, such as pressing the play button.
    element.addEventListener("play", apply);
    return () => element.removeEventListener("play", apply);
  }, [element, gain]);
}

async function applyGain(element: HTMLMediaElement): Promise<void> {
  const isChanged = targetGains.get(element) !== 1 && !element.paused && canChangeLoudness();
  if (!nodes.has(element) && !isChanged) return;
  context ??= new AudioContext({ latencyHint: "playback" });
  // Waits until a user gesture allows audio, or until an interruption such as a phone call is over.
  await context.resume().catch(() => {});
  const gain = targetGains.get(element) ?? 1;
  const node = nodes.get(element);
  if (node) node.gain.setTargetAtTime(gain, context.currentTime, CHANGE_SECONDS);
  else if (context.state === "running") connectGain(element, context, gain);
}

function connectGain(element: HTMLMediaElement, context: AudioContext, gain: number): void {
  const node = new GainNode(context, { gain });
  nodes.set(element, node);
  context.createMediaElementSource(element).connect(node).connect(context.destination);
}

/** Whether loudness is normalized, as chosen in this browser. */
export const stableVolume = storedValue("evenLoudness", (stored) => stored !== false);

/** The target loudness, in LUFS. */
const TARGET_LUFS = -16;
/** The maximum true peak after amplification, in dBTP. Above it, the audio would clip. */
const MAX_PEAK_DBTP = -1;
/** The maximum amplification. Any more would make the noise in a nearly silent video too loud. */
const MAX_GAIN_DB = 12;
/** The minimum gain change; smaller changes are inaudible. */
const MIN_CHANGE_DB = 0.5;
/** The loudness below which a video counts as silent (the absolute gate of ITU-R BS.1770). */
const GATE_LUFS = -70;

/**
 * Returns the linear gain that brings a video to the target loudness; 1 if the loudness is unknown or already correct.
 * The peak limits how far a quiet video with a loud passage is amplified.
 *
 * @param loudness the integrated loudness of the whole video in LUFS, and its highest true peak in dBTP.
 */
export function loudnessGain(loudness: { lufs: number; truePeak: number } | undefined): number {
  if (!loudness || loudness.lufs <= GATE_LUFS) return 1;
  const wanted = TARGET_LUFS - loudness.lufs;
  const maxGain = Math.max(0, Math.min(MAX_GAIN_DB, MAX_PEAK_DBTP - loudness.truePeak));
  const decibels = Math.min(wanted, maxGain);
  return Math.abs(decibels) < MIN_CHANGE_DB ? 1 : 10 ** (decibels / 20);
}
