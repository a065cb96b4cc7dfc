import { describe, expect, it } from "vitest";
import { attemptLimit } from "~/server/attempt-limit.server";

describe("a limit of attempts", () => {
  it("lets so many pass in a window that begins with the first", () => {
    const limit = attemptLimit(2, 60);
    expect([limit.take("a", 0), limit.take("a", 30_000)]).toEqual([undefined, undefined]);
    expect(limit.isUsedUp("a", 30_000)).toBe(true);
    expect(limit.take("a", 30_000)).toBe(30);
    expect(limit.take("a", 59_999)).toBe(1);
    expect(limit.take("b", 30_000)).toBeUndefined();
    expect(limit.take("a", 60_000)).toBeUndefined();
    expect(limit.isUsedUp("a", 60_000)).toBe(false);
  });

  it("does not count what turned out well", () => {
    const limit = attemptLimit(1, 60);
    for (let n = 0; n < 5; n++) {
      expect(limit.take("a", 0)).toBeUndefined();
      limit.giveBack("a");
    }
    limit.giveBack("a");
    expect([limit.take("a", 0), limit.take("a", 0)]).toEqual([undefined, 60]);
  });

  it("remembers no more than ten thousand keys, however many come and however long they are", () => {
    const limit = attemptLimit(1, 60);
    limit.take("first", 0);
    for (let n = 0; n < 9_999; n++) limit.take(`${n}${"x".repeat(1_000)}`, 0);
    expect(limit.isUsedUp("first", 0)).toBe(true);
    // Asking made it the youngest; ten thousand others push it out.
    for (let n = 0; n < 10_000; n++) limit.take(`other ${n}`, 0);
    expect(limit.isUsedUp("first", 0)).toBe(false);
  });
});
