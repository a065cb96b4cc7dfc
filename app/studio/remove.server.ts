import { recordActivity } from "~/account/activity.server";
import type { MediaName } from "~/media/bucket.server";
import type { ToastMessage } from "~/ui/toast";
import { database } from "~db/client.server";
import type { NewVideoRow, VideoRow } from "~db/schema";
import { failure, GONE, type StudioFailure } from "./failure";
import { moveToTrash, takeFromTrash, UNDO_WITHIN_MS } from "./trash.server";
import { ownFiles } from "./video-files.server";

/** Kept by the database itself, so a row that is brought back leaves them out. */
const COMPUTED = ["shelf", "seconds", "bytes"] as const;

/**
 * Deletes a video: the row first, so that the public site forgets it at once, then its files, which
 * wait in the trash for as long as the deletion can be undone.
 */
export async function deleteVideo(
  id: string,
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  const video = await removeRow(id, userId);
  if (!video) return failure(404, "Failed to delete video.", { detail: GONE });
  await moveToTrash(id, video.files);
  await recordActivity({ userId, action: "delete", subjectId: id, detail: video.title });
  return {
    title: "Video Deleted",
    description: "Video and associated files have been removed successfully.",
    kind: "success",
  };
}

/** Moves a row to where it can be undone; undefined when there is no such row. */
async function removeRow(id: string, userId: string) {
  const row = await database()
    .selectFrom("videos")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) return undefined;
  const files = await ownFiles(row);
  await database()
    .transaction()
    .execute(async (transaction) => {
      await transaction
        .replaceInto("deleted_videos")
        .values({
          id,
          title: row.title,
          row: JSON.stringify(withoutComputed(row)),
          files: JSON.stringify(files),
          deleted_by: userId,
          deleted_at: new Date().toISOString(),
        })
        .execute();
      await transaction.deleteFrom("videos").where("id", "=", id).execute();
    });
  return { title: row.title, files };
}

function withoutComputed(row: VideoRow): NewVideoRow {
  const kept: Partial<VideoRow> = { ...row };
  for (const column of COMPUTED) delete kept[column];
  return kept as NewVideoRow;
}

/** Brings a deleted video back as it was, files first, so that it is whole when it appears. */
export async function restoreVideo(
  id: string,
  userId: string,
  now = Date.now(),
): Promise<StudioFailure | ToastMessage> {
  const deleted = await database()
    .selectFrom("deleted_videos")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", ">", new Date(now - UNDO_WITHIN_MS).toISOString())
    .executeTakeFirst();
  if (!deleted) {
    return failure(404, "This video can't be brought back.", {
      detail: "A deletion can be undone for 10 minutes.",
    });
  }
  await takeFromTrash(id, JSON.parse(deleted.files) as MediaName[]);
  await database()
    .transaction()
    .execute(async (transaction) => {
      await transaction
        .insertInto("videos")
        .values(JSON.parse(deleted.row) as NewVideoRow)
        .execute();
      await transaction.deleteFrom("deleted_videos").where("id", "=", id).execute();
    });
  await recordActivity({ userId, action: "restore", subjectId: id, detail: deleted.title });
  return {
    title: "Video Restored",
    description: "Video and associated files are back.",
    kind: "success",
  };
}

export interface DeletedVideo {
  id: string;
  title: string;
  /** ISO 8601 UTC; after it the deletion can no longer be undone. */
  undoUntil: string;
}

/** What can still be brought back, the last deleted first. */
export async function listDeleted(now = Date.now()): Promise<DeletedVideo[]> {
  const rows = await database()
    .selectFrom("deleted_videos")
    .select(["id", "title", "deleted_at"])
    .where("deleted_at", ">", new Date(now - UNDO_WITHIN_MS).toISOString())
    .orderBy("deleted_at", "desc")
    .limit(20)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    undoUntil: new Date(Date.parse(row.deleted_at) + UNDO_WITHIN_MS).toISOString(),
  }));
}
