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

describe("a failure that is over", () => {
  const page = (toast?: ToastMessage) => (
    <ToastProvider fromServer={toast}>
      <Maker toast={FAILED} />
    </ToastProvider>
  );

  it("leaves when a page brings a success", () => {
    const { rerender } = render(page());
    fireEvent.click(screen.getByText("make"));
    expect(screen.getAllByRole("alert")).toHaveLength(1);
    rerender(page(SAVED));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getAllByRole("status")).toHaveLength(1);
  });

  it("leaves with the page whose form was refused, and gives way to the next refusal", () => {
    function Refused({ answer }: { answer?: { message: string } }) {
      useFormErrorToast(answer);
      return null;
    }
    const site = (child: ReactNode) => <ToastProvider>{child}</ToastProvider>;
    const { rerender } = render(site(<Refused answer={{ message: "Wrong password" }} />));
    expect(screen.getByRole("alert").textContent).toContain("Wrong password");
    rerender(site(<Refused answer={{ message: "Wrong again" }} />));
    expect(screen.getByRole("alert").textContent).toContain("Wrong again");
    rerender(site("the next page"));
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

it("a success outlives the page whose failure was shown before it", () => {
  function Refused({ answer }: { answer?: { message: string } }) {
    useFormErrorToast(answer);
    return null;
  }
  const answer = { message: "Wrong password" };
  const site = (child: ReactNode, toast?: ToastMessage) => (
    <ToastProvider fromServer={toast}>{child}</ToastProvider>
  );
  const { rerender } = render(site(<Refused answer={answer} />));
  act(() => vi.advanceTimersByTime(60_000));
  expect(screen.queryByRole("alert")).toBeNull();
  rerender(site("the next page", SAVED));
  expect(screen.getAllByRole("status")).toHaveLength(1);
});

describe("a toast with an action", () => {
  it("sends its form, and leaves", async () => {
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
