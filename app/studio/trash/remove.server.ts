import { recordActivity } from "~/account/activity.server";
import { NOT_ALLOWED } from "~/account/guard.server";
import type { Permission } from "~/account/permissions";
import type { MediaName } from "~/media/bucket.server";
import { eventLoopTurns } from "~/shared/event-loop";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { database, prepared } from "~db/client.server";
import type { NewVideoRow, VideoRow } from "~db/schema";
import { failure, GONE, type StudioFailure } from "../failure";
import { type ManageView, manageHref } from "../list/manage-address";
import { changeableNow } from "../own-videos.server";
import { moveToTrash } from "./trash.server";
import { inTurn } from "./trash-turns.server";
import { ownFiles } from "./video-files.server";

const FAILED = "Failed to delete video.";

/** Columns that the database computes, so a row that is restored leaves them out. */
const COMPUTED = ["number", "sort_key", "seconds", "bytes"] as const;

interface Removed {
  row: VideoRow;
  files: MediaName[];
}

/**
 * Deletes a video: the row first, so that the public site forgets it at once, then its files, which
 * wait in the trash for as long as the deletion can be undone.
 */
export async function deleteVideo(
  id: string,
  userId: string,
  view: ManageView,
): Promise<StudioFailure | ToastMessage> {
  const refuse = () => deletionRefused([id], userId, "/admin delete", FAILED);
  const outcome = await removeVideos([id], userId, refuse);
  if ("status" in outcome) return outcome;
  const { titles, batch } = outcome;
  const [title] = titles;
  if (title === undefined) return failure(404, FAILED, { detail: GONE });
  await recordActivity({ userId, action: "delete", subjectId: id, detail: title });
  return {
    title: "Video Deleted",
    description: "Video and associated files have been removed successfully.",
    kind: "success",
    action: undoAction(batch, view),
  };
}

/** Returns why an account may not delete videos any more, for the transaction that deletes them. */
export function deletionRefused(
  ids: readonly string[],
  userId: string,
  permission: Permission,
  sentence: string,
): StudioFailure | undefined {
  const changeable = changeableNow(userId, permission, ids, sentence);
  if ("status" in changeable) return changeable;
  const present = prepared(
    "SELECT count(*) FROM videos WHERE id IN (SELECT value FROM json_each(?))",
  ).pluck();
  const isPartial = changeable.length < (present.get(JSON.stringify(ids)) as number);
  return isPartial ? failure(403, sentence, { detail: NOT_ALLOWED }) : undefined;
}

/** The Undo of a toast about a deletion; it leads back to the list that was deleted from. */
export function undoAction(batch: string, view: ManageView): ToastMessage["action"] {
  return { label: "Undo", to: manageHref(view), fields: { intent: "restore", batch } };
}

/**
 * Deletes many videos, their rows in one transaction.
 *
 * @param refuse says in the transaction why they can't be deleted; left out for what the site itself does,
 *   and for a moderator's decision.
 * @returns the titles of those that were there, and what names the deletion when it is undone.
 */
export async function removeVideos<Refusal extends StudioFailure = never>(
  ids: readonly string[],
  userId: string,
  refuse?: () => Refusal | undefined,
): Promise<{ titles: string[]; batch: string } | Refusal> {
  const leaving = new Set(ids);
  const removed: Removed[] = [];
  const turn = eventLoopTurns();
  for (const id of leaving) {
    await turn();
    const row = await database()
      .selectFrom("videos")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    if (row) removed.push({ row, files: await ownFiles(row, leaving) });
  }
  const batch = await inTurn(async () => {
    const deletedAt = await removeRows(removed, userId, refuse);
    if (typeof deletedAt !== "string") return deletedAt;
    for (const { row, files } of removed) await moveToTrash(row.id, files);
    return deletedAt;
  });
  if (typeof batch !== "string") return batch;
  return { titles: removed.map(({ row }) => row.title), batch };
}

/** Moves rows to where the deletion can be undone; one moment for all makes them one deletion. */
async function removeRows<Refusal>(
  removed: readonly Removed[],
  userId: string,
  refuse?: () => Refusal | undefined,
): Promise<string | Refusal> {
  const deleted_at = new Date().toISOString();
  return database()
    .transaction()
    .execute(async (transaction) => {
      const refusal = refuse?.();
      if (refusal) return refusal;
      const turn = eventLoopTurns();
      for (const { row, files } of removed) {
        await turn();
        await transaction
          .replaceInto("deleted_videos")
          .values({
            id: row.id,
            title: row.title,
            row: JSON.stringify(withoutComputed(row)),
            files: JSON.stringify(files),
            deleted_by: userId,
            deleted_at,
            bytes: row.bytes,
          })
          .execute();
        await transaction.deleteFrom("videos").where("id", "=", row.id).execute();
        // Those of a file that was to replace its own begin again when it is restored.
        await transaction
          .deleteFrom("jobs")
          .where("video_id", "in", (e) =>
            e
              .selectFrom("video_files")
              .select("video_files.id")
              .where("video_files.video_id", "=", row.id),
          )
          .execute();
      }
      return deleted_at;
    });
}

function withoutComputed(row: VideoRow): NewVideoRow {
  const kept: Partial<VideoRow> = { ...row };
  for (const column of COMPUTED) delete kept[column];
  return kept as NewVideoRow;
}
