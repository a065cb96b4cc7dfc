import { useCallback, useEffect, useRef, useState } from "react";
import { CONTROLS_HIDE_AFTER_PLAY_MS, CONTROLS_HIDE_AFTER_POINTER_MS } from "./constants";

/**
 * Whether the controls are shown (specification, section 9): until 5 s after playing starts, and until
 * 3 s after the pointer rests; always while paused, and while something holds them (`held`: a control has the
 * focus or the pointer, a menu is open). `wake` shows them for the 3 s.
 */
export function useIdle(root: HTMLElement, paused: boolean, held: boolean) {
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

  const wasHeld = useRef(false);
  useEffect(() => {
    if (wasHeld.current && !held) wake();
    wasHeld.current = held;
  }, [held, wake]);

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
    return () => root.removeEventListener("pointermove", onMove);
  }, [root, wake]);

  return { visible: paused || held || awake, wake };
}
