import { Form } from "@remix-run/react";
import { CircleCheck, TriangleAlert, WifiOff, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../button";
import { listenToEvents } from "../live/event-client";
import {
  type RequestFailure,
  retryFailedRequests,
  useRequestFailure,
} from "../live/failed-requests";
import { useHydrated } from "../use-hydrated";
import { RetryButton, useListFailure } from "./list-error";
import type { ShownToast } from "./toast-message";

/** How long a toast is shown. It is long enough to read the toast twice. Toasts with an action stay longer. */
const SUCCESS_TOAST_MS = 5_000;
const ERROR_TOAST_MS = 10_000;
const ACTION_TOAST_MS = 10_000;

/**
 * The page's toasts, in a corner where they cover neither the header nor the area within a thumb's reach. With
 * JavaScript, they are in a popover, which the browser shows above a modal dialog. Without JavaScript, they are in a
 * fixed element.
 */
export function Toaster({
  toasts,
  onDismiss,
}: {
  toasts: ShownToast[];
  onDismiss: (id: number) => void;
}) {
  const section = useRef<HTMLElement>(null);
  const hasFailure = useRequestFailure() !== undefined;
  useEffect(() => {
    const element = section.current;
    if (!element?.showPopover) return;
    element.popover = "manual";
    // The popover is reopened for each toast, because otherwise a dialog that was opened in the meantime would cover
    // it.
    if (element.matches(":popover-open")) element.hidePopover();
    if (toasts.length > 0 || hasFailure) element.showPopover();
  }, [toasts, hasFailure]);

  return (
    <section
      ref={section}
      aria-label="Notifications"
      className="pointer-events-none fixed inset-x-0 top-auto bottom-0 z-50 flex h-auto w-full flex-col items-center gap-2 overflow-visible bg-transparent p-4 text-ink pb-[max(1rem,env(safe-area-inset-bottom))] sm:items-end"
    >
      <RequestNotice />
      {toasts.map((toast) => (
        <Toast key={toast.id} toast={toast} onDismiss={onDismiss} />
      ))}
    </section>
  );
}

function Toast({ toast, onDismiss }: { toast: ShownToast; onDismiss: (id: number) => void }) {
  const hydrated = useHydrated();
  const [held, setHeld] = useState(false);
  const failed = toast.kind === "error";
  const shownMs = failed ? ERROR_TOAST_MS : toast.action ? ACTION_TOAST_MS : SUCCESS_TOAST_MS;

  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => onDismiss(toast.id), shownMs);
    return () => clearTimeout(timer);
  }, [held, shownMs, toast.id, onDismiss]);

  const Icon = failed ? TriangleAlert : CircleCheck;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hover and focus pause the timer
    <div
      role={failed ? "alert" : "status"}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex w-full max-w-sm animate-rise items-start gap-[min(0.75rem,3.4vw)] rounded-lg border border-line bg-raised p-[min(1rem,4.5vw)] lifted"
    >
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-5 shrink-0 ${failed ? "text-bad" : "text-good"}`}
      />
      <div className="min-w-0 flex-1 text-sm">
        <p dir="auto" className="font-semibold">
          {toast.title}
        </p>
        {toast.description && (
          <p dir="auto" className="mt-0.5 text-muted">
            {toast.description}
          </p>
        )}
        {toast.detail && (
          <p dir="auto" className="mt-0.5 text-muted">
            {toast.detail}
          </p>
        )}
      </div>
      {toast.action && (
        <Form
          method="post"
          action={toast.action.to}
          preventScrollReset
          onSubmit={() => onDismiss(toast.id)}
          className="-my-1"
        >
          {Object.entries(toast.action.fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <Button variant="secondary" size="sm">
            {toast.action.label}
          </Button>
        </Form>
      )}
      {hydrated && (
        <button
          type="button"
          aria-label="Dismiss"
          onClick={() => onDismiss(toast.id)}
          className="-m-3 grid size-11 place-items-center rounded-sm text-muted hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      )}
    </div>
  );
}

/**
 * Shows that the next page or a refresh couldn't be loaded, unless the list on the page already shows the failure. The
 * request is retried when the button is pressed, when the browser is back online, and when the site can be reached
 * again.
 */
function RequestNotice() {
  const failure = useRequestFailure();
  return failure && <Notice failure={failure} />;
}

function Notice({ failure }: { failure: RequestFailure }) {
  const isShownByList = useListFailure() !== undefined;
  useEffect(() => listenToEvents("/events", () => {}, retryFailedRequests), []);
  if (isShownByList) return null;
  return (
    <div
      role="alert"
      className="pointer-events-auto flex w-full max-w-sm animate-rise flex-wrap items-center gap-3 rounded-lg border border-line-strong bg-raised p-4 lifted"
    >
      <WifiOff aria-hidden="true" className="size-5 shrink-0 text-bad" />
      <p className="min-w-0 flex-1 basis-40 text-sm font-semibold">
        Error loading {failure.target === "videos" ? "videos" : "the page"}: {failure.message}
      </p>
      <RetryButton failure={failure} size="sm" />
    </div>
  );
}
