import { useListener } from "./use-listener";

/** Of the search box that Home has itself. */
export const HOME_SEARCH_ID = "search-videos";
/** Of the search form in the header of every other page. */
export const HEADER_SEARCH_ID = "header-search";

/** Puts the cursor into the search field of the page, and opens it first where it is closed. */
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
 * A slash leads to the search field, unless it is typed into another, is part of a shortcut of the
 * browser, or something lies over the page. Shift is none: many keyboards have the slash above a digit.
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
