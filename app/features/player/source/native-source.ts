import { rememberedSound } from "../memory/sound-track";
import type { Adaptive, AdaptiveEvents } from "./adaptive";

const HLS_MIME = "application/vnd.apple.mpegurl";

/** What Safari tells of a stream's sounds (HTML §4.8.11.10.1); other browsers have no such list. */
interface Sounds {
  audioTracks?: ArrayLike<{ label: string; language: string; enabled: boolean }>;
}

/** Plays the playlist by the device's own player. Throws when it has none. */
export async function openNative(
  element: HTMLVideoElement,
  url: string,
  events: AdaptiveEvents,
): Promise<Adaptive> {
  const plays = element.canPlayType(HLS_MIME) !== "";
  if (!plays || !events.mayAttach()) throw new Error("The file plays instead of the playlist");
  const stop = new AbortController();
  const { signal } = stop;
  const tracks = () => Array.from((element as Sounds).audioTracks ?? []);
  const chooseSound = (index: number) => {
    for (const [at, track] of tracks().entries()) track.enabled = at === index;
  };
  const tellSounds = () => {
    const sounds = tracks().map(({ label, language }) => ({ label, language }));
    const remembered = rememberedSound(sounds);
    if (remembered >= 0) chooseSound(remembered);
    const enabled = tracks().findIndex((track) => track.enabled);
    events.onSounds(sounds, Math.max(enabled, 0));
  };
  element.src = url;
  // Not before: the metadata of the file would be asked for.
  element.preload = "metadata";
  element.addEventListener("error", () => events.onFailed(), { signal });
  element.addEventListener("loadedmetadata", tellSounds, { signal });
  return {
    heights: [],
    choose() {},
    chooseSound,
    resume: () => element.load(),
    close: () => stop.abort(),
  };
}
