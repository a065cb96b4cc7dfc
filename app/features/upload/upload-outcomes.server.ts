import { database } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { processState } from "~db/runtime.server";
import type { UploadSuccess } from "./upload-fields";

/**
 * The outcomes of published uploads. If the connection was lost, the browser repeats the publish request, possibly days
 * later or after a restart of the site. If the upload has already been published, the response contains the stored
 * outcome.
 */

const KEPT_MS = 7 * 86_400_000;

/** Records the outcome of an upload, in the transaction that inserts its video. */
export function recordPublished(userId: string, upload: string, outcome: UploadSuccess): void {
  const row = {
    upload,
    user_id: userId,
    outcome: JSON.stringify(outcome),
    published_at: new Date().toISOString(),
  };
  runChange(database().insertInto("published_uploads").values(row));
}

/** Returns the outcome of a user's upload, or undefined if the upload wasn't published or belongs to another user. */
export function findOutcome(userId: string, upload: string): UploadSuccess | undefined {
  const row = firstRow(
    database()
      .selectFrom("published_uploads")
      .select("outcome")
      .where("upload", "=", upload)
      .where("user_id", "=", userId),
  );
  return row && (JSON.parse(row.outcome) as UploadSuccess);
}

/** Deletes outcomes more than a week old. */
export async function deleteOldPublishedUploads(now = Date.now()): Promise<void> {
  await database()
    .deleteFrom("published_uploads")
    .where("published_at", "<=", new Date(now - KEPT_MS).toISOString())
    .execute();
}

/** The requests that are currently using a resumable upload's file, by user and upload. */
const running = processState(
  "uploads in use",
  () => new Map<string, { request: string; outcome: Promise<unknown> }>(),
);

/**
 * Performs a request that uses a resumable upload. Only one request runs at a time for each upload. If a request is
 * repeated while the first one is still running, for example after a lost connection, both have the same outcome.
 *
 * @param request identifies the request by its kind and fields.
 */
export async function shareOutcome<Outcome>(
  { userId, upload, request }: { userId: string; upload: string; request: string },
  perform: () => Promise<Outcome>,
): Promise<Outcome> {
  // Upload ids can be guessed from file URLs, so only requests from the same user share an outcome.
  const key = JSON.stringify([userId, upload]);
  for (let other = running().get(key); other; other = running().get(key)) {
    if (other.request === request) return other.outcome as Promise<Outcome>;
    await other.outcome.catch(() => {});
  }
  const outcome = perform().finally(() => running().delete(key));
  running().set(key, { request, outcome });
  return outcome;
}
