import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import type { ShownToast, ToastMessage } from "./toast-message";
import { Toaster } from "./toaster";

/** Shows a toast, and returns a function that dismisses it. */
type ShowToast = (toast: ToastMessage) => () => void;

const ToastContext = createContext<ShowToast | undefined>(undefined);

/** More would cover the page; the oldest is removed first. */
const MAX_TOASTS = 3;

/**
 * Shows the toast in the page's HTML, and those created in the browser.
 *
 * `fromServer` is compared by identity: a new object is a new toast, and the same one is never shown twice. A success
 * dismisses earlier failures.
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

  // During rendering, since an effect would run twice in strict mode.
  if (fromServer !== seen) {
    setSeen(fromServer);
    if (fromServer) {
      // Never reuse an id: the component that showed that toast may still dismiss it.
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
