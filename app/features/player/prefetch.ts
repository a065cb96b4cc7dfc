import { useEffect } from "react";
import { HLS_MODULE_URL } from "./hls-module";
import type { FileStart, StreamStart } from "./types";

/** How long the mouse must rest on a link; merely passing over it doesn't signal intent. */
const MOUSE_RESTS_MS = 100;

/**
 * Prefetches the beginning of a video when a finger, the mouse or the keyboard reaches a link to it, so that its page
 * can play without waiting for the network. Does nothing if the visitor's browser is set to save data.
 */
export function usePreloadOnIntent(): void {
  useEffect(() => {
    if (savesData() || !("MediaSource" in window)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: string | undefined;

    const onIntent = (event: Event) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      const path = link && VIDEO_PATH.exec(link.pathname)?.[0];
      clearTimeout(timer);
      if (!path || path === last || path === window.location.pathname) return;
      const mustRest =
        event.type === "pointerover" && (event as PointerEvent).pointerType === "mouse";
      timer = setTimeout(
        () => {
          last = path;
          // Failures are ignored, since the video's page will request everything again.
          void preload(path).catch(() => {});
        },
        mustRest ? MOUSE_RESTS_MS : 0,
      );
    };
    for (const kind of INTENTS) document.addEventListener(kind, onIntent, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const kind of INTENTS) document.removeEventListener(kind, onIntent);
    };
  }, []);
}

const INTENTS = ["pointerover", "pointerdown", "focusin"];
const VIDEO_PATH = /^\/video\/[^/]+$/;

async function preload(path: string): Promise<void> {
  // The stream is prefetched in parallel with the request rather than after its response, because most videos have a
  // stream.
  const module = { rel: "modulepreload", href: HLS_MODULE_URL };
  if (!document.querySelector(`link[href="${CSS.escape(HLS_MODULE_URL)}"]`)) {
    document.head.append(Object.assign(document.createElement("link"), module));
  }
  const response = await fetch(`${path}/stream`);
  if (response.status !== 200) return;
  const stream = (await response.json()) as { hlsUrl: string; start?: StreamStart };
  if (stream.start) prefetchStart(stream.start);
  // These requests fill the browser's cache for the player.
  const { hlsUrl, start } = stream;
  const urls = [hlsUrl, start?.playlistUrl, start?.audio?.playlistUrl];
  for (const url of urls) if (url) void fetch(url);
}

/** The beginning of a stream's file, requested before its player exists. */
export interface Prefetch {
  url: string;
  size: number;
  /** The times of the request, the first byte and the last byte, in milliseconds of `performance.now()`. */
  start: number;
  first: number;
  end: number;
  /** Undefined if the prefetch failed; in that case, the player sends the request again. */
  bytes: Promise<ArrayBuffer | undefined>;
  stop: AbortController;
}

/** The prefetches for one stream: the video, and the audio if it is in a separate file. */
let prefetches: Prefetch[] = [];

/** Returns whether the visitor's browser is set to save data. */
export function savesData(): boolean {
  if (typeof navigator === "undefined") return false;
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

/** Prefetches the beginning of a stream, and aborts any other stream's prefetch. */
export function prefetchStart({ audio, ...video }: StreamStart): void {
  // A native HLS player doesn't use prefetched data, because it sends its requests itself.
  if (savesData() || !("MediaSource" in window)) return;
  const next = [video, ...(audio ? [audio] : [])].map(newPrefetch);
  if (prefetches[0]?.url === next[0]?.url) return;
  for (const prefetch of prefetches) prefetch.stop.abort();
  prefetches = next;
  for (const prefetch of next) prefetch.bytes = fetchStart(prefetch).catch(() => undefined);
}

function newPrefetch({ segmentUrl, bytes: size }: FileStart): Prefetch {
  const url = new URL(segmentUrl, window.location.href).href;
  return {
    ...{ url, size, start: performance.now(), first: 0, end: 0 },
    bytes: Promise.resolve(undefined),
    stop: new AbortController(),
  };
}

/** Returns a file's prefetch if it contains all bytes before `end`. */
export function findPrefetch(url: string, end: number): Prefetch | undefined {
  return prefetches.find((prefetch) => prefetch.url === url && end > 0 && end <= prefetch.size);
}

/** Discards a prefetch in order to free its memory, because it has been used or its video is no longer next. */
export function dropPrefetch(prefetch: Prefetch): void {
  prefetch.stop.abort();
  prefetches = prefetches.filter((other) => other !== prefetch);
}

async function fetchStart(prefetch: Prefetch): Promise<ArrayBuffer | undefined> {
  const headers = { Range: `bytes=0-${prefetch.size - 1}` };
  const response = await fetch(prefetch.url, { headers, signal: prefetch.stop.signal });
  prefetch.first = performance.now();
  if (response.status !== 206) return undefined;
  const bytes = await response.arrayBuffer();
  prefetch.end = performance.now();
  return bytes;
}

/**
 * Continues in a new task. Code that waits for a promise runs as a microtask, before the page can handle input. On a
 * slow phone, several such steps of 100 ms each add up, so that a tap seems to have been ignored.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
