// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listenForShift } from "~/features/site/exit-page";

let events: string[];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  events = [];
  stop = listenForShift({
    press: (remaining) => events.push(`${remaining} left`),
    expire: () => events.push("expired"),
    exit: () => events.push("exit"),
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

function keyUp(key: string, held: KeyboardEventInit = {}) {
  document.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true, ...held }));
}
const pressShift = () => keyUp("Shift");
const typeCapital = (letter: string) => {
  keyUp(letter, { shiftKey: true });
  pressShift();
};

describe("the exit shortcut (Shift three times)", () => {
  it("reports how many presses are left, and then leaves the page", () => {
    pressShift();
    pressShift();
    expect(events).toEqual(["2 left", "1 left"]);
    pressShift();
    expect(events).toEqual(["2 left", "1 left", "exit"]);
  });

  it("has no effect if five seconds pass between two presses", () => {
    pressShift();
    vi.advanceTimersByTime(4_900);
    pressShift();
    vi.advanceTimersByTime(5_000);
    expect(events).toEqual(["2 left", "1 left", "expired"]);
    pressShift();
    expect(events.at(-1)).toBe("2 left");
  });

  it("starts over if another key is pressed", () => {
    for (const key of ["a", "Enter", "Tab", "Escape"]) {
      pressShift();
      pressShift();
      keyUp(key);
    }
    expect(events).not.toContain("exit");
  });

  it("isn't triggered by typing capital letters, no matter which key is released first", () => {
    for (const letter of "ABCDEF") typeCapital(letter);
    expect(events).toEqual([]);
    for (const letter of "GHIJKL") {
      pressShift();
      keyUp(letter.toLowerCase());
    }
    expect(events).not.toContain("exit");
  });

  it("isn't triggered by keyboard shortcuts, layout switching, clicks or scrolling", () => {
    for (let count = 0; count < 4; count += 1) keyUp("Shift", { ctrlKey: true });
    for (let count = 0; count < 4; count += 1) keyUp("Shift", { altKey: true });
    for (const kind of ["pointerdown", "wheel"]) {
      for (let count = 0; count < 4; count += 1) {
        document.dispatchEvent(new MouseEvent(kind, { shiftKey: true }));
        pressShift();
      }
    }
    expect(events).not.toContain("exit");
  });

  it("does nothing after the listener is removed", () => {
    stop();
    for (let count = 0; count < 3; count += 1) pressShift();
    expect(events).toEqual([]);
  });
});
