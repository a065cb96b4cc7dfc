import { useCallback, useEffect, useRef, useState } from "react";
import { useListener } from "~/ui/use-listener";
import { CONTROLS_HIDE_AFTER_PLAY_MS, CONTROLS_HIDE_AFTER_POINTER_MS } from "./constants";

/**
 * Returns whether the controls are shown (specification, section 9): until 5 s after playback starts and 3 s after the
 * pointer stops, and always while paused or in use (a control is focused or hovered over, or a menu is open). `wake`
 * shows the controls for 3 s, as does touching them.
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
  // Browsers report mouse movement even if the mouse isn't moving and only the element under it has changed. Finger
  // moves are swipes, for which a separate level indicator is shown.
  useListener(root, "pointermove", ({ pointerType, clientX, clientY }: PointerEvent) => {
    const here = `${clientX} ${clientY}`;
    if (pointerType === "touch" || here === last.current) return;
    last.current = here;
    wake();
  });
  useListener(bar, "pointerdown", wake);

  return { visible: paused || inUse || awake, wake };
}

/** Returns whether the mouse is over the controls or one of them has keyboard focus. */
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
  // On focusout, `document.activeElement` is updated only after the event.
  useListener(root, "focusout", () => queueMicrotask(check));
  useEffect(check, [root]);

  return hovered || focused;
}

/** Marks an element that regained focus when a menu was closed by mouse or touch. */
export const FOCUSED_BY_POINTER = "data-pointer-focus";

/**
 * Returns a function that restores focus when a panel closes, and marks the focused element if a pointer closed the
 * panel. The behavior of the space bar and the visibility of the controls depend on this mark. `:focus-visible` doesn't
 * help, because browsers update it on every key press.
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

/** Calls `onEscape` when Escape is pressed, regardless of which element has focus. */
export function useEscape(onEscape: () => void): void {
  useListener("window", "keydown", (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    onEscape();
  });
}
