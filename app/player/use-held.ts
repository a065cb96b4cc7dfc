import { useEffect, useState } from "react";
import { FOCUSED_BY_POINTER } from "./focus-return";

/** Whether the mouse is over the controls or one of them has the focus, given by a key. */
export function useHeld(root: HTMLElement, bar: HTMLElement | null): boolean {
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);

  useEffect(() => {
    if (!bar) return;
    const enter = (event: PointerEvent) => {
      if (event.pointerType !== "touch") setHovered(true);
    };
    const leave = () => setHovered(false);
    bar.addEventListener("pointerenter", enter);
    bar.addEventListener("pointerleave", leave);
    return () => {
      bar.removeEventListener("pointerenter", enter);
      bar.removeEventListener("pointerleave", leave);
    };
  }, [bar]);

  useEffect(() => {
    const look = () => {
      const active = document.activeElement;
      const inside = active instanceof HTMLElement && active !== root && root.contains(active);
      setFocused(inside && !active.hasAttribute(FOCUSED_BY_POINTER));
    };
    // When the focus leaves, the document names its new place only after the event.
    const lookLater = () => queueMicrotask(look);
    root.addEventListener("focusin", look);
    root.addEventListener("focusout", lookLater);
    look();
    return () => {
      root.removeEventListener("focusin", look);
      root.removeEventListener("focusout", lookLater);
    };
  }, [root]);

  return hovered || focused;
}
