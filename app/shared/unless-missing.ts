/** Handles a rejected promise (`.catch`): returns undefined if the file doesn't exist, and rethrows any other error. */
export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
