const PREFIX = "player:";

/** What the browser keeps for the visitor; undefined when it keeps nothing, or refuses to (private mode). */
export function readStored(name: string): unknown {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps a value in this browser. A browser that refuses is no reason to stop playing. */
export function writeStored(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden; the value lasts as long as the page.
  }
}
