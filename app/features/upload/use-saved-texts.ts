import { type RefObject, useCallback, useEffect } from "react";

/**
 * Saves the text of the named form fields in the tab's session storage as the user types. Restores it when the form is
 * shown again after a reload or a sign-in.
 *
 * @param isEmpty false if the form already contains text. That text is then kept.
 * @returns a function that deletes the saved text once it has been submitted or discarded.
 */
export function useSavedTexts(
  form: RefObject<HTMLFormElement>,
  storageKey: string,
  names: readonly string[],
  isEmpty: boolean,
): () => void {
  useEffect(() => {
    const element = form.current;
    if (!element) return;
    if (isEmpty) restore(element, readSaved(storageKey));
    const save = () => {
      const texts = Object.fromEntries(names.map((name) => [name, control(element, name)?.value]));
      const isTyped = Object.values(texts).some(Boolean);
      if (isTyped) sessionStorage.setItem(storageKey, JSON.stringify(texts));
      else sessionStorage.removeItem(storageKey);
    };
    element.addEventListener("input", save);
    return () => element.removeEventListener("input", save);
  }, [form, storageKey, names, isEmpty]);
  return useCallback(() => sessionStorage.removeItem(storageKey), [storageKey]);
}

function readSaved(storageKey: string): Record<string, unknown> {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

function restore(form: HTMLFormElement, texts: Record<string, unknown>): void {
  for (const [name, text] of Object.entries(texts)) {
    const field = control(form, name);
    // Text that was typed before hydration is newer than the saved text.
    if (field && field.value === "" && typeof text === "string") field.value = text;
  }
}

function control(form: HTMLFormElement, name: string) {
  const found = form.elements.namedItem(name);
  const isText =
    found instanceof HTMLInputElement ||
    found instanceof HTMLTextAreaElement ||
    found instanceof HTMLSelectElement;
  return isText ? found : undefined;
}
