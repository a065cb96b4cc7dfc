import { useSyncExternalStore } from "react";

/** The ids of what the visitor has saved, the latest first: in this browser and nowhere else. */
const KEY = "saved-videos";
const MOST = 500;
const NONE: readonly string[] = [];

let current: readonly string[] = NONE;
const listeners = new Set<() => void>();

/** Takes over what the browser keeps; where it keeps nothing (private mode), the page's own list lasts. */
function refresh(): void {
  let text: string | null;
  try {
    text = localStorage.getItem(KEY);
  } catch {
    return;
  }
  const ids = idsOf(text ?? "[]");
  if (ids.join("\n") !== current.join("\n")) current = ids;
}

function idsOf(text: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : NONE;
  } catch {
    return NONE;
  }
}

function change(to: (ids: readonly string[]) => readonly string[]): void {
  // Another tab may have saved something meanwhile.
  refresh();
  current = to(current).slice(0, MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Storage is full or forbidden; the list lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

export function saveVideo(id: string): void {
  change((ids) => [id, ...ids.filter((other) => other !== id)]);
}

export function forgetVideos(gone: readonly string[]): void {
  change((ids) => ids.filter((id) => !gone.includes(id)));
}

function onStorage({ key }: StorageEvent): void {
  if (key !== KEY && key !== null) return;
  refresh();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener("storage", onStorage);
    // Of a page that comes with the server's HTML, nothing has been read before.
    refresh();
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("storage", onStorage);
  };
}

function read(): readonly string[] {
  if (listeners.size === 0) refresh();
  return current;
}

/** Follows the list, whichever tab changes it; empty in the server's HTML. */
export function useSavedVideos(): readonly string[] {
  return useSyncExternalStore(subscribe, read, () => NONE);
}
