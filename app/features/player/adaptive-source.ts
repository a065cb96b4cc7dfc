import type Hls from "hls.js";
import type { ErrorData, MediaPlaylist } from "hls.js";
import { startRendition } from "~/shared/streams/start-rendition";
import { BUFFER_BEFORE_PLAY_S, BUFFER_S } from "./constants";
import { importHls } from "./hls-module";
import { rememberedSound, type SoundTrack } from "./memory";
import { changeSource, playbackPosition } from "./playback-state";
import { primedLoader } from "./primed-loader";
import { nextTask, savesData } from "./primed-start";

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

interface AdaptiveEvents {
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

/**
 * Plays the playlist in the element: through hls.js, which is fetched only now, or by the device's
 * own player where scripts can't feed the element (iPhone). Throws when neither can.
 */
export async function openAdaptive(
  element: HTMLVideoElement,
  url: string,
  events: AdaptiveEvents,
): Promise<Adaptive> {
  if (!("MediaSource" in window)) return openNative(element, url, events);
  const { default: HlsPlayer } = await importHls();
  await nextTask();
  if (!HlsPlayer.isSupported()) return openNative(element, url, events);
  if (!events.mayAttach()) throw new Error("The file is playing already");
  return openWithHls(new HlsPlayer(configFor(HlsPlayer, element)), HlsPlayer, element, url, events);
}

function configFor(HlsPlayer: typeof Hls, element: HTMLVideoElement) {
  return {
    fLoader: primedLoader(HlsPlayer),
    autoStartLoad: !savesData() || !element.paused,
    capLevelToPlayerSize: true,
    startPosition: playbackPosition(element).seconds || -1,
    backBufferLength: BUFFER_S,
    maxBufferLength: element.paused ? BUFFER_BEFORE_PLAY_S : BUFFER_S,
    // By default 60 MB are loaded ahead, minutes of a small rendition, however few seconds are asked for.
    maxBufferSize: 0,
  };
}

function openWithHls(
  hls: Hls,
  { Events, ErrorTypes }: typeof Hls,
  element: HTMLVideoElement,
  url: string,
  events: AdaptiveEvents,
): Promise<Adaptive> {
  const bufferMore = () => {
    hls.config.maxBufferLength = BUFFER_S;
    if (!hls.config.autoStartLoad) hls.startLoad();
  };
  let position = playbackPosition(element);
  const remember = () => {
    position = playbackPosition(element);
  };
  const close = () => {
    element.removeEventListener("play", bufferMore);
    for (const event of POSITION_EVENTS) element.removeEventListener(event, remember);
    hls.destroy();
  };
  for (const event of POSITION_EVENTS) element.addEventListener(event, remember);
  // After an error hls.js attaches the element anew by itself, which pauses it at its beginning.
  hls.on(Events.MEDIA_ATTACHING, () => changeSource(element, position, () => {}));
  element.addEventListener("play", bufferMore, { once: true });

  return new Promise((resolve, reject) => {
    let ready = false;
    let mended = false;
    const fail = () => {
      // First told, then closed: closing resets the element's position and pauses it.
      events.onFailed();
      close();
      if (!ready) reject(new Error("The playlist can't be played"));
    };
    const onError = (_: string, error: ErrorData) => {
      if (!error.fatal) return;
      if (error.type === ErrorTypes.NETWORK_ERROR && ready && !answered(error)) {
        events.onLost();
      } else if (error.type === ErrorTypes.MEDIA_ERROR && ready && !mended) {
        mended = true;
        hls.recoverMediaError();
      } else fail();
    };
    hls.on(Events.ERROR, onError);
    hls.on(Events.LEVEL_SWITCHED, (_, { level }) => {
      const { height = 0, frameRate = 0 } = hls.levels[level] ?? {};
      events.onRendition(height, frameRate);
    });
    hls.once(Events.MANIFEST_PARSED, (_, { audioTracks }) => {
      ready = true;
      // A small one, whose first segment is shown. By default the first would be loaded to measure the
      // connection, thrown away, and another one loaded.
      hls.startLevel = hls.levels.indexOf(startRendition(hls.levels)!);
      const sounds = soundsOf(audioTracks);
      const prefer = (index: number) => hls.setAudioOption({ name: sounds[index]?.label });
      const remembered = rememberedSound(sounds);
      if (remembered >= 0) prefer(remembered);
      events.onSounds(sounds, Math.max(remembered, 0));
      const heights = [...new Set(hls.levels.map((level) => level.height))].filter(Boolean);
      resolve({
        heights: heights.sort((a, b) => b - a),
        choose(quality) {
          hls.nextLevel = hls.levels.findIndex((level) => level.height === quality);
        },
        chooseSound: prefer,
        resume: () => hls.startLoad(),
        close,
      });
    });
    hls.loadSource(url);
    hls.attachMedia(element);
  });
}

/** Each once, though every group of renditions has them in its own encoding; the default one first. */
function soundsOf(tracks: readonly MediaPlaylist[]): SoundTrack[] {
  const byDefault = [...tracks].sort((a, b) => Number(b.default) - Number(a.default));
  const byLabel = byDefault.map(({ name, lang }): [string, SoundTrack] => [
    name,
    { label: name, language: lang ?? "" },
  ]);
  return [...new Map(byLabel).values()];
}

const POSITION_EVENTS = ["play", "pause", "seeking", "timeupdate"] as const;

/** Whether the server answered, if only with an error status; a lost connection has no status. */
function answered(error: ErrorData): boolean {
  return (error.response?.code ?? 0) >= 400;
}

const HLS_MIME = "application/vnd.apple.mpegurl";

/** What Safari tells of a stream's sounds (HTML §4.8.11.10.1); other browsers have no such list. */
interface Sounds {
  audioTracks?: ArrayLike<{ label: string; language: string; enabled: boolean }>;
}

/** Plays the playlist by the device's own player. Throws when it has none. */
async function openNative(
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
