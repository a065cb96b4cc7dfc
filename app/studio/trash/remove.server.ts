import { accountNow } from "~/account/account-now.server";
import { recordActivity } from "~/account/activity.server";
import { NOT_ALLOWED } from "~/account/guard.server";
import type { Permission } from "~/account/permissions";
import { eventLoopTurns, partsOf } from "~/shared/event-loop";
import { EVIDENCE_SENTENCE, evidenceAmong } from "~/trust/reports/evidence.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { prepared, transaction } from "~db/client.server";
import type { NewVideoRow, VideoRow } from "~db/schema";
import { isBusy, retryWhileBusy } from "~db/write-lock";
import { failure, GONE, type StudioFailure } from "../failure";
import { type ManageView, manageHref } from "../list/manage-address";
import { changeableNow } from "../own-videos.server";

const FAILED = "Failed to delete video.";
/** Deleted in one transaction; others have their turn between two. */
const VIDEOS_AT_ONCE = 32;
/** Once some are deleted. */
const PATIENCE_MS = 10_000;
const BUSY = "The database is busy. Try again in a few seconds.";

/** Columns that the database or the site computes, so a row that is restored leaves them out. */
const COMPUTED = ["number", "sort_key", "seconds", "bytes", "held", "public", "listed"] as const;

/**
 * Deletes a video: its row goes to the trash. Its files stay where they are, and nobody is served them, for as
 * long as the deletion can be undone.
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
  await transaction(() =>
    recordActivity({ userId, action: "delete", subjectId: id, detail: title }),
  );
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
  if (isPartial) return failure(403, sentence, { detail: NOT_ALLOWED });
  const isUploader = accountNow(userId)?.role === "uploader";
  return isUploader && evidenceAmong(ids).size > 0
    ? failure(409, sentence, { detail: EVIDENCE_SENTENCE })
    : undefined;
}

/** The Undo of a toast about a deletion; it leads back to the list that was deleted from. */
export function undoAction(batch: string, view: ManageView): ToastMessage["action"] {
  return { label: "Undo", to: manageHref(view), fields: { intent: "restore", batch } };
}

export interface Removed {
  titles: string[];
  batch: string;
  left?: { videos: number; because: string };
}

/**
 * Deletes many videos.
 *
 * @param refuse says in the transaction why they can't be deleted; left out for what the site itself does,
 *   and for a moderator's decision.
 * @returns the titles of those that were there, what names the deletion when it is undone, and how many
 *   a failure left, once some were deleted.
 */
export async function removeVideos<Refusal extends StudioFailure = never>(
  ids: readonly string[],
  userId: string,
  refuse?: () => Refusal | undefined,
): Promise<Removed | Refusal> {
  const deletedAt = new Date().toISOString();
  const titles: string[] = [];
  const turn = eventLoopTurns();
  const all = [...new Set(ids)];
  let processed = 0;
  for (const some of partsOf(all, VIDEOS_AT_ONCE)) {
    await turn();
    const removeSome = () =>
      transaction(
        (): string[] | StudioFailure =>
          refuse?.() ?? some.flatMap((id) => moveRowToTrash(id, userId, deletedAt)),
      );
    const outcome =
      titles.length === 0
        ? await removeSome()
        : await retryWhileBusy(removeSome, PATIENCE_MS).catch((error) => stoppedBy(error));
    if ("status" in outcome) {
      // Once some are deleted, the answer is about these.
      if (titles.length === 0) return outcome as Refusal;
      const left = { videos: all.length - processed, because: outcome.detail ?? "" };
      return { titles, batch: deletedAt, left };
    }
    titles.push(...outcome);
    processed += some.length;
  }
  return { titles, batch: deletedAt };
}

/** Returns what a user is told of an error that ended a change of many videos after some were changed. */
export function stoppedBy(error: unknown): StudioFailure {
  if (isBusy(error)) return failure(503, "", { detail: BUSY });
  console.error("A change of many videos was ended by an error:", error);
  return failure(500, "", { detail: "An error stopped the change. Try again." });
}

/** Part of a transaction. Returns the title, if the video is there; one moment for all makes them one deletion. */
function moveRowToTrash(id: string, userId: string, deletedAt: string): string[] {
  const row = prepared("SELECT * FROM videos WHERE id = ?").get(id) as VideoRow | undefined;
  if (!row) return [];
  const { title, bytes } = row;
  prepared(
    `INSERT OR REPLACE INTO deleted_videos (id, title, row, deleted_by, deleted_at, bytes)
     VALUES (@id, @title, @row, @userId, @deletedAt, @bytes)`,
  ).run({ id, title, row: JSON.stringify(withoutComputed(row)), userId, deletedAt, bytes });
  prepared("DELETE FROM videos WHERE id = ?").run(id);
  // Those of a file that was to replace its own begin again when it is restored.
  prepared(
    "DELETE FROM jobs WHERE video_id IN (SELECT id FROM video_files WHERE video_id = ?)",
  ).run(id);
  return [title];
}

function withoutComputed(row: VideoRow): NewVideoRow {
  const kept: Partial<VideoRow> = { ...row };
  for (const column of COMPUTED) delete kept[column];
  return kept as NewVideoRow;
}
