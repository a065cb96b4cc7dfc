import { useCallback, useRef } from "react";
import { frameAt, parseStoryboard, type StoryboardFrame } from "./storyboard";

/** The picture of a moment; fetched when it is first wanted. A storyboard that fails is none. */
export function useStoryboard(url: string | undefined) {
  const loaded = useRef<{ url: string; frames: StoryboardFrame[] }>();

  const load = useCallback(async () => {
    if (!url || loaded.current?.url === url) return;
    const own = { url, frames: [] as StoryboardFrame[] };
    loaded.current = own;
    try {
      const response = await fetch(url);
      if (response.ok) own.frames = parseStoryboard(await response.text(), response.url);
    } catch {
      // Without it the bubble shows the time alone.
    }
  }, [url]);

  const frame = useCallback(
    (seconds: number) =>
      loaded.current && loaded.current.url === url
        ? frameAt(loaded.current.frames, seconds)
        : undefined,
    [url],
  );
  return { load, frame };
}
