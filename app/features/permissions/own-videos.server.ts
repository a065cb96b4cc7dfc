import { prepared } from "~db/client.server";
import type { VideoRow } from "~db/schema";
import { accountNow } from "./account-now.server";
import { isDraft, OWN_DELETED, type OwnVideos, ownDeletedValues, ownVideosOf } from "./own-videos";
import { allows, type Permission } from "./permissions";
import type { Refusal } from "./refusal";

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
  const rows = prepared(
    `SELECT id, status, publish_at FROM videos
     WHERE id IN (SELECT value FROM json_each(?)) AND uploaded_by = ?`,
  ).all(JSON.stringify(ids), own.userId) as Pick<VideoRow, "id" | "status" | "publish_at">[];
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
  return prepared(
    `SELECT id FROM deleted_videos
     WHERE id IN (SELECT value FROM json_each(@ids)) AND ${OWN_DELETED}`,
  )
    .pluck()
    .all({ ids: JSON.stringify(ids), ...ownDeletedValues(own) }) as string[];
}
