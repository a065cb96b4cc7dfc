import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { permittedOf } from "~/features/permissions/permissions";
import { hasOpenSession, type SessionUser } from "~/features/permissions/session.server";
import { changeAndRecord, recordActivity } from "~/platform/activity/activity.server";
import { bearerToken } from "~/platform/bearer-token";
import { FormError } from "~/platform/form-error.server";
import { database, sqliteHandle, transaction, tryWriteTransaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import { LIFETIMES_DAYS, MAX_TOKEN_NAME_LENGTH, SCOPE_NAMES, type Scope } from "./scopes";

/** A prefix that makes tokens easy to find if they are published by mistake. */
const PREFIX = "afterdark_";
const TOKEN_BYTES = 32;
const MAX_TOKENS = 50;
const DAY_MS = 86_400_000;
/** The minimum interval between two updates of a token's last-used time. */
const RECORD_USE_EVERY_MS = 10 * 60 * 1000;

/** Only the hash is stored, so nobody can read a token again, not even its owner. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

export type TokenUse = NonNullable<ReturnType<typeof findToken>>;

/** A token as shown to its owner. Times are ISO 8601 UTC. */
export type ListedToken = Awaited<ReturnType<typeof listTokens>>[number];

/**
 * Creates a token.
 *
 * @param form `name`, one or more `scope`, and `days`.
 * @returns the token, which is shown only once.
 * @throws {FormError} 422 for an invalid field, 409 if the user already has 50 tokens.
 */
export async function createToken(
  user: SessionUser,
  form: FormData,
  now = Date.now(),
): Promise<string> {
  const name = String(form.get("name") ?? "").trim();
  const scopes = SCOPE_NAMES.filter((scope) => form.getAll("scope").includes(scope));
  const days = LIFETIMES_DAYS.find((each) => String(each) === form.get("days"));
  if (name === "" || name.length > MAX_TOKEN_NAME_LENGTH)
    throw new FormError(422, `Enter a name with at most ${MAX_TOKEN_NAME_LENGTH} characters.`);
  if (scopes.length === 0) throw new FormError(422, "Choose at least one scope.");
  if (days === undefined) throw new FormError(422, "Choose when the token expires.");
  if ((await listTokens(user.id)).length >= MAX_TOKENS)
    throw new FormError(
      409,
      `You already have ${MAX_TOKENS} tokens. Revoke one that you no longer use.`,
    );
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
  await changeAndRecord({ userId: user.id, action: "token-create", detail: name }, () =>
    runChange(
      database()
        .insertInto("api_tokens")
        .values({
          token_hash: hashOf(token),
          user_id: user.id,
          name,
          scopes: JSON.stringify(scopes),
          created_at: new Date(now).toISOString(),
          expires_at: new Date(now + days * DAY_MS).toISOString(),
        }),
    ),
  );
  return token;
}

/** Returns a user's tokens, including expired ones, newest first. */
export async function listTokens(userId: string) {
  const rows = await database()
    .selectFrom("api_tokens")
    .select(["id", "name", "scopes", "created_at as createdAt", "expires_at as expiresAt"])
    .select("last_used_at as lastUsedAt")
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => ({ ...row, scopes: readScopes(row.scopes) }));
}

/** Revokes one of a user's tokens. Returns false if the user has no such token. */
export async function revokeToken(userId: string, id: number): Promise<boolean> {
  return transaction(() => {
    const token = firstRow(
      database()
        .deleteFrom("api_tokens")
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .returning("name"),
    );
    if (token) recordActivity({ userId, action: "token-revoke", detail: token.name });
    return token !== undefined;
  });
}

/** Returns the user and scopes of a token; undefined if it is unknown or expired, or its user is deactivated. */
export function findToken(token: string, now = Date.now()) {
  if (!token.startsWith(PREFIX)) return undefined;
  const row = firstRow(
    database()
      .selectFrom("api_tokens")
      .innerJoin("users", "users.id", "api_tokens.user_id")
      .select([
        "api_tokens.id as tokenId",
        "api_tokens.scopes",
        "api_tokens.last_used_at",
        "users.id",
        "users.email",
        "users.role",
        "users.may_publish",
      ])
      .where("api_tokens.token_hash", "=", hashOf(token))
      .where("api_tokens.expires_at", ">", new Date(now).toISOString())
      .where("users.deactivated_at", "is", null),
  );
  if (!row) return undefined;
  recordUse(row.tokenId, row.last_used_at, now);
  const { id, email } = row;
  const user: SessionUser = { id, email, ...permittedOf(row) };
  return { tokenId: row.tokenId, user, scopes: readScopes(row.scopes) };
}

/** Returns whether an Authorization header has a valid token. Called before the request reaches a route. */
export function hasValidToken(authorization: string | undefined, now = Date.now()): boolean {
  const token = bearerToken(authorization);
  return token !== undefined && findToken(token, now) !== undefined;
}

/**
 * Records when the token was last used. Skipped while another process is writing, because the next use can be recorded
 * instead.
 */
function recordUse(tokenId: number, lastUsedAt: string | null, now: number): void {
  if (lastUsedAt !== null && now - Date.parse(lastUsedAt) < RECORD_USE_EVERY_MS) return;
  tryWriteTransaction(() => {
    sqliteHandle()
      .prepare("UPDATE api_tokens SET last_used_at = ? WHERE id = ?")
      .run(new Date(now).toISOString(), tokenId);
  });
}

/** Parses the scopes in a row of `api_tokens`. */
export function readScopes(list: string): Scope[] {
  const found: unknown = JSON.parse(list);
  return SCOPE_NAMES.filter((scope) => Array.isArray(found) && found.includes(scope));
}

/**
 * Returns whether a request belongs to an account, based on its session or API token. Used for limits that are applied
 * before the request reaches a route.
 */
export function isSignedIn({ headers }: IncomingMessage): boolean {
  try {
    return hasOpenSession(headers.cookie ?? "") || hasValidToken(headers.authorization);
  } catch {
    // The route will report the problem with the database.
    return false;
  }
}
