import type { FileStart, StreamStart } from "../types";

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
