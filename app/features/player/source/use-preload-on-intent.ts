import { useEffect } from "react";
import type { StreamStart } from "../types";
import { HLS_MODULE_URL } from "./hls-module";
import { primeStart, savesData } from "./primed-start";

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
