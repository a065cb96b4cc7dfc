import { AlertTriangle, CheckCircle2, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { ShownToast } from "./toast";
import { useHydrated } from "./use-hydrated";

/** Long enough to read twice; a failure stays longer, because there may be something to do. */
const SUCCESS_TOAST_MS = 5_000;
const ERROR_TOAST_MS = 10_000;

/** The toasts of the page, in a corner where they cover neither the header nor a thumb. */
export function Toaster({
  toasts,
  onDismiss,
}: {
  toasts: ShownToast[];
  onDismiss: (id: number) => void;
}) {
  return (
    <section
      aria-label="Notifications"
      className="pointer-events-none fixed inset-x-0 bottom-0 z-50 flex flex-col items-center gap-2 p-4 pb-[max(1rem,env(safe-area-inset-bottom))] sm:items-end"
    >
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

  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => onDismiss(toast.id), failed ? ERROR_TOAST_MS : SUCCESS_TOAST_MS);
    return () => clearTimeout(timer);
  }, [held, failed, toast.id, onDismiss]);

  const Icon = failed ? AlertTriangle : CheckCircle2;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: being read or focused holds the clock
    <div
      role={failed ? "alert" : "status"}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex w-full max-w-sm animate-rise items-start gap-3 rounded-lg border border-line bg-raised p-4 shadow-lifted"
    >
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-5 shrink-0 ${failed ? "text-bad" : "text-good"}`}
      />
      <div className="min-w-0 flex-1 text-sm">
        <p className="font-semibold">{toast.title}</p>
        {toast.description && <p className="mt-0.5 text-muted">{toast.description}</p>}
      </div>
      {hydrated && (
        <button
          type="button"
          aria-label="Dismiss"
          onClick={() => onDismiss(toast.id)}
          className="-m-2 grid size-9 place-items-center rounded-sm text-muted hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      )}
    </div>
  );
}
