import { useEffect } from "react";
import { HLS_MODULE_URL } from "./hls-module";
import type { FileStart, StreamStart } from "./types";

/** The mouse that only passes by a card wants nothing of it. */
const MOUSE_RESTS_MS = 100;

/**
 * Asks for the beginning of a video as soon as a finger, the mouse or the keyboard comes to a link
 * to it: its page then plays without waiting for the line. Not where data is saved.
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
          // Whatever it fails at, the page of the video asks again.
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
  // Beside the question, not after its answer: most videos have a stream.
  const module = { rel: "modulepreload", href: HLS_MODULE_URL };
  if (!document.querySelector(`link[href="${CSS.escape(HLS_MODULE_URL)}"]`)) {
    document.head.append(Object.assign(document.createElement("link"), module));
  }
  const answer = await fetch(`${path}/stream`);
  if (answer.status !== 200) return;
  const stream = (await answer.json()) as { hlsUrl: string; start?: StreamStart };
  if (stream.start) primeStart(stream.start);
  // Into the browser's cache, where the player finds them.
  const { hlsUrl, start } = stream;
  const urls = [hlsUrl, start?.playlistUrl, start?.sound?.playlistUrl];
  for (const url of urls) if (url) void fetch(url);
}

/** The beginning of a stream's file that was asked for before its player was there. */
export interface Primed {
  url: string;
  size: number;
  /** Milliseconds, `performance.now()`. */
  asked: number;
  first: number;
  end: number;
  /** Undefined where it can't be had: the player asks itself. */
  bytes: Promise<ArrayBuffer | undefined>;
  stop: AbortController;
}

/** Of one stream: its pictures, and its sound where that is in a file of its own. */
let primed: Primed[] = [];

/** Whether this visitor asks for as little as possible. */
export function savesData(): boolean {
  if (typeof navigator === "undefined") return false;
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

/** Asks for the beginning of one stream, by which another that nobody wanted is given up. */
export function primeStart({ sound, ...picture }: StreamStart): void {
  // A device that plays streams by itself asks for all of it by itself.
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

/** What has been asked for of a file, when it holds all bytes before `end`. */
export function primedStart(url: string, end: number): Primed | undefined {
  return primed.find((own) => own.url === url && end > 0 && end <= own.size);
}

/** It has been taken, and need not stay in memory; or it is given up. */
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
 * Goes on in a task of its own. What follows a promise runs before the page may answer anybody, and on a
 * slow phone several steps of a tenth of a second each add up to a tap that seems lost.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
