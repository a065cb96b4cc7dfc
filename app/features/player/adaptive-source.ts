import type Hls from "hls.js";
import type { ErrorData, MediaPlaylist } from "hls.js";
import { startRendition } from "~/shared/streams/start-rendition";
import { BUFFER_BEFORE_PLAY_S, BUFFER_S } from "./constants";
import { importHls } from "./hls-module";
import { type MediaTrack, rememberedAudioTrack } from "./memory";
import { changeSource, playbackPosition } from "./playback-state";
import { nextTask, savesData } from "./prefetch";
import { prefetchLoader } from "./prefetch-loader";

/** `auto` adapts to the connection speed; a number is a rendition's height in pixels. */
export type Quality = "auto" | number;

export interface Adaptive {
  /** The heights of the renditions, highest first; empty if the device picks the rendition itself. */
  heights: number[];
  choose(quality: Quality): void;
  chooseAudioTrack(index: number): void;
  /** Resumes loading after a lost connection. */
  resume(): void;
  close(): void;
}

interface AdaptiveEvents {
  /** Called once everything is ready, right before the element's source changes. Returning false cancels the change. */
  mayAttach(): boolean;
  /** Called with the rendition that is now on screen. Values that the playlist doesn't specify are 0. */
  onRendition(height: number, frameRate: number): void;
  /** Called with the available audio tracks, for example one for each language, and the index of the active track. */
  onAudioTracks(tracks: MediaTrack[], active: number): void;
  /** Called if the playlist or its segments can't be loaded or played, so that the player falls back to the file. */
  onFailed(): void;
  /** Called when the server is unreachable. */
  onLost(): void;
}

/**
 * Plays the playlist in the element, either with hls.js, which is loaded on demand, or with the device's native HLS
 * player if Media Source Extensions aren't supported (iPhone). Throws if neither works.
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
  if (!events.mayAttach()) throw new Error("The file is already playing");
  return openWithHls(new HlsPlayer(configFor(HlsPlayer, element)), HlsPlayer, element, url, events);
}

function configFor(HlsPlayer: typeof Hls, element: HTMLVideoElement) {
  return {
    fLoader: prefetchLoader(HlsPlayer),
    autoStartLoad: !savesData() || !element.paused,
    capLevelToPlayerSize: true,
    startPosition: playbackPosition(element).seconds || -1,
    backBufferLength: BUFFER_S,
    maxBufferLength: element.paused ? BUFFER_BEFORE_PLAY_S : BUFFER_S,
    // The default is 60 MB, which is enough to buffer minutes of a small rendition, regardless of maxBufferLength.
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
  const rememberPosition = () => {
    position = playbackPosition(element);
  };
  const close = () => {
    element.removeEventListener("play", bufferMore);
    for (const event of POSITION_EVENTS) element.removeEventListener(event, rememberPosition);
    hls.destroy();
  };
  for (const event of POSITION_EVENTS) element.addEventListener(event, rememberPosition);
  // After an error, hls.js reattaches the element, which resets it to the beginning and pauses it.
  hls.on(Events.MEDIA_ATTACHING, () => changeSource(element, position, () => {}));
  element.addEventListener("play", bufferMore, { once: true });

  return new Promise((resolve, reject) => {
    let ready = false;
    let triedToRecover = false;
    const fail = () => {
      // Reports the failure before closing, because closing resets the element's position and pauses it.
      events.onFailed();
      close();
      if (!ready) reject(new Error("The playlist can't be played"));
    };
    const onError = (_: string, error: ErrorData) => {
      if (!error.fatal) return;
      if (error.type === ErrorTypes.NETWORK_ERROR && ready && !hasResponse(error)) {
        events.onLost();
      } else if (error.type === ErrorTypes.MEDIA_ERROR && ready && !triedToRecover) {
        triedToRecover = true;
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
      // Starts with a small rendition whose first segment is actually shown. By default, hls.js loads a segment of the
      // first rendition only to measure the connection speed, discards it, and loads another one.
      hls.startLevel = hls.levels.indexOf(startRendition(hls.levels)!);
      const tracks = audioTracksOf(audioTracks);
      const prefer = (index: number) => hls.setAudioOption({ name: tracks[index]?.label });
      const remembered = rememberedAudioTrack(tracks);
      if (remembered >= 0) prefer(remembered);
      events.onAudioTracks(tracks, Math.max(remembered, 0));
      const heights = [...new Set(hls.levels.map((level) => level.height))].filter(Boolean);
      resolve({
        heights: heights.sort((a, b) => b - a),
        choose(quality) {
          hls.nextLevel = hls.levels.findIndex((level) => level.height === quality);
        },
        chooseAudioTrack: prefer,
        resume: () => hls.startLoad(),
        close,
      });
    });
    hls.loadSource(url);
    hls.attachMedia(element);
  });
}

/**
 * Returns each audio track once, with the default track first. Every audio group contains all tracks again, in a
 * different encoding.
 */
function audioTracksOf(tracks: readonly MediaPlaylist[]): MediaTrack[] {
  const byDefault = [...tracks].sort((a, b) => Number(b.default) - Number(a.default));
  const byLabel = byDefault.map(({ name, lang }): [string, MediaTrack] => [
    name,
    { label: name, language: lang ?? "" },
  ]);
  return [...new Map(byLabel).values()];
}

const POSITION_EVENTS = ["play", "pause", "seeking", "timeupdate"] as const;

/**
 * Returns whether the server responded, even if only with an error. If the connection was lost, the error has no
 * status.
 */
function hasResponse(error: ErrorData): boolean {
  return (error.response?.code ?? 0) >= 400;
}

const HLS_MIME = "application/vnd.apple.mpegurl";

/** Safari's list of audio tracks (HTML §4.8.11.10.1), which other browsers don't implement. */
interface HasAudioTracks {
  audioTracks?: ArrayLike<{ label: string; language: string; enabled: boolean }>;
}

/** Plays the playlist with the device's native HLS player. Throws if the device has none. */
async function openNative(
  element: HTMLVideoElement,
  url: string,
  events: AdaptiveEvents,
): Promise<Adaptive> {
  const plays = element.canPlayType(HLS_MIME) !== "";
  if (!plays || !events.mayAttach()) throw new Error("The file plays instead of the playlist");
  const stop = new AbortController();
  const { signal } = stop;
  const nativeTracks = () => Array.from((element as HasAudioTracks).audioTracks ?? []);
  const chooseAudioTrack = (index: number) => {
    for (const [at, track] of nativeTracks().entries()) track.enabled = at === index;
  };
  const reportTracks = () => {
    const tracks = nativeTracks().map(({ label, language }) => ({ label, language }));
    const remembered = rememberedAudioTrack(tracks);
    if (remembered >= 0) chooseAudioTrack(remembered);
    const enabled = nativeTracks().findIndex((track) => track.enabled);
    events.onAudioTracks(tracks, Math.max(enabled, 0));
  };
  element.src = url;
  // The source is set only now, because the browser would otherwise fetch the file's metadata.
  element.preload = "metadata";
  element.addEventListener("error", () => events.onFailed(), { signal });
  element.addEventListener("loadedmetadata", reportTracks, { signal });
  return {
    heights: [],
    choose() {},
    chooseAudioTrack,
    resume: () => element.load(),
    close: () => stop.abort(),
  };
}
