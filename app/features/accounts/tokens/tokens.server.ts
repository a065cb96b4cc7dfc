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

/** Makes a token that was published by mistake easy to find. */
const PREFIX = "afterdark_";
const TOKEN_BYTES = 32;
const MAX_TOKENS = 50;
const DAY_MS = 86_400_000;
/** A use is noted at most this often. */
const NOTE_USE_EVERY_MS = 10 * 60 * 1000;

/** Only the hash is stored: nobody can read a token again, its owner neither. */
const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");

export type TokenUse = NonNullable<ReturnType<typeof findToken>>;

/** A token as its owner sees it; times are ISO 8601 UTC. */
export type ListedToken = Awaited<ReturnType<typeof listTokens>>[number];

/**
 * Makes a token.
 *
 * @param form `name`, `scope` once for each, `days`.
 * @returns the token, which is shown this once.
 * @throws {FormError} 422 for a field that is wrong, 409 where there are 50.
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
    throw new FormError(422, `A name of at most ${MAX_TOKEN_NAME_LENGTH} characters is needed.`);
  if (scopes.length === 0) throw new FormError(422, "Choose what the token may do.");
  if (days === undefined) throw new FormError(422, "Choose when the token ends.");
  if ((await listTokens(user.id)).length >= MAX_TOKENS)
    throw new FormError(409, `There are ${MAX_TOKENS} tokens. Revoke one that is not used.`);
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

/** The tokens of a user, those that have ended too, the newest first. */
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

/** Ends a token of the user. False when there is no such token of theirs. */
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

/** Whose token it is; undefined for one that is unknown or has ended, or whose user is deactivated. */
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
  noteUse(row.tokenId, row.last_used_at, now);
  const { id, email } = row;
  const user: SessionUser = { id, email, ...permittedOf(row) };
  return { tokenId: row.tokenId, user, scopes: readScopes(row.scopes) };
}

/** Whether an Authorization header holds a token that works; asked before any route sees the request. */
export function hasValidToken(authorization: string | undefined, now = Date.now()): boolean {
  const token = bearerToken(authorization);
  return token !== undefined && findToken(token, now) !== undefined;
}

/** While another process is writing, the next use is soon enough. */
function noteUse(tokenId: number, lastUsedAt: string | null, now: number): void {
  if (lastUsedAt !== null && now - Date.parse(lastUsedAt) < NOTE_USE_EVERY_MS) return;
  tryWriteTransaction(() => {
    sqliteHandle()
      .prepare("UPDATE api_tokens SET last_used_at = ? WHERE id = ?")
      .run(new Date(now).toISOString(), tokenId);
  });
}

/** The scopes that a row of `api_tokens` lists. */
export function readScopes(list: string): Scope[] {
  const found: unknown = JSON.parse(list);
  return SCOPE_NAMES.filter((scope) => Array.isArray(found) && found.includes(scope));
}

/**
 * Whether a request is that of an account, by its session or an API token. For limits, which are applied before
 * any route sees the request.
 */
export function isSignedIn({ headers }: IncomingMessage): boolean {
  try {
    return hasOpenSession(headers.cookie ?? "") || hasValidToken(headers.authorization);
  } catch {
    // The route reports what is wrong with the database.
    return false;
  }
}
