import { NOT_ALLOWED } from "~/account/guard.server";
import { allows, type Permission, type Permitted } from "~/account/permissions";
import { prepared } from "~db/client.server";
import type { Role, VideoRow } from "~db/schema";
import { failure, GONE, type StudioFailure } from "./failure";
import { isDraft, OWN_DELETED, type OwnVideos, ownDeletedValues, ownVideosOf } from "./own-videos";

const NOT_A_DRAFT = `${NOT_ALLOWED} Only an editor changes a video that is no longer a draft.`;

/**
 * Those of some videos that are the user's own; all of them where no one's are asked for.
 *
 * @param sentence of the failure when one of them can't be changed: 403 for what is no draft, 404 when
 *   none is the user's. What others have uploaded counts as what does not exist.
 */
export function changeableIds(
  own: OwnVideos | undefined,
  ids: readonly string[],
  sentence: string,
): readonly string[] | StudioFailure {
  if (!own) return ids;
  const rows = prepared(
    `SELECT id, status, publish_at FROM videos
     WHERE id IN (SELECT value FROM json_each(?)) AND uploaded_by = ?`,
  ).all(JSON.stringify(ids), own.userId) as Pick<VideoRow, "id" | "status" | "publish_at">[];
  if (rows.length === 0) return failure(404, sentence, { detail: GONE });
  if (own.draftsOnly && !rows.every(isDraft))
    return failure(403, sentence, { detail: NOT_A_DRAFT });
  return rows.map(({ id }) => id);
}

/** Returns an account as it is now; undefined for one that is deactivated or gone. */
export function accountNow(userId: string | null): (Permitted & { id: string }) | undefined {
  const row = prepared(
    "SELECT id, role, may_publish FROM users WHERE id = ? AND deactivated_at IS NULL",
  ).get(userId) as { id: string; role: Role; may_publish: 0 | 1 } | undefined;
  if (!row) return undefined;
  const { id, role } = row;
  return { id, role, mayPublish: role !== "uploader" || row.may_publish === 1 };
}

/**
 * The same for the transaction that writes, with the account read again: its role, or the status of a video,
 * may have changed since the request was let in.
 *
 * @returns those of the videos that the account may change, or the failure: 403 for an account that is
 *   deactivated, gone or without the permission, and as `changeableIds` has it.
 */
export function changeableNow(
  userId: string | null,
  permission: Permission,
  ids: readonly string[],
  sentence: string,
): readonly string[] | StudioFailure {
  const user = accountNow(userId);
  if (!user || !allows(user, permission)) return failure(403, sentence, { detail: NOT_ALLOWED });
  return changeableIds(ownVideosOf(user, permission), ids, sentence);
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
