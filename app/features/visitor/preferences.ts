import { storedValue } from "./browser-storage";

/** What stands in the place of every title, for who wants that: in the tab and in the history. */
export const DISCREET_TITLE = "Video site";

/** Off unless the visitor has switched it on. document-head.tsx reads it too. */
export const discreetTitles = storedValue("discreetTitles", (stored) => stored === true);

/** On unless the visitor has switched it off. */
export const exitByShift = storedValue("exitByShift", (stored) => stored !== false);
