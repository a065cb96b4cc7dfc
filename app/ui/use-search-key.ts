import { useListener } from "./use-listener";

/** The id of the search field on Home. */
export const HOME_SEARCH_ID = "search-videos";
/** The id of the search field in the header of all other pages. */
export const HEADER_SEARCH_ID = "header-search";

/** Focuses the page's search field, opening it first if it is collapsed. */
export function focusSearch(): boolean {
  const field =
    document.getElementById(HOME_SEARCH_ID) ?? document.querySelector(`#${HEADER_SEARCH_ID} input`);
  if (!(field instanceof HTMLInputElement)) return false;
  if (field.getClientRects().length === 0) {
    document.getElementById(HEADER_SEARCH_ID)?.showPopover?.();
  }
  field.focus();
  field.select();
  return document.activeElement === field;
}

const TYPES = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])';
const MODAL = 'dialog[open], [aria-modal="true"]';

/**
 * Focuses the search field when a slash is pressed. Ignores slashes while a dialog is open, in other fields and in
 * browser shortcuts. Shift is allowed, because on many keyboards, the slash is on a digit key.
 */
export function useSearchKey(): void {
  useListener("window", "keydown", (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, defaultPrevented, isComposing, target } = event;
    if (key !== "/" || ctrlKey || metaKey || altKey || defaultPrevented || isComposing) return;
    if (target instanceof Element && target.closest(TYPES)) return;
    if (document.fullscreenElement || document.querySelector(MODAL)) return;
    if (focusSearch()) event.preventDefault();
  });
}
