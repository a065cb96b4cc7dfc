import { useMemo, useSyncExternalStore } from "react";
import type { VideoCardData } from "~/shared/video-card";

/** What plays after a video: the related ones, until the visitor has changed their order. */

const MOST_UP_NEXT = 5;

/** In this tab alone, and gone with it. */
const STORED = "up-next";

const listeners = new Set<() => void>();
/** The text that `read` has parsed: the same one gives the same list. */
let parsed: { text: string | null; list: VideoCardData[] | undefined } = {
  text: null,
  list: undefined,
};

function read(): VideoCardData[] | undefined {
  let text: string | null = null;
  try {
    text = sessionStorage.getItem(STORED);
  } catch {
    // Storage is forbidden: the order lasts as long as the page.
    return parsed.list;
  }
  if (text !== parsed.text) parsed = { text, list: parse(text) };
  return parsed.list;
}

function parse(text: string | null): VideoCardData[] | undefined {
  try {
    const stored: unknown = JSON.parse(text ?? "null");
    if (!Array.isArray(stored)) return undefined;
    return stored.filter(
      (video) => typeof video?.id === "string" && typeof video?.title === "string",
    );
  } catch {
    return undefined;
  }
}

export function storeUpNext(list: VideoCardData[]): void {
  const text = JSON.stringify(list);
  parsed = { text, list };
  try {
    sessionStorage.setItem(STORED, text);
  } catch {
    // As above.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** In its order, without the video that is watched now. */
export function useUpNext(here: string, related: VideoCardData[]): VideoCardData[] {
  const stored = useSyncExternalStore(subscribe, read, () => undefined);
  return useMemo(() => {
    const left = stored?.filter(({ id }) => id !== here) ?? [];
    return left.length > 0 ? left : related.slice(0, MOST_UP_NEXT);
  }, [stored, here, related]);
}

/** The list with one of it at another index. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, index) => index !== from);
  return [...rest.slice(0, to), list[from]!, ...rest.slice(to)];
}
