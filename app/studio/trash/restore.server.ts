import { recordActivity } from "~/account/activity.server";
import type { MediaName } from "~/media/bucket.server";
import { enqueueMissingIn } from "~/media/jobs/enqueue.server";
import { jobsChanged } from "~/media/jobs/job-events.server";
import { eventLoopTurns } from "~/shared/event-loop";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { projected } from "~db/changes.server";
import { database } from "~db/client.server";
import type { NewVideoRow } from "~db/schema";
import { nameTitles } from "../bulk/bulk";
import { failure, type StudioFailure } from "../failure";
import { restoreFromTrash, UNDO_WITHIN_MS } from "./trash.server";

/** Deletions that are offered for undoing, and the titles that are named of each. */
const DELETIONS_SHOWN = 10;
const TITLES_SHOWN = 5;

/** What was deleted at once, by one press of a button. */
export interface Deletion {
  /** Names the deletion in the form that undoes it. */
  batch: string;
  /** Some of the titles. */
  titles: string[];
  videos: number;
  /** ISO 8601 UTC; after it the deletion can no longer be undone. */
  undoUntil: string;
}

/** The deletions that can still be undone, the latest first. */
export async function listDeletions(now = Date.now()): Promise<Deletion[]> {
  const batches = await database()
    .selectFrom("deleted_videos")
    .select((e) => ["deleted_at", e.fn.countAll<number>().as("videos")])
    .where("deleted_at", ">", undoableSince(now))
    .groupBy("deleted_at")
    .orderBy("deleted_at", "desc")
    .limit(DELETIONS_SHOWN)
    .execute();
  return Promise.all(
    batches.map(async ({ deleted_at, videos }) => ({
      batch: deleted_at,
      videos,
      titles: await titlesOf(deleted_at),
      undoUntil: new Date(Date.parse(deleted_at) + UNDO_WITHIN_MS).toISOString(),
    })),
  );
}

/** Restores the videos of one deletion, files first, so that they are complete when they are listed. */
export async function restoreDeletion(
  batch: string,
  userId: string,
  now = Date.now(),
): Promise<StudioFailure | ToastMessage> {
  const deleted = await database()
    .selectFrom("deleted_videos")
    .selectAll()
    .where("deleted_at", "=", batch)
    .where("deleted_at", ">", undoableSince(now))
    .execute();
  if (deleted.length === 0) {
    return failure(404, "This deletion can't be undone any more.", {
      detail: "A deletion can be undone for 10 minutes, and once.",
    });
  }
  for (const { id, files } of deleted) await restoreFromTrash(id, JSON.parse(files) as MediaName[]);
  await database()
    .transaction()
    .execute(async (transaction) => {
      const turn = eventLoopTurns();
      for (const { row } of deleted) {
        await turn();
        // A row that has the same id by now is not overwritten.
        await transaction
          .insertInto("videos")
          .values(JSON.parse(row) as NewVideoRow)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      // Their jobs were forgotten with them.
      const ids = deleted.map(({ id }) => id);
      await enqueueMissingIn(transaction, ids);
      await transaction.deleteFrom("deleted_videos").where("deleted_at", "=", batch).execute();
    });
  await projected();
  jobsChanged("work");
  const titles = deleted.map(({ title }) => title);
  const subjectId = deleted.length === 1 ? deleted[0]?.id : undefined;
  const detail = deleted.length === 1 ? titles[0] : nameTitles(titles);
  await recordActivity({ userId, action: "restore", subjectId, detail });
  return {
    title: deleted.length === 1 ? "Video Restored" : "Videos Restored",
    description: `${nameTitles(titles)} ${deleted.length === 1 ? "is" : "are"} back, files included.`,
    kind: "success",
  };
}

function undoableSince(now: number): string {
  return new Date(now - UNDO_WITHIN_MS).toISOString();
}

async function titlesOf(batch: string): Promise<string[]> {
  const rows = await database()
    .selectFrom("deleted_videos")
    .select("title")
    .where("deleted_at", "=", batch)
    .limit(TITLES_SHOWN)
    .execute();
  return rows.map(({ title }) => title);
}
