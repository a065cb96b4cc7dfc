import { useCallback, useState } from "react";
import type { ManagedVideo } from "./managed-video";

export interface Selection {
  /** Those of the selected videos that are on the page. */
  ids: ReadonlySet<string>;
  /** Every video of the list, on whichever page, is meant. */
  all: boolean;
  toggle(id: string): void;
  /** Selects the whole page, or nothing when it is selected. */
  togglePage(): void;
  setAll(all: boolean): void;
  clear(): void;
}

/** Which videos of the page are selected. A video that has left the page is so no more. */
export function useSelection(videos: readonly ManagedVideo[]): Selection {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const ids = new Set(videos.map(({ id }) => id).filter((id) => marked.has(id)));
  const clear = useCallback(() => {
    setMarked(new Set());
    setAll(false);
  }, []);
  return {
    ids,
    all: all && ids.size > 0,
    toggle(id) {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      setMarked(next);
      setAll(false);
    },
    togglePage() {
      setMarked(ids.size === videos.length ? new Set() : new Set(videos.map(({ id }) => id)));
      setAll(false);
    },
    setAll,
    clear,
  };
}
