import { useToast } from "~/ui/feedback/toast";
import { storedValue } from "./browser-storage";

/** The maximum number of saved videos. Nobody needs more, and the page must request a card for each saved video. */
export const MAX_SAVED = 500;

/** The ids of the saved videos, latest first; stored only in this browser. */
const saved = storedValue<readonly string[]>("saved", (stored) =>
  Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [],
);

/**
 * Saves a video. Returns false if the browser refuses to store it. In that case, it is kept only until the page is
 * closed.
 */
export function saveVideo(id: string): boolean {
  return saved.write([id, ...saved.read().filter((other) => other !== id)].slice(0, MAX_SAVED));
}

export function removeSavedVideos(gone: readonly string[]): void {
  saved.write(saved.read().filter((id) => !gone.includes(id)));
}

/** Subscribes to the list, including changes made in other tabs. The list is empty in the server's HTML. */
export const useSavedVideos = saved.use;

export const savedVideos = saved.read;

export function useSavedCount(): number {
  return saved.useSelected((ids) => ids.length);
}

/** Returns whether a video is saved, and a function that saves or removes it. */
export function useSaveVideo(id: string) {
  const show = useToast();
  const isSaved = saved.useSelected((ids) => ids.includes(id));

  function toggle() {
    if (isSaved) {
      removeSavedVideos([id]);
      return;
    }
    const isStored = saveVideo(id);
    show({
      kind: "success",
      title: "Saved",
      description: isStored
        ? "Find it under Saved (kept only in this browser)."
        : "Saved until you close this tab. Your browser blocks storage for this site.",
    });
  }

  return { isSaved, toggle };
}

/**
 * Appends ids to the saved videos, up to the maximum.
 *
 * @returns how many ids were added, were already saved or didn't fit, and whether the browser has stored them.
 */
export function addSavedVideos(ids: readonly string[]) {
  const before = saved.read();
  const fresh = ids.filter((id) => !before.includes(id));
  const added = fresh.slice(0, Math.max(0, MAX_SAVED - before.length));
  const isStored = added.length === 0 || saved.write([...before, ...added]);
  return {
    added: added.length,
    known: ids.length - fresh.length,
    left: fresh.length - added.length,
    isStored,
  };
}
