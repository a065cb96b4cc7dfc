/**
 * Opens the device's share sheet, or copies the URL to the clipboard (specification, section 2).
 *
 * @returns what happened: `dismissed` if the visitor closed the sheet.
 */
export async function share(
  title: string,
  url: string,
): Promise<"shared" | "copied" | "dismissed" | "failed"> {
  if (!navigator.share) return (await copyText(url)) ? "copied" : "failed";
  try {
    await navigator.share({ title, url });
    return "shared";
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return "dismissed";
    return (await copyText(url)) ? "copied" : "failed";
  }
}

/** Copies text to the clipboard. Returns whether that succeeded. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithSelection(text);
  }
}

/** Copies text by selecting it, for pages without TLS, where the Clipboard API isn't available. */
function copyWithSelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  const before = document.activeElement;
  // Add the text inside the modal or fullscreen element, because text outside it can't be selected.
  const top = document.querySelector("dialog:modal") ?? document.fullscreenElement;
  (top ?? document.body).append(field);
  field.focus({ preventScroll: true });
  field.select();
  const copied = document.execCommand?.("copy") ?? false;
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}
