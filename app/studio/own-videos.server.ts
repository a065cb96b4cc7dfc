import { NOT_ALLOWED } from "~/account/guard.server";
import { prepared } from "~db/client.server";
import type { VideoRow } from "~db/schema";
import { failure, GONE, type StudioFailure } from "./failure";
import { isDraft, OWN_DELETED, type OwnVideos, ownDeletedValues } from "./own-videos";

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
