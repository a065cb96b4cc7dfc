import { createHash, randomBytes } from "node:crypto";
import { requestContext } from "~/platform/node/request-context.server";
import { findSignedCookie, removedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { database, prepared, sqliteHandle, tryWriteTransaction } from "~db/client.server";
import type { Role } from "~db/schema";
import { allows, type Permitted, permittedOf } from "./permissions";

const COOKIE = "session";
const SESSION_ID_BYTES = 32;
const SESSION_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
/** A session's maximum lifetime, so that someone with a copied cookie can't keep extending the session forever. */
const SESSION_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** The minimum interval between the database writes that extend a session. */
const PROLONG_EVERY_MS = 10 * 60 * 1000;

/** A signed-in user. */
export interface SessionUser extends Permitted {
  id: string;
  email: string;
}

export interface OpenSession {
  idHash: string;
  user: SessionUser;
}

/** Only the hash is stored, so that a copy of the database can't be used to open sessions. */
const hashOf = (id: string) => createHash("sha256").update(id).digest("hex");
const iso = (time: number) => new Date(time).toISOString();

/**
 * Opens a session that lasts 30 days. Using the session extends it, up to a total of 90 days.
 *
 * @param device the name by which the user can recognize the session.
 * @returns the session's `Set-Cookie` header.
 */
export async function openSession(userId: string, device = "", now = Date.now()): Promise<string> {
  const id = randomBytes(SESSION_ID_BYTES).toString("base64url");
  const expiresMs = now + SESSION_MAX_AGE_MS;
  await database()
    .insertInto("sessions")
    .values({
      id_hash: hashOf(id),
      user_id: userId,
      device,
      created_at: iso(now),
      last_used_at: iso(now),
      expires_at: iso(expiresMs),
    })
    .execute();
  return signedCookie(COOKIE, id, expiresMs, now);
}

/** Deletes sessions that have expired. */
export async function deleteExpiredSessions(now = Date.now()): Promise<void> {
  await database().deleteFrom("sessions").where("expires_at", "<=", iso(now)).execute();
}

interface OpenRow {
  id_hash: string;
  last_used_at: string;
  created_at: string;
  id: string;
  email: string;
  role: Role;
  may_publish: 0 | 1;
}

/** Returns an unexpired session if its account may sign in. */
function openRow(idHash: string, now: number): OpenRow | undefined {
  return prepared<OpenRow>(
    `SELECT id_hash, last_used_at, sessions.created_at, users.id, email, role, may_publish
     FROM sessions JOIN users ON users.id = sessions.user_id
     WHERE id_hash = ? AND expires_at > ? AND sessions.created_at > ? AND deactivated_at IS NULL`,
  ).get(idHash, iso(now), iso(now - SESSION_LIFETIME_MS));
}

/** Returns a request's session and extends it. Returns undefined if there is no session. */
export async function findSession(
  request: Request,
  now = Date.now(),
): Promise<OpenSession | undefined> {
  return sessionIn(request.headers.get("Cookie") ?? "", now);
}

/** Like `findSession`, but takes a Cookie header. */
function sessionIn(cookies: string, now = Date.now()): OpenSession | undefined {
  const id = findSignedCookie(cookies, COOKIE, now);
  if (id === undefined) return undefined;
  const row = openRow(hashOf(id), now);
  if (!row) return undefined;
  if (now - Date.parse(row.last_used_at) >= PROLONG_EVERY_MS) {
    prolong({ idHash: row.id_hash, id, createdAt: row.created_at }, now);
  }
  const { id: userId, email } = row;
  return { idHash: row.id_hash, user: { id: userId, email, ...permittedOf(row) } };
}

/**
 * Extends a session. The update is skipped while another process is writing, so that page requests never have to wait
 * for it.
 */
function prolong(
  { idHash, id, createdAt }: { idHash: string; id: string; createdAt: string },
  now: number,
): void {
  const lastMs = Date.parse(createdAt) + SESSION_LIFETIME_MS;
  const expiresMs = Math.min(now + SESSION_MAX_AGE_MS, lastMs);
  const prolonged = tryWriteTransaction(() => {
    sqliteHandle()
      .prepare("UPDATE sessions SET last_used_at = ?, expires_at = ? WHERE id_hash = ?")
      .run(iso(now), iso(expiresMs), idHash);
  });
  if (!prolonged) return;
  // The header is set directly on the response, because one loader can't set the headers for another loader's response.
  const response = requestContext()?.response;
  if (response && !response.headersSent) {
    response.appendHeader("Set-Cookie", signedCookie(COOKIE, id, expiresMs, now));
  }
}

/** Returns whether a Cookie header belongs to an open session. Called before the request reaches any route. */
export function hasOpenSession(cookies: string, now = Date.now()): boolean {
  const id = findSignedCookie(cookies, COOKIE, now);
  return id !== undefined && openRow(hashOf(id), now) !== undefined;
}

/** Returns whether a session is still open and its account still has the same permissions. */
function isUnchanged({ idHash, user }: OpenSession, now = Date.now()): boolean {
  const row = openRow(idHash, now);
  if (!row) return false;
  const { role, mayPublish } = permittedOf(row);
  return role === user.role && mayPublish === user.mayPublish;
}

/**
 * Returns a user's open sessions, most recently used first. `device` is a name such as "Firefox on Linux", or empty if
 * unknown. Times are in ISO 8601 format (UTC).
 */
export async function listSessions(userId: string, now = Date.now()) {
  return database()
    .selectFrom("sessions")
    .select([
      "id_hash as idHash",
      "device",
      "created_at as createdAt",
      "last_used_at as lastUsedAt",
    ])
    .where("user_id", "=", userId)
    .where("expires_at", ">", iso(now))
    .orderBy("last_used_at", "desc")
    .orderBy("created_at", "desc")
    .execute();
}

/** Returns the `Set-Cookie` header that deletes the session cookie. */
export function forgetSessionCookie(): string {
  return removedCookie(COOKIE);
}

/**
 * Checks whether the session in a Cookie header may receive events about the job queue.
 *
 * @returns a function that checks this again, or undefined if the session may not receive them.
 */
export function jobEventsAccess(cookies: string): (() => boolean) | undefined {
  const session = sessionIn(cookies);
  if (!session || !allows(session.user, "/events jobs")) return undefined;
  return () => isUnchanged(session);
}
