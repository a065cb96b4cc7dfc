import { isBusy } from "~db/write-lock";

/**
 * Awaits a change and returns its result. Use this function in actions of pages that don't show a message if the
 * database is busy.
 *
 * @throws a 503 Response if another process is writing.
 */
export async function unlessBusy<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Response("The site is busy. Try again in a few seconds.", {
      status: 503,
      statusText: "Service Unavailable",
    });
  }
}
