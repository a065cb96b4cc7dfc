// @vitest-environment jsdom
import { createRemixStub } from "@remix-run/testing";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SPREAD_MS, useLiveRefresh } from "~/ui/live/use-live-refresh";

class FakeSource extends EventTarget {
  static last: FakeSource | undefined;
  constructor(readonly url: string) {
    super();
    FakeSource.last = this;
  }
  close() {}
  send(topic: string, catalogue: number, studio?: string) {
    const data = JSON.stringify({ catalogue, views: 0, studio });
    this.dispatchEvent(new MessageEvent(topic, { data }));
  }
}

const source = () => FakeSource.last!;

let version: number;
let loads: number;
let respond: () => Promise<void>;

function Page() {
  useLiveRefresh();
  return <input aria-label="Search" />;
}

beforeEach(async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  vi.stubGlobal("EventSource", FakeSource);
  FakeSource.last = undefined;
  version = 1;
  loads = 0;
  respond = async () => {};
  const Stub = createRemixStub([
    {
      id: "root",
      path: "/",
      Component: Page,
      loader: async () => {
        loads += 1;
        const catalogueVersion = version;
        await respond();
        return { catalogueVersion, studioVersion: "4.1" };
      },
    },
  ]);
  render(<Stub />);
  await screen.findByLabelText("Search");
  await vi.waitFor(() => expect(FakeSource.last).toBeDefined());
  expect(loads).toBe(1);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms = SPREAD_MS + 50) => vi.advanceTimersByTimeAsync(ms);

describe("a list with live refresh", () => {
  it("refetches once after several changes, and keeps typed text", async () => {
    const input = screen.getByLabelText<HTMLInputElement>("Search");
    input.value = "half a wo";
    for (version = 2; version < 5; version++) source().send("catalogue", version);
    await pass();
    await vi.waitFor(() => expect(loads).toBe(2));
    expect(screen.getByLabelText<HTMLInputElement>("Search").value).toBe("half a wo");
  });

  it("doesn't refetch the version that it already shows", async () => {
    source().send("hello", 1);
    source().send("catalogue", 1);
    await pass(5_000);
    expect(loads).toBe(1);
  });

  it("refetches on connecting if it has missed a change", async () => {
    version = 7;
    source().send("hello", 7);
    await pass();
    await vi.waitFor(() => expect(loads).toBe(2));
  });

  it("refetches on connecting only if the studio's version has changed", async () => {
    source().send("hello", 1, "4.1");
    await pass(5_000);
    expect(loads).toBe(1);
    source().send("hello", 1, "4.2");
    await pass();
    await vi.waitFor(() => expect(loads).toBe(2));
  });

  it("refetches when view counts change", async () => {
    source().send("views", 1);
    await pass();
    await vi.waitFor(() => expect(loads).toBe(2));
  });

  it("waits for a request in progress before refetching", async () => {
    let arrive = () => {};
    respond = () => new Promise((resolve) => (arrive = resolve));
    version = 2;
    source().send("catalogue", 2);
    await pass();
    await vi.waitFor(() => expect(loads).toBe(2));
    version = 3;
    source().send("catalogue", 3);
    await pass(2_000);
    expect(loads).toBe(2);
    respond = async () => {};
    arrive();
    await vi.waitFor(() => expect(loads).toBe(3));
  });
});
