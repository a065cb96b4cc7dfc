import { storedValue } from "~/features/visitor/browser-storage";

/** Whether films are made equally loud: as chosen in this browser. */
export const evenLoudness = storedValue("evenLoudness", (stored) => stored !== false);
