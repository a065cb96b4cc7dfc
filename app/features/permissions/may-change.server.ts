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
 * Why a change of a video was refused; nothing was changed then. The studio (`library/refusals.server.ts`) and the
 * API (`api/video-operations.server.ts`) choose the status and the message.
 */
export type Refusal =
  /** `gone`: no such video, or another uploader's. `not-a-draft`: its uploader may change drafts only. */
  | { code: "gone" | "not-allowed" | "not-a-draft" | "evidence" | "status-changed" }
  /** Once a part of many videos was changed. */
  | { code: "busy" | "failed" }
  /** @see refusalsOf */
  | { code: "not-publishable"; reason: string };

/** Whether a change was refused. */
export function isRefusal<T extends object>(
  outcome: T | undefined,
): outcome is Extract<T, { code: string }> {
  return outcome !== undefined && "code" in outcome;
}

/**
 * Those of some videos that are the user's own; all of them where no one's are asked for.
 *
 * @returns the refusal when one of them can't be changed: `not-a-draft`, or `gone` when none is the user's. What
 *   others have uploaded counts as what does not exist.
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
 * The same for the transaction that writes, with the account read again: its role, or the status of a video,
 * may have changed since the request was let in.
 *
 * @returns those of the videos that the account may change, or the refusal: `not-allowed` for an account that is
 *   deactivated, gone or without the permission, and as `changeableIds` has it.
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

/** Those of some deleted videos that the user may restore or delete for good. */
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
 * Returns an account as it is now; undefined for one that is deactivated or gone. Long-running work calls this
 * again before it commits: the account may have been blocked since the request was let in.
 *
 * @param since when the work was asked for, ISO 8601 UTC: what was before the account's access ended isn't done, even
 *   if the account is let in again.
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

/** Whether an account may do something now. */
export function mayNow(userId: string, permission: Permission): boolean {
  const account = accountNow(userId);
  return account !== undefined && allows(account, permission);
}
