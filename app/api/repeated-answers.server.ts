import { createHash } from "node:crypto";
import { database } from "~db/client.server";
import { processState } from "~db/runtime.server";
import { Problem } from "./problem";

const KEPT_MS = 86_400_000;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Requests that are being performed, by token and key. */
const running = processState("requests being performed", () => new Set<string>());

/**
 * Performs a request that has an `Idempotency-Key` once: whoever sends it again within a day, because the
 * answer was lost, gets the same answer. A request that failed has changed nothing and is tried anew.
 *
 * @param text the body of the request.
 * @throws {Problem} 400 for a key that is none, 409 while the same is being performed, 422 where the key was
 *   another request's.
 */
export async function answerOnce(
  request: Request,
  tokenId: number,
  text: string,
  perform: () => Promise<Response>,
  now = Date.now(),
): Promise<Response> {
  const key = request.headers.get("Idempotency-Key");
  if (key === null) return perform();
  if (!KEY.test(key)) {
    throw new Problem(400, "An Idempotency-Key has 1 to 200 visible letters of ASCII.");
  }
  const name = `${tokenId} ${key}`;
  if (running().has(name)) throw new Problem(409, "The same request is being performed.");
  running().add(name);
  try {
    const digest = digestOf(request, text);
    const known = await findAnswer(tokenId, key, now);
    if (known && known.request !== digest) {
      throw new Problem(422, "This Idempotency-Key belongs to another request.");
    }
    if (known) {
      const headers = { ...JSON.parse(known.headers), "Idempotent-Replayed": "true" };
      return new Response(known.body || null, { status: known.status, headers });
    }
    const response = await perform();
    if (response.ok) await remember(tokenId, key, digest, response.clone(), now);
    return response;
  } finally {
    running().delete(name);
  }
}

function digestOf({ method, url }: Request, text: string): string {
  const { pathname } = new URL(url);
  return createHash("sha256").update(`${method} ${pathname}\n${text}`).digest("hex");
}

function findAnswer(tokenId: number, key: string, now: number) {
  return database()
    .selectFrom("api_answers")
    .selectAll()
    .where("token_id", "=", tokenId)
    .where("key", "=", key)
    .where("created_at", ">", new Date(now - KEPT_MS).toISOString())
    .executeTakeFirst();
}

async function remember(
  token_id: number,
  key: string,
  request: string,
  response: Response,
  now: number,
): Promise<void> {
  const headers = JSON.stringify(Object.fromEntries(response.headers));
  const body = await response.text();
  const created_at = new Date(now).toISOString();
  const row = { token_id, key, request, status: response.status, headers, body, created_at };
  await database().replaceInto("api_answers").values(row).execute();
}

/** Deletes answers that are more than a day old. */
export async function deleteOldAnswers(now = Date.now()): Promise<void> {
  await database()
    .deleteFrom("api_answers")
    .where("created_at", "<=", new Date(now - KEPT_MS).toISOString())
    .execute();
}
