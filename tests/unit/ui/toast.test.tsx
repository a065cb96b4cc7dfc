// @vitest-environment jsdom
import { act, fireEvent, render, screen } from "@testing-library/react";
import { type ReactNode, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ToastProvider, useToast } from "~/ui/feedback/toast";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { useFormErrorToast } from "~/ui/feedback/use-error-toast";
import { renderRoutes } from "./page";

const SAVED: ToastMessage = {
  kind: "success",
  title: "Video Updated",
  description: "It is saved.",
};
const FAILED: ToastMessage = { kind: "error", title: "Error", description: "It is not saved." };

function ToastButton({ toast }: { toast: ToastMessage }) {
  const show = useToast();
  return (
    <button type="button" onClick={() => show(toast)}>
      Show toast
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
  it("is part of the HTML, without a button that would require JavaScript", () => {
    const html = renderToString(<ToastProvider fromServer={SAVED}>page</ToastProvider>);
    expect(html).toContain('role="status"');
    expect(html).toContain("Video Updated");
    expect(html).not.toContain("Dismiss");
  });

  it("is shown once in strict mode, and not again for the same response", () => {
    const page = (toast?: ToastMessage) => (
      <StrictMode>
        <ToastProvider fromServer={toast}>page</ToastProvider>
      </StrictMode>
    );
    const { rerender } = render(page(SAVED));
    expect(screen.getAllByRole("status")).toHaveLength(1);
    rerender(page(SAVED));
    expect(screen.getAllByRole("status")).toHaveLength(1);
    // The next response has no toast. The visible one stays until it expires.
    rerender(page(undefined));
    expect(screen.getAllByRole("status")).toHaveLength(1);
    rerender(page({ ...SAVED }));
    expect(screen.getAllByRole("status")).toHaveLength(2);
  });
});

describe("an error toast", () => {
  const page = (toast?: ToastMessage) => (
    <ToastProvider fromServer={toast}>
      <ToastButton toast={FAILED} />
    </ToastProvider>
  );

  it("disappears when a page shows a success toast", () => {
    const { rerender } = render(page());
    fireEvent.click(screen.getByText("Show toast"));
    expect(screen.getAllByRole("alert")).toHaveLength(1);
    rerender(page(SAVED));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getAllByRole("status")).toHaveLength(1);
  });

  it("disappears when its page is left, and is replaced by the form's next error", () => {
    function RejectedForm({ response }: { response?: { message: string } }) {
      useFormErrorToast(response);
      return null;
    }
    const site = (child: ReactNode) => <ToastProvider>{child}</ToastProvider>;
    const { rerender } = render(site(<RejectedForm response={{ message: "Wrong password" }} />));
    expect(screen.getByRole("alert").textContent).toContain("Wrong password");
    rerender(site(<RejectedForm response={{ message: "Wrong again" }} />));
    expect(screen.getByRole("alert").textContent).toContain("Wrong again");
    rerender(site("the next page"));
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

it("keeps a success toast when the page with the previous error unmounts", () => {
  function RejectedForm({ response }: { response?: { message: string } }) {
    useFormErrorToast(response);
    return null;
  }
  const response = { message: "Wrong password" };
  const site = (child: ReactNode, toast?: ToastMessage) => (
    <ToastProvider fromServer={toast}>{child}</ToastProvider>
  );
  const { rerender } = render(site(<RejectedForm response={response} />));
  act(() => vi.advanceTimersByTime(60_000));
  expect(screen.queryByRole("alert")).toBeNull();
  rerender(site("the next page", SAVED));
  expect(screen.getAllByRole("status")).toHaveLength(1);
});

describe("a toast with an action", () => {
  it("submits its form", async () => {
    vi.useRealTimers();
    const undo: ToastMessage = {
      ...SAVED,
      action: { label: "Undo", to: "/undo?tab=manage", fields: { intent: "restore", batch: "7" } },
    };
    let sent: string | undefined;
    renderRoutes([
      { path: "/", Component: () => <ToastProvider fromServer={undo}>page</ToastProvider> },
      {
        path: "/undo",
        action: async ({ request }) => {
          sent = await request.text();
          return null;
        },
        Component: () => <p>undone</p>,
      },
    ]);
    fireEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByText("undone");
    expect(sent).toBe("intent=restore&batch=7");
  });
});

describe("a toast from the browser", () => {
  it("has the alert role if it is an error, so that it interrupts a screen reader", () => {
    render(
      <ToastProvider>
        <ToastButton toast={FAILED} />
      </ToastProvider>,
    );
    fireEvent.click(screen.getByText("Show toast"));
    expect(screen.getByRole("alert").textContent).toContain("It is not saved.");
  });

  it("disappears automatically, but not while the pointer is over it", () => {
    render(
      <ToastProvider>
        <ToastButton toast={SAVED} />
      </ToastProvider>,
    );
    fireEvent.click(screen.getByText("Show toast"));
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
        <ToastButton toast={SAVED} />
      </ToastProvider>,
    );
    fireEvent.click(screen.getByText("Show toast"));
    fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("status")).toBeNull();
  });

  it("is visible with at most two other toasts", () => {
    render(
      <ToastProvider>
        <ToastButton toast={SAVED} />
      </ToastProvider>,
    );
    for (let count = 0; count < 5; count += 1) fireEvent.click(screen.getByText("Show toast"));
    expect(screen.getAllByRole("status")).toHaveLength(3);
  });
});

it("throws an error that names the missing provider", () => {
  expect(() => renderToString(<ToastButton toast={SAVED} />)).toThrow(
    "useToast must be used within a ToastProvider",
  );
});
