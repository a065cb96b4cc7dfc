import { type ComponentType, type PointerEvent, useEffect, useRef, useState } from "react";
import type { HoverPreviewProps } from "./hover-preview";

/** The rule of the hover preview (specification, section 9). */
const PREVIEW_DELAY_MS = 500;

/** The script that shows one; without it, as when the line is gone, a card stays as it is. */
export function loadHoverPreview(): Promise<{ default: ComponentType<HoverPreviewProps> }> {
  return import("./hover-preview").catch(() => ({ default: () => null }));
}

/** Ends the preview that is playing anywhere on the page: there is only one at a time. */
let endCurrent: (() => void) | undefined;

/** Whether this visitor should be shown moving pictures that they did not ask for. */
function previewsAreWelcome(): boolean {
  const connection = (navigator as { connection?: { saveData?: boolean } }).connection;
  if (connection?.saveData) return false;
  return !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Whether the card's preview plays now, and what to put on the card so that it does: 500 ms after
 * a mouse has come to rest on it, until it leaves. A finger or a pen never starts one.
 */
export function useHoverPreview(url: string) {
  const [playing, setPlaying] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const end = useRef(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    setPlaying(false);
  });

  useEffect(() => end.current, []);

  function begin(event: PointerEvent) {
    if (timer.current || !url || event.pointerType !== "mouse" || !previewsAreWelcome()) return;
    void loadHoverPreview();
    timer.current = setTimeout(() => {
      if (endCurrent !== end.current) endCurrent?.();
      endCurrent = end.current;
      setPlaying(true);
    }, PREVIEW_DELAY_MS);
  }

  return {
    playing,
    handlers: {
      onPointerEnter: begin,
      // It lay on the card before the scripts were there.
      onPointerMove: begin,
      onPointerLeave: () => end.current(),
    },
  };
}
