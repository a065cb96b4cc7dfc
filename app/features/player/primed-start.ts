import { useEffect } from "react";
import { HLS_MODULE_URL } from "./hls-module";
import type { FileStart, StreamStart } from "./types";

/** How long the mouse must rest on a link; passing over it isn't intent. */
const MOUSE_RESTS_MS = 100;

/**
 * Prefetches the beginning of a video when a finger, the mouse or the keyboard reaches a link to it, so that
 * its page can play without waiting for the network. Does nothing when the visitor saves data.
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
      const rests = event.type === "pointerover" && (event as PointerEvent).pointerType === "mouse";
      timer = setTimeout(
        () => {
          last = path;
          // Ignore failures: the video's page requests everything again.
          void preload(path).catch(() => {});
        },
        rests ? MOUSE_RESTS_MS : 0,
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
  // In parallel with the request, not after its response: most videos have a stream.
  const module = { rel: "modulepreload", href: HLS_MODULE_URL };
  if (!document.querySelector(`link[href="${CSS.escape(HLS_MODULE_URL)}"]`)) {
    document.head.append(Object.assign(document.createElement("link"), module));
  }
  const answer = await fetch(`${path}/stream`);
  if (answer.status !== 200) return;
  const stream = (await answer.json()) as { hlsUrl: string; start?: StreamStart };
  if (stream.start) primeStart(stream.start);
  // Fill the browser's cache for the player.
  const { hlsUrl, start } = stream;
  const urls = [hlsUrl, start?.playlistUrl, start?.sound?.playlistUrl];
  for (const url of urls) if (url) void fetch(url);
}

/** The beginning of a stream's file, requested before its player exists. */
export interface Primed {
  url: string;
  size: number;
  /** Times of the request, the first byte and the last one, in milliseconds of `performance.now()`. */
  asked: number;
  first: number;
  end: number;
  /** Undefined when the prefetch failed; the player then makes its own request. */
  bytes: Promise<ArrayBuffer | undefined>;
  stop: AbortController;
}

/** The prefetches of one stream: video, and audio if it is in a separate file. */
let primed: Primed[] = [];

/** Returns whether the visitor's browser is set to save data. */
export function savesData(): boolean {
  if (typeof navigator === "undefined") return false;
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

/** Prefetches the beginning of a stream, and aborts the prefetch of any other one. */
export function primeStart({ sound, ...picture }: StreamStart): void {
  // A native HLS player makes its own requests.
  if (savesData() || !("MediaSource" in window)) return;
  const wanted = [picture, ...(sound ? [sound] : [])].map(unasked);
  if (primed[0]?.url === wanted[0]?.url) return;
  for (const own of primed) own.stop.abort();
  primed = wanted;
  for (const own of wanted) own.bytes = fetchStart(own).catch(() => undefined);
}

function unasked({ segmentUrl, bytes: size }: FileStart): Primed {
  const url = new URL(segmentUrl, window.location.href).href;
  return {
    ...{ url, size, asked: performance.now(), first: 0, end: 0 },
    bytes: Promise.resolve(undefined),
    stop: new AbortController(),
  };
}

/** Returns the prefetch of a file if it contains all bytes before `end`. */
export function primedStart(url: string, end: number): Primed | undefined {
  return primed.find((own) => own.url === url && end > 0 && end <= own.size);
}

/** Drops a prefetch that has been used, to free its memory, or that is no longer wanted. */
export function dropPrimed(own: Primed): void {
  own.stop.abort();
  primed = primed.filter((other) => other !== own);
}

async function fetchStart(own: Primed): Promise<ArrayBuffer | undefined> {
  const headers = { Range: `bytes=0-${own.size - 1}` };
  const response = await fetch(own.url, { headers, signal: own.stop.signal });
  own.first = performance.now();
  if (response.status !== 206) return undefined;
  const bytes = await response.arrayBuffer();
  own.end = performance.now();
  return bytes;
}

/**
 * Continues in a new task. Code after a promise runs as a microtask, before the page can handle input; on a slow
 * phone, several such steps of 100 ms each add up to a tap that seems lost.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
