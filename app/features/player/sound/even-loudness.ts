import { storedValue } from "~/ui/stored-value";

/** Whether films are made equally loud: as chosen in this browser. */
export const evenLoudness = storedValue("player:even-loudness", (stored) => stored !== false);
