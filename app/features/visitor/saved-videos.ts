import { useToast } from "~/ui/feedback/toast";
import { storedValue } from "./browser-storage";

/** More ids than this are nobody's list, and each of them costs a request for its card. */
export const MAX_SAVED = 500;

/** The ids of what the visitor has saved, the latest first: in this browser and nowhere else. */
const saved = storedValue<readonly string[]>("saved", (stored) =>
  Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [],
);

/** @returns false when the browser does not store it, so that it lasts as long as the page. */
export function saveVideo(id: string): boolean {
  return saved.write([id, ...saved.read().filter((other) => other !== id)].slice(0, MAX_SAVED));
}

export function forgetVideos(gone: readonly string[]): void {
  saved.write(saved.read().filter((id) => !gone.includes(id)));
}

/** Follows the list, whichever tab changes it; empty in the server's HTML. */
export const useSavedVideos = saved.use;

export const savedVideos = saved.read;

export function useSavedCount(): number {
  return saved.useSelected((ids) => ids.length);
}

/** Whether a video is in the visitor's own list, and what puts it there or takes it out again. */
export function useSaveVideo(id: string) {
  const show = useToast();
  const isSaved = saved.useSelected((ids) => ids.includes(id));

  function toggle() {
    if (isSaved) {
      forgetVideos([id]);
      return;
    }
    const isStored = saveVideo(id);
    show({
      kind: "success",
      title: "Saved",
      description: isStored
        ? "In this browser only, under Saved in the menu."
        : "Until this page is closed: your browser stores nothing for this site.",
    });
  }

  return { isSaved, toggle };
}

/**
 * Adds a list of ids behind those that are saved, as far as there is room.
 *
 * @returns how many were added, were saved already, and are left out for want of room; and whether the
 *   browser stores them.
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
