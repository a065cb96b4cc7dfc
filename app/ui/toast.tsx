import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { Toaster } from "./toaster";

/** What a toast says. The same shape travels in the server's flash cookie. */
export interface ToastMessage {
  title: string;
  description?: string;
  kind: "success" | "error";
}

export interface ShownToast extends ToastMessage {
  id: number;
}

const ToastContext = createContext<((toast: ToastMessage) => void) | undefined>(undefined);

/** More than this would cover the page; the oldest goes first. */
const MOST_TOASTS = 3;

/**
 * Shows the toast that came with the page, in its HTML, and those that the browser makes.
 *
 * `fromServer` is compared by identity: a new object is a new toast, the same one is never
 * shown twice.
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

  const show = useCallback((toast: ToastMessage) => {
    lastId.current += 1;
    const shown = { ...toast, id: lastId.current };
    setToasts((before) => [...before, shown].slice(-MOST_TOASTS));
  }, []);
  const dismiss = useCallback((id: number) => {
    setToasts((before) => before.filter((toast) => toast.id !== id));
  }, []);

  // While rendering, not in an effect: an effect would run twice in strict mode.
  if (fromServer !== seen) {
    setSeen(fromServer);
    if (fromServer) {
      const id = Math.max(0, ...toasts.map((toast) => toast.id)) + 1;
      lastId.current = Math.max(lastId.current, id);
      setToasts([...toasts, { ...fromServer, id }].slice(-MOST_TOASTS));
    }
  }

  return (
    <ToastContext.Provider value={show}>
      {children}
      <Toaster toasts={toasts} onDismiss={dismiss} />
    </ToastContext.Provider>
  );
}

/** Shows a toast made in the browser. */
export function useToast(): (toast: ToastMessage) => void {
  const show = useContext(ToastContext);
  if (!show) throw new Error("useToast must be used within a ToastProvider");
  return show;
}
