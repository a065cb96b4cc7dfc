import type { StreamStart } from "../types";

/** The beginning of a stream that was asked for before its player was there. */
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

let primed: Primed | undefined;

/** Whether this visitor asks for as little as possible. */
export function savesData(): boolean {
  if (typeof navigator === "undefined") return false;
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

/** Asks for the beginning of one stream, by which another that nobody wanted is given up. */
export function primeStart({ segmentUrl, bytes: size }: StreamStart): void {
  const url = new URL(segmentUrl, window.location.href).href;
  // A device that plays streams by itself asks for all of it by itself.
  if (savesData() || !("MediaSource" in window) || primed?.url === url) return;
  primed?.stop.abort();
  const own: Primed = {
    ...{ url, size, asked: performance.now(), first: 0, end: 0 },
    bytes: Promise.resolve(undefined),
    stop: new AbortController(),
  };
  own.bytes = fetchStart(own).catch(() => undefined);
  primed = own;
}

/** What has been asked for of a file, when it holds all bytes before `end`. */
export function primedStart(url: string, end: number): Primed | undefined {
  return primed?.url === url && end > 0 && end <= primed.size ? primed : undefined;
}

/** It has been taken, and need not stay in memory; or it is given up. */
export function dropPrimed(own: Primed): void {
  own.stop.abort();
  if (primed === own) primed = undefined;
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
