import { useEffect, useRef } from "react";

/** Of an element that got the focus back from a menu which was closed with the mouse or a finger. */
export const FOCUSED_BY_POINTER = "data-pointer-focus";

/**
 * Gives the focus back when a panel closes. `:focus-visible` does not tell how the panel was closed:
 * a browser answers it anew at every key. The space bar asks, and so do the controls, which stay
 * while the keyboard is in them.
 */
export function useFocusReturn(): (to: HTMLElement | null) => void {
  const byPointer = useRef(false);
  useEffect(() => {
    const onPointer = () => {
      byPointer.current = true;
    };
    const onKey = () => {
      byPointer.current = false;
    };
    window.addEventListener("pointerdown", onPointer, true);
    window.addEventListener("keydown", onKey, true);
    return () => {
      window.removeEventListener("pointerdown", onPointer, true);
      window.removeEventListener("keydown", onKey, true);
    };
  }, []);

  return (to) => {
    if (!to) return;
    if (byPointer.current) {
      to.setAttribute(FOCUSED_BY_POINTER, "");
      to.addEventListener("blur", () => to.removeAttribute(FOCUSED_BY_POINTER), { once: true });
    }
    to.focus({ preventScroll: true });
  };
}

/** Escape closes what is open, wherever the focus is. */
export function useEscape(onEscape: () => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
