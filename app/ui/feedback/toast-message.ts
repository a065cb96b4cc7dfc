/** The content of a toast. The server's flash cookie has the same shape. */
export interface ToastMessage {
  title: string;
  description?: string;
  /** What to do next. */
  detail?: string;
  kind: "success" | "error";
  /** A form in the toast, for example to undo something. It works without JavaScript. */
  action?: { label: string; to: string; fields: Record<string, string> };
}

export function success(
  title: string,
  description?: string,
  action?: ToastMessage["action"],
): ToastMessage {
  return { title, description, kind: "success", action };
}

export interface ShownToast extends ToastMessage {
  id: number;
}
