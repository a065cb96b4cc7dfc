import { type ActivityEntry, recordActivity } from "~/platform/activity/activity.server";
import { FormError } from "~/platform/form-error.server";
import { database, prepared, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import type { Role } from "~db/schema";
import { endAccess } from "./end-access.server";
import { choiceOf, columnsOf, ROLE_NOUNS, type RoleChoice } from "./role-choices";

export const LAST_OWNER = "This is the last owner. Make another user an owner first.";

/** The limits for an uploader: null for the site's limit, 0 for no limit. */
export interface UploaderLimits {
  maxBytes: number | null;
  maxVideosPerDay: number | null;
  maxQueuedJobs: number | null;
}

/** A user as shown to owners. Times are ISO 8601 UTC. */
export interface ListedUser {
  id: string;
  email: string;
  choice: RoleChoice;
  createdAt: string;
  deactivatedAt: string | null;
  hasSecondFactor: boolean;
  /** The number of open sessions, and when one of them was last used. */
  sessions: number;
  lastUsedAt: string | null;
  /** The number of the user's videos in the catalogue. */
  videos: number;
  limits: UploaderLimits;
}

interface UserRow
  extends Omit<ListedUser, "choice" | "hasSecondFactor" | "limits">,
    UploaderLimits {
  role: Role;
  may_publish: number;
  hasSecondFactor: 0 | 1;
}

/** Returns all users sorted by email address, deactivated ones last. */
export function listUsers(now = Date.now()): ListedUser[] {
  const rows = prepared<UserRow>(
    `SELECT users.id, email, role, may_publish, users.created_at AS createdAt,
       max_bytes AS maxBytes, max_videos_per_day AS maxVideosPerDay, max_queued_jobs AS maxQueuedJobs,
       deactivated_at AS deactivatedAt, totp_enabled_at IS NOT NULL AS hasSecondFactor,
       count(sessions.id_hash) AS sessions, max(sessions.last_used_at) AS lastUsedAt,
       (SELECT count(*) FROM videos WHERE uploaded_by = users.id) AS videos
     FROM users LEFT JOIN sessions ON sessions.user_id = users.id AND expires_at > ?
     GROUP BY users.id ORDER BY deactivated_at IS NOT NULL, email COLLATE NOCASE`,
  ).all(new Date(now).toISOString());
  return rows.map(
    ({ role, may_publish, hasSecondFactor, maxBytes, maxVideosPerDay, maxQueuedJobs, ...row }) => ({
      ...row,
      choice: choiceOf({ role, may_publish }),
      hasSecondFactor: hasSecondFactor === 1,
      limits: { maxBytes, maxVideosPerDay, maxQueuedJobs },
    }),
  );
}

/**
 * Changes a user's role. The new role applies from their next request.
 *
 * @throws {FormError} 409 for the last owner.
 */
export async function changeRole(
  userId: string,
  choice: RoleChoice,
  ownerId: string,
): Promise<{ email: string } | undefined> {
  return changeUser(userId, (user) => {
    if (choiceOf(user) === choice) return;
    if (choice !== "owner") requireOtherOwner(user);
    runChange(database().updateTable("users").set(columnsOf(choice)).where("id", "=", userId));
    endAccess(userId, { event: "role-change" });
    const detail = `${user.email} ${ROLE_NOUNS[choice]}`;
    recordActivity({ userId: ownerId, action: "role-change", detail });
  });
}

/** Sets the limits for an uploader. They apply to future uploads. */
export async function setLimits(
  userId: string,
  limits: UploaderLimits,
  ownerId: string,
): Promise<{ email: string } | undefined> {
  return changeUser(userId, (user) => {
    if (user.role !== "uploader") throw new FormError(409, "Only uploaders have upload limits.");
    prepared(
      `UPDATE users SET max_bytes = @maxBytes, max_videos_per_day = @maxVideosPerDay,
         max_queued_jobs = @maxQueuedJobs WHERE id = @userId`,
    ).run({ ...limits, userId });
    recordActivity({ userId: ownerId, action: "limits-change", detail: user.email });
  });
}

/**
 * Deactivates or reactivates a user. Deactivation ends the user's sessions and prevents further sign-ins.
 *
 * @throws {FormError} 409 for the last owner.
 */
export async function setDeactivated(
  userId: string,
  isDeactivated: boolean,
  ownerId: string,
): Promise<{ email: string } | undefined> {
  return changeUser(userId, (user) => {
    if ((user.deactivated_at !== null) === isDeactivated) return;
    if (isDeactivated) requireOtherOwner(user);
    const deactivated_at = isDeactivated ? new Date().toISOString() : null;
    runChange(database().updateTable("users").set({ deactivated_at }).where("id", "=", userId));
    if (isDeactivated) endAccess(userId, { event: "deactivation" });
    const action = isDeactivated ? "deactivate" : "reactivate";
    recordActivity({ userId: ownerId, action, detail: user.email });
  });
}

export async function endUserSessions(
  userId: string,
  ownerId: string,
): Promise<{ email: string } | undefined> {
  return changeUser(userId, (user) => {
    const entry: ActivityEntry = {
      userId: ownerId,
      action: "user-sessions-end",
      detail: user.email,
    };
    if (endAccess(userId, { event: "sign-out-everywhere" }).sessions > 0) recordActivity(entry);
  });
}

/** Returns the account columns that a change depends on. */
export function accountRow(userId: string) {
  return firstRow(
    database()
      .selectFrom("users")
      .select(["id", "email", "role", "may_publish", "deactivated_at"])
      .where("id", "=", userId),
  );
}
type ChangedUser = NonNullable<ReturnType<typeof accountRow>>;

/** Reads and changes a user in one transaction. Returns undefined if there is no such user. */
function changeUser(
  userId: string,
  change: (user: ChangedUser) => void,
): Promise<{ email: string } | undefined> {
  return transaction(() => {
    const user = accountRow(userId);
    if (!user) return undefined;
    change(user);
    return { email: user.email };
  });
}

/**
 * Checks that another owner can sign in. Must run in the same transaction as the change, so that one owner remains even
 * if two owners remove each other at the same time.
 *
 * @throws {FormError} 409 for the last owner who can sign in.
 */
export function requireOtherOwner(user: Pick<ChangedUser, "id" | "role" | "deactivated_at">): void {
  if (user.role !== "owner" || user.deactivated_at !== null) return;
  const other = prepared(
    "SELECT 1 FROM users WHERE role = 'owner' AND deactivated_at IS NULL AND id <> ?",
  );
  if (!other.get(user.id)) throw new FormError(409, LAST_OWNER);
}

/** The limits for an uploader, as entered by an owner. */
export interface TypedLimits {
  gigabytes: string;
  videosPerDay: string;
  queuedJobs: string;
}

/** Parses the limits. Returns a message about the first invalid one. */
export function readLimits(typed: TypedLimits): UploaderLimits | string {
  const gigabytes = readNumber(typed.gigabytes, /^\d{1,7}([.,]\d{1,3})?$/);
  if (gigabytes === undefined) return "Enter the storage limit in gigabytes, such as 5 or 0.5.";
  const maxVideosPerDay = readNumber(typed.videosPerDay, /^\d{1,7}$/);
  if (maxVideosPerDay === undefined)
    return "Enter the maximum number of videos per 24 hours as a whole number.";
  const maxQueuedJobs = readNumber(typed.queuedJobs, /^\d{1,7}$/);
  if (maxQueuedJobs === undefined)
    return "Enter the maximum number of queued jobs as a whole number.";
  const maxBytes = gigabytes === null ? null : Math.round(gigabytes * 1024 ** 3);
  return { maxBytes, maxVideosPerDay, maxQueuedJobs };
}

/** Returns null for empty text, undefined for an invalid number. */
function readNumber(typed: string, pattern: RegExp): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  return pattern.test(text) ? Number(text.replace(",", ".")) : undefined;
}
