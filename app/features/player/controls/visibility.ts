import { useCallback, useEffect, useRef, useState } from "react";
import { CONTROLS_HIDE_AFTER_PLAY_MS, CONTROLS_HIDE_AFTER_POINTER_MS } from "../constants";
import { FOCUSED_BY_POINTER } from "../settings/focus";

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

  useEffect(() => {
    let x = -1;
    let y = -1;
    // A browser also reports a resting mouse when what lies under it changes. A finger's way is a
    // swipe, and the levels have an indicator of their own.
    const onMove = (event: PointerEvent) => {
      if (event.pointerType === "touch" || (event.clientX === x && event.clientY === y)) return;
      x = event.clientX;
      y = event.clientY;
      wake();
    };
    root.addEventListener("pointermove", onMove);
    bar?.addEventListener("pointerdown", wake);
    return () => {
      root.removeEventListener("pointermove", onMove);
      bar?.removeEventListener("pointerdown", wake);
    };
  }, [root, bar, wake]);

  return { visible: paused || inUse || awake, wake };
}

/** Whether the mouse is over the controls or one of them has the focus, given by a key. */
export function useControlsInUse(root: HTMLElement, bar: HTMLElement | null): boolean {
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
    const check = () => {
      const active = document.activeElement;
      const inside = active instanceof HTMLElement && active !== root && root.contains(active);
      setFocused(inside && !active.hasAttribute(FOCUSED_BY_POINTER));
    };
    // When the focus leaves, the document names the new element only after the event.
    const checkLater = () => queueMicrotask(check);
    root.addEventListener("focusin", check);
    root.addEventListener("focusout", checkLater);
    check();
    return () => {
      root.removeEventListener("focusin", check);
      root.removeEventListener("focusout", checkLater);
    };
  }, [root]);

  return hovered || focused;
}
