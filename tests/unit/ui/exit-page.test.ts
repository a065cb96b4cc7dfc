// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listenForShift } from "~/features/site/exit-page";

let said: string[];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  stop = listenForShift({
    press: (left) => said.push(`${left} left`),
    expire: () => said.push("expired"),
    exit: () => said.push("exit"),
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

function up(key: string, held: KeyboardEventInit = {}) {
  document.dispatchEvent(new KeyboardEvent("keyup", { key, bubbles: true, ...held }));
}
const shift = () => up("Shift");
const capital = (letter: string) => {
  up(letter, { shiftKey: true });
  shift();
};

describe("Shift pressed three times", () => {
  it("exits, and says what is left before", () => {
    shift();
    shift();
    expect(said).toEqual(["2 left", "1 left"]);
    shift();
    expect(said).toEqual(["2 left", "1 left", "exit"]);
  });

  it("may take five seconds between two presses, and no more", () => {
    shift();
    vi.advanceTimersByTime(4_900);
    shift();
    vi.advanceTimersByTime(5_000);
    expect(said).toEqual(["2 left", "1 left", "expired"]);
    shift();
    expect(said.at(-1)).toBe("2 left");
  });

  it("begins anew after another key", () => {
    for (const key of ["a", "Enter", "Tab", "Escape"]) {
      shift();
      shift();
      up(key);
    }
    expect(said).not.toContain("exit");
  });

  it("is not what capitals are typed with, whichever key is let go first", () => {
    for (const letter of "ABCDEF") capital(letter);
    expect(said).toEqual([]);
    for (const letter of "GHIJKL") {
      shift();
      up(letter.toLowerCase());
    }
    expect(said).not.toContain("exit");
  });

  it("is no shortcut, no change of the keyboard's layout, no click and no scrolling with it", () => {
    for (let times = 0; times < 4; times += 1) up("Shift", { ctrlKey: true });
    for (let times = 0; times < 4; times += 1) up("Shift", { altKey: true });
    for (const kind of ["pointerdown", "wheel"]) {
      for (let times = 0; times < 4; times += 1) {
        document.dispatchEvent(new MouseEvent(kind, { shiftKey: true }));
        shift();
      }
    }
    expect(said).not.toContain("exit");
  });

  it("is not listened to any more once it is switched off", () => {
    stop();
    for (let times = 0; times < 3; times += 1) shift();
    expect(said).toEqual([]);
  });
});
