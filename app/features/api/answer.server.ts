import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { findToken, type TokenUse } from "~/features/accounts/tokens/tokens.server";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { accountNow } from "~/features/permissions/may-change.server";
import { allows, ownVideosOf } from "~/features/permissions/permissions";
import { addressLimit } from "~/platform/address-limit.server";
import { bearerToken } from "~/platform/bearer-token";
import { clientAddress } from "~/platform/client-address.server";
import { logUnexpected } from "~/platform/errors.server";
import { type FieldProblem, Problem, problemResponse } from "~/platform/problem";
import { readText } from "~/platform/small-form.server";
import { database, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { isBusy } from "~db/write-lock";
import { type ApiResponse, acceptsIdempotencyKey, type Operation } from "./operation";
import { operationsAt } from "./operations.server";

const MAX_BODY_BYTES = 256 * 1024;

/**
 * This limit only protects the database from a flood of requests. Tokens have 256 random bits, so they can't be
 * guessed.
 */
const wrongTokens = addressLimit("wrong API tokens by address", 60, 60);

/**
 * Handles a request to the API. Only the token identifies the user. Cookies are ignored, so pages on other sites can't
 * send requests on a user's behalf.
 *
 * @param path the path below `/api/v1/`.
 */
export async function handleApiRequest(request: Request, path: string): Promise<Response> {
  try {
    const token = await requireToken(request);
    const { found, id } = operationsAt(path);
    if (found.length === 0) throw new Problem(404, "Not found.");
    const operation = operationFor(request, found);
    const response = await perform(operation, request, token, id);
    response.headers.set("Cache-Control", "no-store");
    return response;
  } catch (error) {
    return problemResponse(await problemFor(error, request));
  }
}

/**
 * @throws {Problem} 401 without a valid token, 429 after many invalid tokens from one IP address.
 */
async function requireToken(request: Request): Promise<TokenUse> {
  const token = bearerToken(request.headers.get("Authorization"));
  const use = token ? findToken(token) : undefined;
  if (use) return use;
  const wait = token ? wrongTokens.consume(clientAddress(request)) : undefined;
  if (wait !== undefined) {
    throw new Problem(429, "Too many requests with invalid tokens.", [], {
      "Retry-After": String(wait),
    });
  }
  const detail = token
    ? "This token is invalid, expired or revoked."
    : "A token is required. Send it as Authorization: Bearer …";
  throw new Problem(401, detail, [], { "WWW-Authenticate": 'Bearer realm="api"' });
}

function operationFor(request: Request, found: readonly Operation<never, never>[]) {
  // Paths that support GET also support HEAD.
  const operation =
    found.find(({ method }) => method === request.method) ??
    found.find(({ method }) => method === "GET" && request.method === "HEAD");
  if (operation) return operation;
  const allow = [...new Set(found.map(({ method }) => method))].join(", ");
  throw new Problem(405, "Method not allowed.", [], { Allow: allow });
}

async function perform(
  operation: Operation<never, never>,
  request: Request,
  { user, scopes, tokenId }: TokenUse,
  id: string,
): Promise<Response> {
  // Users who are no longer allowed to create tokens can't keep using the ones they created in an earlier role.
  if (!allows(user, "/admin/tokens create")) throw new Problem(403, NOT_ALLOWED);
  const { scope, permission } = operation;
  if (!scopes.includes(scope)) {
    const header = `Bearer error="insufficient_scope", scope="${scope}"`;
    throw new Problem(403, `This token doesn’t have the scope “${scope}”.`, [], {
      "WWW-Authenticate": header,
    });
  }
  if (!allows(user, permission)) throw new Problem(403, NOT_ALLOWED);
  const query = parse(
    operation.query,
    Object.fromEntries(new URL(request.url).searchParams),
  ) as never;
  // Operations that receive files read the body themselves.
  const text = operation.body ? await readJsonText(request) : "";
  // The body may have taken a long time to arrive, so the account's permissions are read afterwards.
  const account = accountNow(user.id);
  if (!account || !allows(account, permission)) throw new Problem(403, NOT_ALLOWED);
  const own = ownVideosOf(account, permission);
  const body = parse(operation.body, operation.body && readJson(text)) as never;
  const key = acceptsIdempotencyKey(operation) ? readKey(request, tokenId, text) : undefined;
  const call = { request, user: { ...user, ...account }, scopes, own, id, query, body };
  const record = (answer: ApiResponse) => {
    if (key) recordResponse(key, answer);
  };
  if ("change" in operation) {
    const answer = await transaction(() => {
      const known = key && recordedResponse(key);
      if (known) return known;
      const changed = operation.change(call);
      record(changed);
      return changed;
    });
    return toResponse(answer);
  }
  const known = key && recordedResponse(key);
  return toResponse(known ?? (await operation.perform({ ...call, recordResponse: record })));
}

function toResponse(answer: ApiResponse | Response): Response {
  if (answer instanceof Response) return answer;
  const { status, body, headers } = answer;
  if (body === undefined) return new Response(null, { status, headers });
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}

async function readJsonText(request: Request): Promise<string> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("Content-Type") ?? "")) {
    throw new Problem(415, "Send Content-Type: application/json.");
  }
  return readText(request, MAX_BODY_BYTES);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, "The body is not valid JSON.");
  }
}

/** @throws {Problem} 422 with an error for each invalid field. */
function parse(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem(422, "The request is invalid. See errors.", issuesOf(result.error));
}

function issuesOf({ issues }: z.ZodError): FieldProblem[] {
  return issues.map(({ path, message }) => ({ field: z.core.toDotPath(path), detail: message }));
}

async function problemFor(error: unknown, request: Request): Promise<Problem> {
  if (error instanceof Problem) return error;
  if (error instanceof Response) {
    const message = (await error.text()) || STATUS_CODES[error.status];
    return new Problem(error.status, message ?? "The request failed.");
  }
  if (isBusy(error)) {
    const busy = "The database is busy. Try again in a few seconds.";
    return new Problem(503, busy, [], { "Retry-After": "5" });
  }
  const reference = logUnexpected(error, request);
  const search = `Search the server’s log for “${reference ?? "error"}”.`;
  return new Problem(500, `Something went wrong. ${search}`);
}

/**
 * Responses to requests with an `Idempotency-Key`. Each response is recorded in the transaction that performs the
 * request. A client that retries a request within a day, because the response was lost, gets the same response, and
 * nothing happens twice. A failed request hasn't changed anything, so a retry performs it again.
 */

const KEPT_MS = 86_400_000;
const KEY = /^[\x21-\x7e]{1,200}$/;

/** A request's idempotency key. */
interface RequestKey {
  tokenId: number;
  key: string;
  /** SHA-256 of the method, path and body. */
  request: string;
}

/**
 * Returns a request's idempotency key; undefined if it has none.
 *
 * @param text the request body.
 * @throws {Problem} 400 for an invalid header.
 */
function readKey(request: Request, tokenId: number, text: string): RequestKey | undefined {
  const key = request.headers.get("Idempotency-Key");
  if (key === null) return undefined;
  if (!KEY.test(key)) {
    throw new Problem(400, "An Idempotency-Key must have 1 to 200 visible ASCII characters.");
  }
  const { pathname } = new URL(request.url);
  const digest = createHash("sha256").update(`${request.method} ${pathname}\n${text}`);
  return { tokenId, key, request: digest.digest("hex") };
}

/**
 * Returns the recorded response to a request; undefined if the request hasn't been performed.
 *
 * @throws {Problem} 422 if the key was used for a different request.
 */
function recordedResponse(
  { tokenId, key, request }: RequestKey,
  now = Date.now(),
): ApiResponse | undefined {
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
    throw new Problem(422, "This Idempotency-Key was already used for another request.");
  }
  return {
    status: row.status as ApiResponse["status"],
    headers: { ...JSON.parse(row.headers), "Idempotent-Replayed": "true" },
    ...(row.body && { body: JSON.parse(row.body) }),
  };
}

/** Records the response to a request, in the transaction that performs it. */
function recordResponse({ tokenId, key, request }: RequestKey, answer: ApiResponse): void {
  const { status, headers = {}, body } = answer;
  const row = {
    ...{ token_id: tokenId, key, request, status },
    headers: JSON.stringify(headers),
    body: body === undefined ? "" : JSON.stringify(body),
    created_at: new Date().toISOString(),
  };
  runChange(database().replaceInto("api_answers").values(row));
}

/** Deletes recorded responses that are more than a day old. */
export async function deleteOldResponses(now = Date.now()): Promise<void> {
  await database()
    .deleteFrom("api_answers")
    .where("created_at", "<=", new Date(now - KEPT_MS).toISOString())
    .execute();
}
