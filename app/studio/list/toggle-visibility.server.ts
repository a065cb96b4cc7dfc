import { recordActivity } from "~/account/activity.server";
import { refusalsOf } from "~/trust/publication.server";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { setVisibility } from "~/visibility/visibility.server";
import { database, transaction } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import type { VideoRow, VideoStatus } from "~db/schema";
import { failure, GONE, type StudioFailure } from "../failure";
import { changeableNow } from "../own-videos.server";
import { toggledStatus } from "./managed-video";

const FAILED = "Failed to update video visibility.";
const STATUS_CHANGED = "Its status has changed since the page was loaded.";

/**
 * Switches published to hidden and anything else to published.
 *
 * @param expectedStatus the status that the button was pressed on: 409 if it has changed, so that the second
 *   of two admins doesn't undo what the first has done.
 */
export function toggleVideo(
  { id, expectedStatus }: { id: string; expectedStatus?: VideoStatus },
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  return changeVisibility(id, userId, ({ status }) => {
    if (expectedStatus && expectedStatus !== status) {
      return failure(409, FAILED, { detail: STATUS_CHANGED });
    }
    return toggledStatus(status) === "published" ? "publish" : "hide";
  });
}

/** Publishes or hides a video, whatever its status is. */
export function publishOrHide(
  id: string,
  order: "publish" | "hide",
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  return changeVisibility(id, userId, () => order);
}

type Choose = (video: Pick<VideoRow, "status">) => "publish" | "hide" | StudioFailure;

function changeVisibility(
  id: string,
  userId: string,
  choose: Choose,
): Promise<StudioFailure | ToastMessage> {
  return transaction(() => changeIn(id, userId, choose));
}

function changeIn(id: string, userId: string, choose: Choose): StudioFailure | ToastMessage {
  const video = firstRow(
    database().selectFrom("videos").select(["title", "status"]).where("id", "=", id),
  );
  if (!video) return failure(404, FAILED, { detail: GONE });
  const changeable = changeableNow(userId, "/admin toggle", [id], FAILED);
  if ("status" in changeable) return changeable;
  const order = choose(video);
  if (typeof order !== "string") return order;
  if (order === "publish" && video.status !== "published") {
    const refusal = refusalsOf([id]).get(id);
    if (refusal) return failure(422, FAILED, { detail: refusal });
  }
  if (setVisibility(id, order)) {
    const action = order === "publish" ? "show" : "hide";
    recordActivity({ userId, action, subjectId: id, detail: video.title });
  }
  const now = order === "publish" ? "visible" : "hidden";
  return {
    title: "Video Updated",
    description: `Video is now ${now} on the website.`,
    kind: "success",
  };
}
