import { describe, expect, it } from "vitest";
import { ProcessGate } from "~/media/probe/process-gate.server";

/** Records the order in which owners get a slot. */
function recorder(gate: ProcessGate) {
  const order: (string | undefined)[] = [];
  const releases: (() => void)[] = [];
  const enter = (owner: string | undefined, signal?: AbortSignal) =>
    gate.enter({ owner, signal }).then((release) => {
      order.push(owner);
      releases.push(release);
    });
  /** Frees the oldest slot, so that the next owner gets one. */
  const next = async () => {
    releases.shift()!();
    await new Promise(setImmediate);
  };
  return { order, releases, enter, next };
}

describe("process slots", () => {
  it("are limited in number, and can't be freed twice", async () => {
    const gate = new ProcessGate(2, 8);
    const { order, releases, enter, next } = recorder(gate);
    for (const owner of ["a", "b", "c", "d"]) void enter(owner);
    await new Promise(setImmediate);
    expect(order).toEqual(["a", "b"]);
    const [first] = releases;
    await next();
    first!();
    await new Promise(setImmediate);
    expect(order).toEqual(["a", "b", "c"]);
    await next();
    expect(order).toEqual(["a", "b", "c", "d"]);
    await next();
    await next();
    await enter("e");
    await enter("f");
    expect(order.slice(4)).toEqual(["e", "f"]);
  });

  it("queue at most eight calls per owner", async () => {
    const gate = new ProcessGate(2, 8);
    const { order, enter, next } = recorder(gate);
    for (let count = 0; count < 10; count++) void enter("a");
    await expect(gate.enter({ owner: "a" })).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining("You already have 8 requests waiting"),
    });
    void enter("b");
    // The limit on waiting requests doesn't apply to uploads, because their bytes have already been received.
    void gate.enter({ owner: "a", ignoresQueueLimit: true });
    await next();
    await next();
    // Slots are assigned to the owners in rotation, no matter how many calls each owner makes.
    expect(order).toEqual(["a", "a", "a", "b"]);
  });

  it("queue an unlimited number of the site's own calls", async () => {
    const { order, enter, next } = recorder(new ProcessGate(2, 8));
    for (let count = 0; count < 30; count++) void enter(undefined);
    await new Promise(setImmediate);
    for (let count = 0; count < 28; count++) await next();
    expect(order).toHaveLength(30);
  });

  it("remove a disconnected client's calls from the queue", async () => {
    const gate = new ProcessGate(1, 2);
    const { order, enter, next } = recorder(gate);
    await enter("a");
    const leaving = new AbortController();
    const left = enter("b", leaving.signal);
    void enter("b");
    await expect(gate.enter({ owner: "b" })).rejects.toMatchObject({ status: 429 });
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    void enter("b");
    await expect(gate.enter({ owner: "c", signal: leaving.signal })).rejects.toThrow("left");
    await next();
    await next();
    expect(order).toEqual(["a", "b", "b"]);
  });
});
