import { afterEach, beforeEach, expect, type MockInstance, vi } from "vitest";

// jsdom replaces AbortController. jsdom's elements accept only jsdom's signals, but since Node 24, `Request` accepts
// only Node's. The `Request` defined here therefore converts jsdom's signals to Node's.
const { nodeGlobals } = globalThis as { nodeGlobals?: { AbortController: typeof AbortController } };
if (typeof document !== "undefined" && nodeGlobals) {
  const forNode = (signal: AbortSignal) => {
    const controller = new nodeGlobals.AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
    return controller.signal;
  };
  globalThis.Request = class extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(input, init?.signal ? { ...init, signal: forNode(init.signal) } : init);
    }
  };
}

// An unexpected console.error fails the test. A test that expects one checks the calls and then clears them with
// `vi.mocked(console.error).mockClear()`.
let errors: MockInstance<typeof console.error>;

beforeEach(() => {
  errors = vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(() => {
  const calls = errors.mock.calls;
  errors.mockRestore();
  expect(calls, "unexpected console.error").toEqual([]);
});
