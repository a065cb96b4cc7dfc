import { prepared } from "~db/client.server";
import type { Role, VideoRow } from "~db/schema";
import {
  allows,
  isDraft,
  OWN_DELETED,
  type OwnVideos,
  ownDeletedValues,
  ownVideosOf,
  type Permission,
  type Permitted,
  permittedOf,
} from "./permissions";

/**
 * Why a change to a video was refused. Nothing was changed. The studio (`library/refusals.server.ts`) and the API
 * (`api/video-operations.server.ts`) choose the status and the message.
 */
export type Refusal =
  /**
   * `gone`: the video doesn't exist or belongs to another uploader. `not-a-draft`: the uploader may only change drafts.
   */
  | { code: "gone" | "not-allowed" | "not-a-draft" | "evidence" | "status-changed" }
  /** Set only if some of the videos have already been changed. */
  | { code: "busy" | "failed" }
  /** @see refusalsOf */
  | { code: "not-publishable"; reason: string };

/** Returns whether a change was refused. */
export function isRefusal<T extends object>(
  outcome: T | undefined,
): outcome is Extract<T, { code: string }> {
  return outcome !== undefined && "code" in outcome;
}

/**
 * Returns the videos among `ids` that the user may change. If `own` isn't given, the user may change all of them.
 *
 * @returns a refusal if one of them can't be changed: `not-a-draft`, or `gone` if none of them belongs to the user.
 * Other users' videos are treated as if they didn't exist.
 */
export function changeableIds(
  own: OwnVideos | undefined,
  ids: readonly string[],
): readonly string[] | Refusal {
  if (!own) return ids;
  const rows = prepared<Pick<VideoRow, "id" | "status" | "publish_at">>(
    `SELECT id, status, publish_at FROM videos
     WHERE id IN (SELECT value FROM json_each(?)) AND uploaded_by = ?`,
  ).all(JSON.stringify(ids), own.userId);
  if (rows.length === 0) return { code: "gone" };
  if (own.draftsOnly && !rows.every(isDraft)) return { code: "not-a-draft" };
  return rows.map(({ id }) => id);
}

/**
 * Like `changeableIds`, but for use in the transaction that changes the videos. Reads the account again, because its
 * role or a video's status may have changed since the request was accepted.
 *
 * @returns the videos that the account may change, or a refusal: `not-allowed` if the account is deactivated, deleted
 * or lacks the permission, or one of the refusals of `changeableIds`.
 */
export function changeableNow(
  userId: string | null,
  permission: Permission,
  ids: readonly string[],
): readonly string[] | Refusal {
  const user = accountNow(userId);
  if (!user || !allows(user, permission)) return { code: "not-allowed" };
  return changeableIds(ownVideosOf(user, permission), ids);
}

/** Returns the deleted videos among `ids` that the user may restore or permanently delete. */
export function ownDeletedIds(
  own: OwnVideos | undefined,
  ids: readonly string[],
): readonly string[] {
  if (!own) return ids;
  return prepared<string>(
    `SELECT id FROM deleted_videos
     WHERE id IN (SELECT value FROM json_each(@ids)) AND ${OWN_DELETED}`,
  )
    .pluck()
    .all({ ids: JSON.stringify(ids), ...ownDeletedValues(own) });
}

/**
 * Returns an account's current permissions, or undefined if the account is deactivated or deleted. Long-running work
 * calls this function again before it commits, because the account may have been blocked since the request was
 * accepted.
 *
 * @param since the time at which the work was requested (ISO 8601, UTC). Work that was requested before the account
 * lost access isn't done, even if the account has been reactivated.
 */
export function accountNow(
  userId: string | null,
  since?: string,
): (Permitted & { id: string }) | undefined {
  const row = prepared<{ id: string; role: Role; may_publish: 0 | 1 }>(
    `SELECT id, role, may_publish FROM users WHERE id = @userId AND deactivated_at IS NULL
       AND (@since IS NULL OR access_ended_at IS NULL OR access_ended_at < @since)`,
  ).get({ userId, since: since ?? null });
  if (!row) return undefined;
  return { id: row.id, ...permittedOf(row) };
}

/** Returns whether an account currently has a permission. */
export function mayNow(userId: string, permission: Permission): boolean {
  const account = accountNow(userId);
  return account !== undefined && allows(account, permission);
}
