import type { Transaction } from "kysely";
import { recordActivity } from "~/account/activity.server";
import { refusalsOf } from "~/trust/publication.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { database } from "~db/client.server";
import type { Schema, VideoStatus } from "~db/schema";
import { failure, GONE, type StudioFailure } from "../failure";
import { toggledStatus } from "./managed-video";

const FAILED = "Failed to update video visibility.";

/**
 * Switches published to hidden and anything else to published.
 *
 * @param shown the status that the button was pressed on. Two admins who press it on the same row
 *   mean the same thing, so the second press must not undo the first.
 */
export async function toggleVideo(
  { id, shown }: { id: string; shown?: VideoStatus },
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  const done = await database()
    .transaction()
    .execute((transaction) => toggleIn(transaction, id, shown, userId));
  if (!done) return failure(404, FAILED, { detail: GONE });
  if ("refusal" in done) return failure(422, FAILED, { detail: done.refusal });
  const { status } = done;
  const now = status === "published" ? "visible" : "hidden";
  return {
    title: "Video Updated",
    description: `Video is now ${now} on the website.`,
    kind: "success",
  };
}

/** The new status and its activity, or neither; undefined when the video is gone. */
async function toggleIn(
  transaction: Transaction<Schema>,
  id: string,
  shown: VideoStatus | undefined,
  userId: string,
): Promise<{ status: VideoStatus } | { refusal: string } | undefined> {
  const video = await transaction
    .selectFrom("videos")
    .select(["title", "status"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!video) return undefined;
  const status = toggledStatus(shown ?? video.status);
  if (status === video.status) return { status };
  const refusal = status === "published" && refusalsOf([id]).get(id);
  if (refusal) return { refusal };
  await transaction.updateTable("videos").set({ status }).where("id", "=", id).execute();
  const action = status === "published" ? "show" : "hide";
  await recordActivity({ userId, action, subjectId: id, detail: video.title }, transaction);
  return { status };
}
