import { afterEach, beforeEach, expect, type MockInstance, vi } from "vitest";

// jsdom brings signals of its own. Its elements take no others, and from version 24 on the requests
// of Node take none but Node's: so a request here hears of the one by the other.
const { nodesOwn } = globalThis as { nodesOwn?: { AbortController: typeof AbortController } };
if (typeof document !== "undefined" && nodesOwn) {
  const forNode = (signal: AbortSignal) => {
    const controller = new nodesOwn.AbortController();
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

// An error that nobody expected fails the test in which it was printed. A test that expects one
// says so with `vi.mocked(console.error).mockClear()` after it has looked at the calls.
let errors: MockInstance<typeof console.error>;

beforeEach(() => {
  errors = vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(() => {
  const calls = errors.mock.calls;
  errors.mockRestore();
  expect(calls, "unexpected console.error").toEqual([]);
});
