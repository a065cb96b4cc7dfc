import { recordActivity } from "~/account/activity.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { database } from "~db/client.server";
import type { VideoStatus } from "~db/schema";
import { failure, GONE, type StudioFailure } from "../failure";
import { toggledStatus } from "./managed-video";

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
  const video = await database()
    .selectFrom("videos")
    .select(["title", "status"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!video) return failure(404, "Failed to update video visibility.", { detail: GONE });
  const status = toggledStatus(shown ?? video.status);
  if (status !== video.status) {
    await database().updateTable("videos").set({ status }).where("id", "=", id).execute();
    await recordActivity({
      userId,
      action: status === "published" ? "show" : "hide",
      subjectId: id,
      detail: video.title,
    });
  }
  const now = status === "published" ? "visible" : "hidden";
  return {
    title: "Video Updated",
    description: `Video is now ${now} on the website.`,
    kind: "success",
  };
}
