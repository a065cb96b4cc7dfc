import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { every, processState, stopRuntime } from "~db/runtime.server";
import { DatabaseBusyError } from "~db/write-lock";

beforeEach(() => stopRuntime());
afterEach(async () => {
  await stopRuntime();
  vi.useRealTimers();
});

describe("a piece of process state", () => {
  it("is created once, when it is first used", () => {
    const create = vi.fn(() => ({ count: 0 }));
    const counter = processState("counter", create);
    expect(create).not.toHaveBeenCalled();
    counter().count += 1;
    expect(counter().count).toBe(1);
    expect(create).toHaveBeenCalledTimes(1);
  });

  it("is kept when its module is evaluated again", () => {
    processState("counter", () => ({ count: 0 }))().count = 5;
    expect(processState("counter", () => ({ count: 0 }))().count).toBe(5);
  });

  it("is created again after a failure", () => {
    const create = vi.fn().mockImplementationOnce(() => {
      throw new Error("The file is locked.");
    });
    const file = processState("file", create);
    expect(file).toThrow("The file is locked.");
    create.mockReturnValue("open");
    expect(file()).toBe("open");
  });
});

describe("stopRuntime", () => {
  it("stops pieces of state one by one, in reverse order of creation", async () => {
    const events: string[] = [];
    const database = processState(
      "database",
      () => "database",
      () => events.push("database closed"),
    );
    const thread = processState(
      "thread",
      () => database(),
      async () => {
        await new Promise((resolve) => setImmediate(resolve));
        events.push("thread ended");
      },
    );
    thread();
    await stopRuntime();
    expect(events).toEqual(["thread ended", "database closed"]);
  });

  it("skips state that was never used", async () => {
    const stop = vi.fn();
    processState("thread", () => 1, stop);
    await stopRuntime();
    expect(stop).not.toHaveBeenCalled();
  });

  it("allows stopped state to be created again on its next use", async () => {
    const list = processState("list", () => [] as string[]);
    list().push("a");
    await stopRuntime();
    expect(list()).toEqual([]);
  });

  it("also stops state that is created while another piece is being stopped", async () => {
    const stop = vi.fn();
    const log = processState("log", () => [], stop);
    processState(
      "queue",
      () => 1,
      () => log(),
    )();
    await stopRuntime();
    expect(stop).toHaveBeenCalledTimes(1);
  });

  it("logs a failure and stops the rest", async () => {
    const stop = vi.fn();
    processState("database", () => 1, stop)();
    processState(
      "thread",
      () => 1,
      () => {
        throw new Error("It has crashed.");
      },
    )();
    await stopRuntime();
    expect(stop).toHaveBeenCalledTimes(1);
    expect(console.error).toHaveBeenCalledWith("Could not stop thread:", expect.any(Error));
    vi.mocked(console.error).mockClear();
  });

  it("keeps excluded pieces of state running", async () => {
    const list = processState("list", () => [] as string[]);
    list().push("a");
    await stopRuntime({ except: ["list"] });
    expect(list()).toEqual(["a"]);
  });
});

describe("periodic work", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  it("starts after one interval, or after the given delay", async () => {
    const [usual, now, soon] = [vi.fn(), vi.fn(), vi.fn()];
    every(1_000, "work", usual);
    every(1_000, "work", now, { firstMs: 0 });
    every(1_000, "work", soon, { firstMs: 300 });
    const calls = () => [usual, now, soon].map(({ mock }) => mock.calls.length);
    expect(calls()).toEqual([0, 1, 0]);
    await vi.advanceTimersByTimeAsync(300);
    expect(calls()).toEqual([0, 1, 1]);
    await vi.advanceTimersByTimeAsync(1_700);
    expect(calls()).toEqual([2, 3, 3]);
  });

  it("skips a round if the previous one is still in progress", async () => {
    let end = () => {};
    const work = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
    every(1_000, "work", work);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(work).toHaveBeenCalledTimes(1);
    end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(work).toHaveBeenCalledTimes(2);
    end();
  });

  it("runs on demand, either immediately or after the round in progress", async () => {
    let end = () => {};
    const work = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
    const periodic = every(60_000, "work", work);
    periodic.run();
    expect(work).toHaveBeenCalledTimes(1);
    periodic.run();
    periodic.run();
    expect(work).toHaveBeenCalledTimes(1);
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(work).toHaveBeenCalledTimes(2);
    end();
    await vi.advanceTimersByTimeAsync(0);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("starts a round requested by the work only after the current round has finished", async () => {
    const events: string[] = [];
    const periodic = every(60_000, "work", () => {
      events.push("begin");
      if (events.length === 1) periodic.run();
      events.push("end");
    });
    periodic.run();
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toEqual(["begin", "end", "begin", "end"]);
  });

  it("logs errors with the name of the work, and continues", async () => {
    const work = vi.fn(() => {
      throw new Error("The disk is full.");
    });
    every(1_000, "record the disk's size", work);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(work).toHaveBeenCalledTimes(2);
    const line = ["Could not record the disk's size:", expect.any(Error)];
    expect(vi.mocked(console.error).mock.calls).toEqual([line, line]);
    vi.mocked(console.error).mockClear();
  });

  it("doesn't log an error if another process is writing to the database", async () => {
    const work = vi.fn(async () => {
      throw new DatabaseBusyError(undefined);
    });
    every(1_000, "work", work);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("stops with the runtime, after the current round has finished", async () => {
    const events: string[] = [];
    let end = () => {};
    const periodic = every(1_000, "work", async () => {
      await new Promise<void>((resolve) => (end = resolve));
      events.push("round over");
    });
    periodic.run();
    periodic.run();
    const stopped = stopRuntime().then(() => events.push("stopped"));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(events).toEqual([]);
    end();
    await stopped;
    await vi.advanceTimersByTimeAsync(5_000);
    periodic.run();
    expect(events).toEqual(["round over", "stopped"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("can be stopped on its own, and doesn't keep the process alive", async () => {
    vi.useRealTimers();
    const work = vi.fn();
    const timers = vi.spyOn(globalThis, "setInterval");
    const periodic = every(1, "work", work);
    const [timer] = timers.mock.results;
    expect(timer?.value.hasRef()).toBe(false);
    timers.mockRestore();
    await periodic.stop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(work).not.toHaveBeenCalled();
  });
});
