// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  HEARTBEAT_MS,
  HEARTBEAT_TIMEOUT_MS,
  type LiveEvent,
  listenToEvents,
} from "~/ui/live/event-client";

/** A fake EventSource controlled by the tests. */
class FakeSource extends EventTarget {
  static all: FakeSource[] = [];
  static open = () => FakeSource.all.filter(({ closed }) => !closed);
  closed = false;
  constructor(readonly url: string) {
    super();
    FakeSource.all.push(this);
  }
  close() {
    this.closed = true;
  }
  send(topic: string, catalogue: number) {
    const data = JSON.stringify({ catalogue, views: 0 });
    this.dispatchEvent(new MessageEvent(topic, { data }));
  }
  fail() {
    this.dispatchEvent(new Event("error"));
  }
}

let received: LiveEvent[];
let stop: () => void;

function show(state: DocumentVisibilityState) {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(state);
  document.dispatchEvent(new Event("visibilitychange"));
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeSource);
  FakeSource.all = [];
  received = [];
  show("visible");
  stop = listenToEvents("/events", (event) => received.push(event));
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("the event client", () => {
  it("passes the topic and version of each event to its listener", () => {
    FakeSource.all[0]!.send("hello", 3);
    FakeSource.all[0]!.send("catalogue", 4);
    expect(received).toEqual([
      { topic: "hello", version: 3 },
      { topic: "catalogue", version: 4 },
    ]);
  });

  it("reconnects after 1, 2 and 5 s, and then every 10 s", () => {
    for (const wait of [1_000, 2_000, 5_000, 10_000, 10_000]) {
      const count = FakeSource.all.length;
      FakeSource.all.at(-1)!.fail();
      expect(FakeSource.open()).toEqual([]);
      vi.advanceTimersByTime(wait - 1);
      expect(FakeSource.all).toHaveLength(count);
      vi.advanceTimersByTime(1);
      expect(FakeSource.all).toHaveLength(count + 1);
    }
  });

  it("restarts the back-off at 1 s after a successful connection", () => {
    FakeSource.all[0]!.fail();
    vi.advanceTimersByTime(1_000);
    FakeSource.all[1]!.fail();
    vi.advanceTimersByTime(2_000);
    FakeSource.all[2]!.send("hello", 1);
    FakeSource.all[2]!.fail();
    vi.advanceTimersByTime(1_000);
    expect(FakeSource.all).toHaveLength(4);
  });

  it("closes a connection whose heartbeat is 10 s overdue, and reconnects", () => {
    expect([HEARTBEAT_MS, HEARTBEAT_TIMEOUT_MS]).toEqual([30_000, 10_000]);
    FakeSource.all[0]!.send("hello", 1);
    vi.advanceTimersByTime(30_000);
    FakeSource.all[0]!.dispatchEvent(new MessageEvent("heartbeat", { data: "{}" }));
    vi.advanceTimersByTime(39_999);
    expect(FakeSource.open()).toEqual([FakeSource.all[0]]);
    vi.advanceTimersByTime(1);
    expect(FakeSource.open()).toEqual([]);
    for (const wait of [1_000, 2_000, 5_000, 10_000]) {
      const count = FakeSource.all.length;
      vi.advanceTimersByTime(wait);
      expect(FakeSource.all).toHaveLength(count + 1);
      // The new connection also times out.
      vi.advanceTimersByTime(40_000);
      expect(FakeSource.open()).toEqual([]);
    }
  });

  it("reports reconnections, but not the first connection", () => {
    let reconnects = 0;
    const end = listenToEvents(
      "/events",
      () => {},
      () => {
        reconnects += 1;
      },
    );
    FakeSource.all.at(-1)!.send("hello", 1);
    expect(reconnects).toBe(0);
    FakeSource.all.at(-1)!.fail();
    vi.advanceTimersByTime(1_000);
    expect(reconnects).toBe(0);
    FakeSource.all.at(-1)!.send("hello", 1);
    FakeSource.all.at(-1)!.send("catalogue", 2);
    expect(reconnects).toBe(1);
    end();
  });

  it("closes the connection while the page is hidden, and reopens it when the page is shown again", () => {
    show("hidden");
    expect(FakeSource.open()).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(FakeSource.all).toHaveLength(1);
    show("visible");
    expect(FakeSource.open()).toHaveLength(1);
  });

  it("doesn't reconnect while the page is hidden or after the client has been closed", () => {
    FakeSource.all[0]!.fail();
    show("hidden");
    vi.advanceTimersByTime(60_000);
    expect(FakeSource.all).toHaveLength(1);
    show("visible");
    FakeSource.all[1]!.fail();
    stop();
    vi.advanceTimersByTime(60_000);
    show("visible");
    expect(FakeSource.all).toHaveLength(2);
    expect(FakeSource.open()).toEqual([]);
  });
});
