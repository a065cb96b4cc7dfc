/** What a toast says. The same shape travels in the server's flash cookie. */
export interface ToastMessage {
  title: string;
  description?: string;
  /** What to do next, where the sentence leaves it open. */
  detail?: string;
  kind: "success" | "error";
  /** A form in the toast, such as the one that undoes what was done; works without scripts. */
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
