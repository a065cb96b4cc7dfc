import { beforeEach, describe, expect, it } from "vitest";
import { RenderingBudgets } from "~/platform/node/rendering-budget.server";

const [A, B] = ["192.0.2.1", "2001:db8:1:2"];

let busyMs = 0;
let now = 0;
let budgets: RenderingBudgets;
beforeEach(() => {
  busyMs = 0;
  now = 1_000_000;
  budgets = new RenderingBudgets(
    () => busyMs,
    () => now,
  );
});

/** Advances the clock by `ms`. The event loop is busy for `busy` milliseconds of that time. */
function pass(ms: number, busy = ms) {
  now += ms;
  busyMs += busy;
}

function begin(network?: string): () => void {
  const result = budgets.begin(network);
  if (typeof result === "number") throw new Error(`Rejected for ${result} s.`);
  return result;
}

/** Renders for `ms` milliseconds. If the network's next request is rejected, returns how many seconds it must wait. */
function render(network: string, ms: number): number | undefined {
  const end = begin(network);
  pass(ms);
  end();
  return waitOf(network);
}

function waitOf(network: string): number | undefined {
  const result = budgets.begin(network);
  if (typeof result === "number") return result;
  result();
  return undefined;
}

describe("a network's rendering budget", () => {
  it("is used up after three seconds of rendering and refills at 300 ms per second", () => {
    expect(render(A, 2_000)).toBeUndefined();
    expect(render(A, 2_000)).toBe(2);
    pass(2_000, 0);
    expect(waitOf(A)).toBeUndefined();
    // From now on, the network can use only the part of its budget that is restored every second.
    let renderedMs = 0;
    for (const until = now + 60_000; now < until; ) {
      if (waitOf(A) === undefined) {
        render(A, 10);
        renderedMs += 10;
      } else pass(10, 0);
    }
    expect(renderedMs).toBeGreaterThan(16_000);
    expect(renderedMs).toBeLessThan(19_000);
  });

  it("makes a network wait at most ten seconds", () => {
    expect(render(A, 60_000)).toBe(10);
    pass(10_100, 0);
    expect(waitOf(A)).toBeUndefined();
  });

  it("is independent of other networks' budgets", () => {
    render(A, 10_000);
    expect(waitOf(A)).toBeGreaterThan(0);
    expect(waitOf(B)).toBeUndefined();
  });

  it("isn't spent while a request waits and the event loop is idle", () => {
    const end = begin(A);
    pass(60_000, 0);
    end();
    expect(render(A, 2_500)).toBeUndefined();
  });

  it("is charged an equal share of the rendering time, however many open requests each network has", () => {
    const idle = Array.from({ length: 100 }, () => begin(A));
    const other = begin(B);
    pass(4_000);
    expect(waitOf(A)).toBeGreaterThan(0);
    for (const end of idle) end();
    // Each network has been charged 2 s.
    other();
    expect(render(B, 900)).toBeUndefined();
    expect(render(B, 900)).toBeGreaterThan(0);
  });

  it("limits how many requests can start before any time is charged", () => {
    let count = 0;
    while (count < 1_000 && typeof budgets.begin(A) !== "number") count += 1;
    expect(count).toBe(150);
  });

  it("doesn't limit requests without a network, and isn't charged for them", () => {
    const exempt = Array.from({ length: 500 }, () => begin());
    const end = begin(A);
    pass(5_000);
    end();
    expect(waitOf(A)).toBeUndefined();
    for (const each of exempt) each();
  });
});
