import { afterEach, describe, expect, it } from "vitest";
import { attemptLimit } from "~/platform/attempt-limit.server";
import { stopRuntime } from "~db/runtime.server";

afterEach(() => stopRuntime());

describe("an attempt limit", () => {
  it("allows a fixed number of attempts in a window that starts with the first attempt", () => {
    const limit = attemptLimit("attempts", 2, 60);
    expect([limit.consume("a", 0), limit.consume("a", 30_000)]).toEqual([undefined, undefined]);
    expect(limit.isExhausted("a", 30_000)).toBe(true);
    expect(limit.consume("a", 30_000)).toBe(30);
    expect(limit.consume("a", 59_999)).toBe(1);
    expect(limit.consume("b", 30_000)).toBeUndefined();
    expect(limit.consume("a", 60_000)).toBeUndefined();
    expect(limit.isExhausted("a", 60_000)).toBe(false);
  });

  it("doesn't count refunded attempts", () => {
    const limit = attemptLimit("attempts", 1, 60);
    for (let n = 0; n < 5; n++) {
      expect(limit.consume("a", 0)).toBeUndefined();
      limit.refund("a");
    }
    limit.refund("a");
    expect([limit.consume("a", 0), limit.consume("a", 0)]).toEqual([undefined, 60]);
  });

  it("stores at most ten thousand keys, even if they are long, and evicts the least recently used key", () => {
    const limit = attemptLimit("attempts", 1, 60);
    limit.consume("first", 0);
    for (let n = 0; n < 9_999; n++) limit.consume(`${n}${"x".repeat(1_000)}`, 0);
    expect(limit.isExhausted("first", 0)).toBe(true);
    // Reading "first" made it the most recently used key, so it is evicted only after ten thousand other keys.
    for (let n = 0; n < 10_000; n++) limit.consume(`other ${n}`, 0);
    expect(limit.isExhausted("first", 0)).toBe(false);
  });
});
