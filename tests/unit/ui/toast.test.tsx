// @vitest-environment jsdom
import { act, fireEvent, render, screen } from "@testing-library/react";
import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ToastMessage, ToastProvider, useToast } from "~/ui/toast";
import "./page";

const SAVED: ToastMessage = {
  kind: "success",
  title: "Video Updated",
  description: "It is saved.",
};
const FAILED: ToastMessage = { kind: "error", title: "Error", description: "It is not saved." };

function Maker({ toast }: { toast: ToastMessage }) {
  const show = useToast();
  return (
    <button type="button" onClick={() => show(toast)}>
      make
    </button>
  );
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a toast from the server", () => {
  it("is in the page's own HTML, without a button that would need scripts", () => {
    const html = renderToString(<ToastProvider fromServer={SAVED}>page</ToastProvider>);
    expect(html).toContain('role="status"');
    expect(html).toContain("Video Updated");
    expect(html).not.toContain("Dismiss");
  });

  it("is shown once in strict mode, and not again by the same answer", () => {
    const page = (toast?: ToastMessage) => (
      <StrictMode>
        <ToastProvider fromServer={toast}>page</ToastProvider>
      </StrictMode>
    );
    const { rerender } = render(page(SAVED));
    expect(screen.getAllByRole("status")).toHaveLength(1);
    rerender(page(SAVED));
    expect(screen.getAllByRole("status")).toHaveLength(1);
    // The next answer has none; the one that is shown stays until its time is over.
    rerender(page(undefined));
    expect(screen.getAllByRole("status")).toHaveLength(1);
    rerender(page({ ...SAVED }));
    expect(screen.getAllByRole("status")).toHaveLength(2);
  });
});

describe("a toast of the browser", () => {
  it("interrupts a screen reader when something failed", () => {
    render(
      <ToastProvider>
        <Maker toast={FAILED} />
      </ToastProvider>,
    );
    fireEvent.click(screen.getByText("make"));
    expect(screen.getByRole("alert").textContent).toContain("It is not saved.");
  });

  it("leaves by itself, but not while someone reads it", () => {
    render(
      <ToastProvider>
        <Maker toast={SAVED} />
      </ToastProvider>,
    );
    fireEvent.click(screen.getByText("make"));
    fireEvent(screen.getByRole("status"), new MouseEvent("pointerover", { bubbles: true }));
    act(() => vi.advanceTimersByTime(60_000));
    expect(screen.queryByRole("status")).not.toBeNull();
    fireEvent(screen.getByRole("status"), new MouseEvent("pointerout", { bubbles: true }));
    act(() => vi.advanceTimersByTime(5_000));
    expect(screen.queryByRole("status")).toBeNull();
  });

  it("can be dismissed", () => {
    render(
      <ToastProvider>
        <Maker toast={SAVED} />
      </ToastProvider>,
    );
    fireEvent.click(screen.getByText("make"));
    fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("status")).toBeNull();
  });

  it("is at most one of three", () => {
    render(
      <ToastProvider>
        <Maker toast={SAVED} />
      </ToastProvider>,
    );
    for (let count = 0; count < 5; count += 1) fireEvent.click(screen.getByText("make"));
    expect(screen.getAllByRole("status")).toHaveLength(3);
  });
});

it("asks for a provider by name", () => {
  expect(() => renderToString(<Maker toast={SAVED} />)).toThrow(
    "useToast must be used within a ToastProvider",
  );
});
