import { storedValue } from "~/ui/stored-value";

/** What stands in the place of every title, for who wants that: in the tab and in the history. */
export const DISCREET_TITLE = "Video site";

/** Off unless the visitor has switched it on. first-paint-script.tsx reads it too. */
export const discreetTitles = storedValue("discreet-titles", (stored) => stored === true);

/** On unless the visitor has switched it off. */
export const exitByShift = storedValue("exit-by-shift", (stored) => stored !== false);
