import { storedValue } from "./browser-storage";

/**
 * The discreet title that replaces all page titles in the tab and in the browser history if the visitor has turned this
 * on.
 */
export const DISCREET_TITLE = "Video site";

/** Whether page titles are hidden; off by default. document-head.tsx also reads this preference. */
export const discreetTitles = storedValue("discreetTitles", (stored) => stored === true);

/** Whether pressing Shift three times exits the page; on by default. */
export const exitByShift = storedValue("exitByShift", (stored) => stored !== false);
