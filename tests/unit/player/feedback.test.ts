import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FEEDBACK_MS, INDICATOR_MS } from "~/features/player/constants";
import { createFeedback } from "~/features/player/feedback";

describe("on-screen feedback", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("adds up consecutive seeks in the same direction", () => {
    const board = createFeedback();
    board.seek(10);
    board.seek(10);
    board.seek(10);
    expect(board.store.get()).toMatchObject({ kind: "seek", side: "right", seconds: 30 });
    board.seek(-10);
    expect(board.store.get()).toMatchObject({ side: "left", seconds: 10 });
    vi.advanceTimersByTime(FEEDBACK_MS);
    expect(board.store.get()).toBeUndefined();
    board.seek(-10);
    expect(board.store.get()).toMatchObject({ side: "left", seconds: 10 });
  });

  it("shows a level for 1 s after its last change (specification, section 9)", () => {
    const board = createFeedback();
    board.level("volume", 0.4);
    vi.advanceTimersByTime(INDICATOR_MS - 1);
    board.level("volume", 0.5);
    vi.advanceTimersByTime(INDICATOR_MS - 1);
    expect(board.store.get()).toMatchObject({ kind: "level", value: 0.5 });
    vi.advanceTimersByTime(1);
    expect(board.store.get()).toBeUndefined();
  });

  it("leaves no timer running after it is cleared", () => {
    const board = createFeedback();
    board.note("play", "Play");
    board.clear();
    expect(board.store.get()).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });
});
