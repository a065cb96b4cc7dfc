import { type PointerEvent, type RefObject, useEffect, useRef } from "react";

/** How near to the edge of the window the page scrolls along, and how far in a frame at most. */
const EDGE_PX = 72;
const MAX_SCROLL_PX = 14;

/**
 * Rows of a list that are put in another order by a grip of each, with a mouse, a pen or a finger alike:
 * the browser's own drag and drop has no finger. The rows stand where they stood until the grip is let go;
 * what is seen meanwhile are transforms, since a row that moved in the document would lose the pointer.
 *
 * @param order changes when other rows come, or come in another order: who is dragging lets go then.
 * @param drop is called with the index of the row, and the one that it is to have.
 * @returns what the grip of the row with that index does when it is pressed.
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
    const listening = new AbortController();
    const { signal } = listening;
    const end = (isDropped: boolean) => {
      listening.abort();
      cancel.current = undefined;
      const to = drag.end();
      if (isDropped && to !== from) dropped.current(from, to);
    };
    cancel.current = () => end(false);
    const on = (type: "pointermove" | "pointerup" | "pointercancel", work: (y: number) => void) => {
      const ofPointer = (happened: globalThis.PointerEvent) => {
        if (happened.pointerId === pointerId) work(happened.clientY);
      };
      window.addEventListener(type, ofPointer, { signal });
    };
    on("pointermove", drag.move);
    on("pointerup", (y) => {
      drag.move(y);
      end(true);
    });
    on("pointercancel", () => end(false));
    const leave = ({ key }: KeyboardEvent) => key === "Escape" && end(false);
    window.addEventListener("keydown", leave, { signal });
  };
}

/** A row that follows the pointer, while the others make room for it. */
function beginDrag(rows: readonly HTMLElement[], from: number, startClientY: number) {
  const places = rows.map((row) => {
    const { top, height } = row.getBoundingClientRect();
    return { top: top + window.scrollY, height };
  });
  const own = places[from]!;
  const last = places.at(-1)!;
  const up = places[0]!.top - own.top;
  const down = last.top + last.height - own.top - own.height;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
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
    if (at !== from && !isStill) row.style.transition = "transform 150ms";
  }
  let frame = requestAnimationFrame(follow);

  return {
    move(y: number): void {
      clientY = y;
    },
    /** Lets go; the index at which the row is then. */
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
 * The index of a row that was moved by so many pixels: another makes room once the row's edge is past its
 * middle, however high the two are.
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

/** Pixels of a frame, the more the nearer to the edge: below zero at the upper one. */
function scrollSpeed(clientY: number): number {
  const above = Math.max(0, EDGE_PX - clientY);
  const below = Math.max(0, clientY - (window.innerHeight - EDGE_PX));
  return Math.round(
    (Math.min(EDGE_PX, below) - Math.min(EDGE_PX, above)) * (MAX_SCROLL_PX / EDGE_PX),
  );
}
