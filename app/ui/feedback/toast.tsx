import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import type { ShownToast, ToastMessage } from "./toast-message";
import { Toaster } from "./toaster";

/** Shows a toast, and returns a function that dismisses it. */
type ShowToast = (toast: ToastMessage) => () => void;

const ToastContext = createContext<ShowToast | undefined>(undefined);

/** The maximum number of toasts. More toasts would cover the page, so the oldest toast is removed first. */
const MAX_TOASTS = 3;

/**
 * Provides the toast from the page's HTML and the toasts created in the browser.
 *
 * `fromServer` is compared by identity: a new object is a new toast, and the same object is never shown twice. A
 * success message dismisses earlier failures.
 */
export function ToastProvider({
  fromServer,
  children,
}: {
  fromServer?: ToastMessage;
  children: ReactNode;
}) {
  const lastId = useRef(fromServer ? 1 : 0);
  const [seen, setSeen] = useState(fromServer);
  const [toasts, setToasts] = useState<ShownToast[]>(fromServer ? [{ ...fromServer, id: 1 }] : []);

  const dismiss = useCallback((id: number) => {
    setToasts((before) => before.filter((toast) => toast.id !== id));
  }, []);
  const show = useCallback(
    (toast: ToastMessage) => {
      lastId.current += 1;
      const shown = { ...toast, id: lastId.current };
      setToasts((before) => [...before, shown].slice(-MAX_TOASTS));
      return () => dismiss(shown.id);
    },
    [dismiss],
  );

  // This runs during rendering, because an effect would run twice in strict mode.
  if (fromServer !== seen) {
    setSeen(fromServer);
    if (fromServer) {
      // Never reuse an id, because the component that showed an earlier toast may still dismiss it by that id.
      lastId.current += 1;
      const id = lastId.current;
      const standing =
        fromServer.kind === "success" ? toasts.filter(({ kind }) => kind !== "error") : toasts;
      setToasts([...standing, { ...fromServer, id }].slice(-MAX_TOASTS));
    }
  }

  return (
    <ToastContext.Provider value={show}>
      {children}
      <Toaster toasts={toasts} onDismiss={dismiss} />
    </ToastContext.Provider>
  );
}

/** Returns the function that shows a toast from the browser. */
export function useToast(): ShowToast {
  const show = useContext(ToastContext);
  if (!show) throw new Error("useToast must be used within a ToastProvider");
  return show;
}
