import { type PointerEvent, type RefObject, useEffect, useRef } from "react";

/**
 * The distance from the edge of the window at which the page starts to scroll, and the maximum scroll distance per
 * frame.
 */
const EDGE_PX = 72;
const MAX_SCROLL_PX = 14;

/**
 * Lets users reorder the rows of a list by dragging a handle with a mouse, pen or finger. Native drag and drop doesn't
 * support touch. Until the drop, the rows keep their places in the document and are moved only with transforms, because
 * moving the dragged row within the document would lose the pointer.
 *
 * @param order a key that changes when the rows or their order change. Such a change cancels a drag.
 * @param drop called with the row's old and new index.
 * @returns the `pointerdown` handler for the handle of the row with a given index.
 */
export function useDragOrder(
  list: RefObject<HTMLElement>,
  order: string,
  drop: (from: number, to: number) => void,
) {
  const cancel = useRef<() => void>();
  const shown = useRef(order);
  const dropped = useRef(drop);

  useEffect(() => {
    dropped.current = drop;
    if (shown.current !== order) cancel.current?.();
    shown.current = order;
  }, [drop, order]);
  useEffect(() => () => cancel.current?.(), []);

  return (event: PointerEvent, from: number) => {
    if (event.button !== 0 || !event.isPrimary || cancel.current || !list.current) return;
    const { pointerId, clientY } = event;
    const rows = [...list.current.children] as HTMLElement[];
    const drag = beginDrag(rows, from, clientY);
    const controller = new AbortController();
    const { signal } = controller;
    const end = (isDropped: boolean) => {
      controller.abort();
      cancel.current = undefined;
      const to = drag.end();
      if (isDropped && to !== from) dropped.current(from, to);
    };
    cancel.current = () => end(false);
    const on = (type: "pointermove" | "pointerup" | "pointercancel", work: (y: number) => void) => {
      const ofPointer = (moveEvent: globalThis.PointerEvent) => {
        if (moveEvent.pointerId === pointerId) work(moveEvent.clientY);
      };
      window.addEventListener(type, ofPointer, { signal });
    };
    on("pointermove", drag.move);
    on("pointerup", (y) => {
      drag.move(y);
      end(true);
    });
    on("pointercancel", () => end(false));
    const onKeyDown = ({ key }: KeyboardEvent) => key === "Escape" && end(false);
    window.addEventListener("keydown", onKeyDown, { signal });
  };
}

/** Makes a row follow the pointer, while the others make room for it. */
function beginDrag(rows: readonly HTMLElement[], from: number, startClientY: number) {
  const places = rows.map((row) => {
    const { top, height } = row.getBoundingClientRect();
    return { top: top + window.scrollY, height };
  });
  const own = places[from]!;
  const last = places.at(-1)!;
  const up = places[0]!.top - own.top;
  const down = last.top + last.height - own.top - own.height;
  const reducesMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const start = startClientY + window.scrollY;
  let clientY = startClientY;
  let to = from;

  function show(): void {
    const shift = Math.min(down, Math.max(up, clientY + window.scrollY - start));
    to = placeAt(places, from, shift);
    for (const [at, row] of rows.entries()) {
      const room = at > from && at <= to ? -own.height : at < from && at >= to ? own.height : 0;
      const by = at === from ? shift : room;
      row.style.transform = by ? `translateY(${by}px)` : "";
    }
  }

  function follow(): void {
    const speed = scrollSpeed(clientY);
    if (speed) window.scrollBy({ top: speed, behavior: "instant" });
    show();
    frame = requestAnimationFrame(follow);
  }

  rows[from]!.dataset.dragged = "";
  for (const [at, row] of rows.entries()) {
    if (at !== from && !reducesMotion) row.style.transition = "transform 150ms";
  }
  let frame = requestAnimationFrame(follow);

  return {
    move(y: number): void {
      clientY = y;
    },
    /** Ends the drag. Returns the new index of the row. */
    end(): number {
      cancelAnimationFrame(frame);
      show();
      for (const row of rows) row.removeAttribute("style");
      delete rows[from]!.dataset.dragged;
      return to;
    },
  };
}

/**
 * Returns the new index of a row that was moved by `shift` pixels. Another row makes room once the edge of the moved
 * row has passed the middle of the other row. This works for rows of different heights.
 */
export function placeAt(
  places: readonly { top: number; height: number }[],
  from: number,
  shift: number,
): number {
  const top = places[from]!.top + shift;
  const bottom = top + places[from]!.height;
  const isPassed = (place: { top: number; height: number }, at: number) => {
    const middle = place.top + place.height / 2;
    return at < from ? middle <= top : at > from && middle < bottom;
  };
  return places.filter(isPassed).length;
}

/** Returns the number of pixels to scroll per frame, which is larger near the edge and negative at the top. */
function scrollSpeed(clientY: number): number {
  const above = Math.max(0, EDGE_PX - clientY);
  const below = Math.max(0, clientY - (window.innerHeight - EDGE_PX));
  return Math.round(
    (Math.min(EDGE_PX, below) - Math.min(EDGE_PX, above)) * (MAX_SCROLL_PX / EDGE_PX),
  );
}
