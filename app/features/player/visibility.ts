import { useCallback, useEffect, useRef, useState } from "react";
import { useListener } from "~/ui/use-listener";
import { CONTROLS_HIDE_AFTER_PLAY_MS, CONTROLS_HIDE_AFTER_POINTER_MS } from "./constants";

/**
 * Whether the controls are shown (specification, section 9): until 5 s after playing starts, and until
 * 3 s after the pointer rests; always while paused, and while they are in use (a control has the
 * focus or the pointer, a menu is open). `wake` shows them for the 3 s, and so does a finger on them.
 */
export function useControlsVisible(
  root: HTMLElement,
  bar: HTMLElement | null,
  paused: boolean,
  inUse: boolean,
) {
  const [awake, setAwake] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>();

  const wakeFor = useCallback((milliseconds: number) => {
    clearTimeout(timer.current);
    setAwake(true);
    timer.current = setTimeout(() => setAwake(false), milliseconds);
  }, []);
  const wake = useCallback(() => wakeFor(CONTROLS_HIDE_AFTER_POINTER_MS), [wakeFor]);

  useEffect(() => {
    if (!paused) wakeFor(CONTROLS_HIDE_AFTER_PLAY_MS);
    return () => clearTimeout(timer.current);
  }, [paused, wakeFor]);

  const wasInUse = useRef(false);
  useEffect(() => {
    if (wasInUse.current && !inUse) wake();
    wasInUse.current = inUse;
  }, [inUse, wake]);

  const last = useRef("");
  // A browser also reports a resting mouse when what lies under it changes. A finger's way is a
  // swipe, and the levels have an indicator of their own.
  useListener(root, "pointermove", ({ pointerType, clientX, clientY }: PointerEvent) => {
    const here = `${clientX} ${clientY}`;
    if (pointerType === "touch" || here === last.current) return;
    last.current = here;
    wake();
  });
  useListener(bar, "pointerdown", wake);

  return { visible: paused || inUse || awake, wake };
}

/** Whether the mouse is over the controls or one of them has the focus, given by a key. */
export function useControlsInUse(root: HTMLElement, bar: HTMLElement | null): boolean {
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);

  useListener(bar, "pointerenter pointerleave", ({ type, pointerType }: PointerEvent) =>
    setHovered(type === "pointerenter" && pointerType !== "touch"),
  );

  const check = () => {
    const active = document.activeElement;
    const inside = active instanceof HTMLElement && active !== root && root.contains(active);
    setFocused(inside && !active.hasAttribute(FOCUSED_BY_POINTER));
  };
  useListener(root, "focusin", check);
  // When the focus leaves, the document names the new element only after the event.
  useListener(root, "focusout", () => queueMicrotask(check));
  useEffect(check, [root]);

  return hovered || focused;
}

/** Of an element that got the focus back from a menu which was closed with the mouse or a finger. */
export const FOCUSED_BY_POINTER = "data-pointer-focus";

/**
 * Gives the focus back when a panel closes. `:focus-visible` does not tell how the panel was closed:
 * a browser answers it anew at every key. The space bar asks, and so do the controls, which stay
 * while the keyboard is in them.
 */
export function useFocusReturn(): (to: HTMLElement | null) => void {
  const byPointer = useRef(false);
  const note = ({ type }: Event) => {
    byPointer.current = type === "pointerdown";
  };
  useListener("window", "pointerdown keydown", note, true);

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
  useListener("window", "keydown", (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    onEscape();
  });
}
