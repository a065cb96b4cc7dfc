import { processState } from "~db/runtime.server";

interface Running {
  request: string;
  outcome: Promise<unknown>;
}

/** Requests that are using the bytes of a resumable upload, by user and upload. */
const running = processState("uploads in use", () => new Map<string, Running>());

/**
 * Performs a request that uses a resumable upload, one at a time for each upload. A request that is repeated while
 * the first is running, such as after a lost connection, gets the outcome of the first. A different request for the
 * same upload waits.
 *
 * @param request identifies the request: its kind and its fields.
 */
export async function shareOutcome<Outcome>(
  { userId, upload, request }: { userId: string; upload: string; request: string },
  perform: () => Promise<Outcome>,
): Promise<Outcome> {
  // Ids are guessable from the address of a file: only the user's own requests are joined.
  const key = JSON.stringify([userId, upload]);
  for (let other = running().get(key); other; other = running().get(key)) {
    if (other.request === request) return other.outcome as Promise<Outcome>;
    await other.outcome.catch(() => {});
  }
  const outcome = perform().finally(() => running().delete(key));
  running().set(key, { request, outcome });
  return outcome;
}
