/**
 * Goes on in a task of its own. What follows a promise runs before the page may answer anybody, and on a
 * slow phone several steps of a tenth of a second each add up to a tap that seems lost.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
