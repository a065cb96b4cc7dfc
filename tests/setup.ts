import { afterEach, beforeEach, expect, type MockInstance, vi } from "vitest";

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
