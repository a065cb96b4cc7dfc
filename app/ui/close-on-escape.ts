import type { KeyboardEvent } from "react";

/** Closes a `<details>` element when Escape is pressed inside it, and returns the focus to its summary. */
export function closeOnEscape({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>): void {
  if (key !== "Escape" || !currentTarget.open) return;
  currentTarget.open = false;
  currentTarget.querySelector("summary")?.focus();
}
