import { createStore } from "~/ui/store";
import { FEEDBACK_MS, INDICATOR_MS } from "./constants";

export type Side = "left" | "right";

/** What the player shows on screen in response to a key, a tap or a swipe. */
export type Feedback =
  | { kind: "seek"; sequence: number; side: Side; seconds: number; at?: Point }
  | { kind: "level"; level: "volume" | "brightness"; value: number }
  | { kind: "note"; sequence: number; note: Note; text: string };

export type Note = "play" | "pause" | "speed" | "link" | "loop" | "captions";

/** The origin of a double tap's ripple, in pixels from the player's top left corner. */
export interface Point {
  x: number;
  y: number;
}

export type FeedbackBoard = ReturnType<typeof createFeedback>;

export function createFeedback() {
  const store = createStore<Feedback | undefined>(undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sequence = 0;

  function show(feedback: Feedback, milliseconds: number) {
    clearTimeout(timer);
    store.set(feedback);
    timer = setTimeout(() => store.set(undefined), milliseconds);
  }

  return {
    store,
    /** Shows a seek. Seeks in the same direction add up while the feedback is on screen. */
    seek(seconds: number, at?: Point) {
      const side: Side = seconds > 0 ? "right" : "left";
      const shown = store.get();
      const before = shown?.kind === "seek" && shown.side === side ? shown.seconds : 0;
      const total = before + Math.abs(seconds);
      show({ kind: "seek", sequence: ++sequence, side, seconds: total, at }, FEEDBACK_MS);
    },
    level(level: "volume" | "brightness", value: number) {
      show({ kind: "level", level, value }, INDICATOR_MS);
    },
    note(note: Note, text: string) {
      show({ kind: "note", sequence: ++sequence, note, text }, FEEDBACK_MS);
    },
    /** Shows a note until the function is called with undefined. */
    hold(text: string | undefined) {
      clearTimeout(timer);
      store.set(text ? { kind: "note", sequence: ++sequence, note: "speed", text } : undefined);
    },
    clear() {
      clearTimeout(timer);
      store.set(undefined);
    },
  };
}
