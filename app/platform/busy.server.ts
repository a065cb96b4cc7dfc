import { isBusy } from "~db/write-lock";

/**
 * The result of a change, for actions whose page has no sentence of its own for a busy database.
 *
 * @throws a 503 Response while another process is writing.
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
