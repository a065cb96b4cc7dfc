import { createHash, randomBytes } from "node:crypto";
import { requestContext } from "~/platform/node/request-context.server";
import { findSignedCookie, removedCookie, signedCookie } from "~/platform/signed-cookie.server";
import { database, prepared, sqliteHandle, tryWriteTransaction } from "~db/client.server";
import type { Role } from "~db/schema";
import { allows, type Permitted, permittedOf } from "./permissions";

const COOKIE = "session";
const SESSION_ID_BYTES = 32;
const SESSION_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
/** Whatever happens: a cookie that somebody copied is not theirs for ever by being used. */
const SESSION_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** Use prolongs a session, but writes to the database at most this often. */
const PROLONG_EVERY_MS = 10 * 60 * 1000;

/** Who is signed in. */
export interface SessionUser extends Permitted {
  id: string;
  email: string;
}

export interface OpenSession {
  idHash: string;
  user: SessionUser;
}

/** Only the hash is stored, so that a copy of the database opens no session. */
const hashOf = (id: string) => createHash("sha256").update(id).digest("hex");
const iso = (time: number) => new Date(time).toISOString();

/**
 * Opens a session of 30 days, 90 when it is used.
 *
 * @param device what its owner will recognise it by.
 * @returns the `Set-Cookie` header that makes the browser part of it.
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

/** A session that has not run out, of an account that may sign in. */
function openRow(idHash: string, now: number): OpenRow | undefined {
  return prepared<OpenRow>(
    `SELECT id_hash, last_used_at, sessions.created_at, users.id, email, role, may_publish
     FROM sessions JOIN users ON users.id = sessions.user_id
     WHERE id_hash = ? AND expires_at > ? AND sessions.created_at > ? AND deactivated_at IS NULL`,
  ).get(idHash, iso(now), iso(now - SESSION_LIFETIME_MS));
}

/** The session that the request belongs to, prolonged by this use; undefined when there is none. */
export async function findSession(
  request: Request,
  now = Date.now(),
): Promise<OpenSession | undefined> {
  return sessionIn(request.headers.get("Cookie") ?? "", now);
}

/** The same, from a Cookie header. */
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

/** While another process is writing, the next use is soon enough: reading a page never waits. */
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
  // The cookie follows on whatever is being answered; loaders have no say in headers of others.
  const response = requestContext()?.response;
  if (response && !response.headersSent) {
    response.appendHeader("Set-Cookie", signedCookie(COOKIE, id, expiresMs, now));
  }
}

/** Whether a Cookie header belongs to an open session; asked before any route sees the request. */
export function hasOpenSession(cookies: string, now = Date.now()): boolean {
  const id = findSignedCookie(cookies, COOKIE, now);
  return id !== undefined && openRow(hashOf(id), now) !== undefined;
}

/** Whether a session is open still, and its account has the role that it had then. */
function isUnchanged({ idHash, user }: OpenSession, now = Date.now()): boolean {
  const row = openRow(idHash, now);
  if (!row) return false;
  const { role, mayPublish } = permittedOf(row);
  return role === user.role && mayPublish === user.mayPublish;
}

/**
 * The sessions of a user that have not run out, the last used first. `device` is such as "Firefox on Linux", empty when
 * the browser did not say; times are ISO 8601 UTC.
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

/** The `Set-Cookie` header that makes the browser forget its session. */
export function forgetSessionCookie(): string {
  return removedCookie(COOKIE);
}

/**
 * Whether the session of a Cookie header may follow the job queue.
 *
 * @returns what tells whether it still may, or undefined if it may not.
 */
export function jobEventsAccess(cookies: string): (() => boolean) | undefined {
  const session = sessionIn(cookies);
  if (!session || !allows(session.user, "/events jobs")) return undefined;
  return () => isUnchanged(session);
}
