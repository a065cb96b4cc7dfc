import { createHash } from "node:crypto";
import { Problem } from "~/platform/problem";
import { database } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import type { Answer } from "./operation";

/**
 * Answers to requests with an `Idempotency-Key`. The answer is recorded in the transaction that performs the request,
 * so a client that sends a request again within a day, because the answer was lost, gets the same answer, and nothing
 * happens twice. A request that failed has changed nothing and is performed again.
 */

const KEPT_MS = 86_400_000;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** The key of a request. */
export interface RequestKey {
  tokenId: number;
  key: string;
  /** SHA-256 of method, path and body. */
  request: string;
}

/**
 * Returns the key of a request; undefined without one.
 *
 * @param text the body of the request.
 * @throws {Problem} 400 for a header that is no key.
 */
export function readKey(request: Request, tokenId: number, text: string): RequestKey | undefined {
  const key = request.headers.get("Idempotency-Key");
  if (key === null) return undefined;
  if (!KEY.test(key)) {
    throw new Problem(400, "An Idempotency-Key has 1 to 200 visible ASCII characters.");
  }
  const { pathname } = new URL(request.url);
  const digest = createHash("sha256").update(`${request.method} ${pathname}\n${text}`);
  return { tokenId, key, request: digest.digest("hex") };
}

/**
 * Returns the recorded answer to a request; undefined if it hasn't been performed.
 *
 * @throws {Problem} 422 if the key belongs to another request.
 */
export function recordedAnswer(
  { tokenId, key, request }: RequestKey,
  now = Date.now(),
): Answer | undefined {
  const row = firstRow(
    database()
      .selectFrom("api_answers")
      .selectAll()
      .where("token_id", "=", tokenId)
      .where("key", "=", key)
      .where("created_at", ">", new Date(now - KEPT_MS).toISOString()),
  );
  if (!row) return undefined;
  if (row.request !== request) {
    throw new Problem(422, "This Idempotency-Key belongs to another request.");
  }
  return {
    status: row.status as Answer["status"],
    headers: { ...JSON.parse(row.headers), "Idempotent-Replayed": "true" },
    ...(row.body && { body: JSON.parse(row.body) }),
  };
}

/** Records the answer to a request, as a part of the transaction that performs it. */
export function recordAnswer({ tokenId, key, request }: RequestKey, answer: Answer): void {
  const { status, headers = {}, body } = answer;
  const row = {
    ...{ token_id: tokenId, key, request, status },
    headers: JSON.stringify(headers),
    body: body === undefined ? "" : JSON.stringify(body),
    created_at: new Date().toISOString(),
  };
  runChange(database().replaceInto("api_answers").values(row));
}

/** Deletes answers that are more than a day old. */
export async function deleteOldAnswers(now = Date.now()): Promise<void> {
  await database()
    .deleteFrom("api_answers")
    .where("created_at", "<=", new Date(now - KEPT_MS).toISOString())
    .execute();
}
