import { useEffect, useRef } from "react";

/**
 * Calls the latest `listener` for events while the component is mounted.
 *
 * @param target the event target. Use its name if the server also renders the component, and null while there is no
 * target.
 * @param types the event types, separated by spaces.
 */
export function useListener<E extends Event = Event>(
  target: "window" | "document" | EventTarget | null | undefined,
  types: string,
  listener: (event: E) => void,
  capture = false,
): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const source = typeof target === "string" ? globalThis[target] : target;
    const stop = new AbortController();
    const call = (event: Event) => latest.current(event as E);
    const options = { capture, signal: stop.signal };
    for (const type of types.split(" ")) source?.addEventListener(type, call, options);
    return () => stop.abort();
  }, [target, types, capture]);
}
