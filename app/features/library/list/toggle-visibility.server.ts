import { refusalsOf } from "~/features/consent/validity.server";
import { changeableNow } from "~/features/permissions/own-videos.server";
import { isRefusal, type Refusal } from "~/features/permissions/refusal";
import { setVisibility } from "~/features/visibility/visibility.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { database, transaction } from "~db/client.server";
import { firstRow } from "~db/run-query.server";
import type { VideoRow, VideoStatus } from "~db/schema";
import { toggledStatus } from "./managed-video";

export interface VisibilityChange {
  now: "visible" | "hidden";
}

/**
 * Switches published to hidden and anything else to published.
 *
 * @param expectedStatus the status that the button was pressed on: the change is refused if the status differs, so
 *   that the second of two admins doesn't undo what the first has done.
 */
export function toggleVideo(
  { id, expectedStatus }: { id: string; expectedStatus?: VideoStatus },
  userId: string,
): Promise<VisibilityChange | Refusal> {
  return transaction(() =>
    changeIn(id, userId, ({ status }) => {
      if (expectedStatus && expectedStatus !== status) return { code: "status-changed" };
      return toggledStatus(status) === "published" ? "publish" : "hide";
    }),
  );
}

/** Publishes or hides a video, whatever its status is, as a part of a transaction. */
export function publishOrHideIn(
  id: string,
  order: "publish" | "hide",
  userId: string,
): VisibilityChange | Refusal {
  return changeIn(id, userId, () => order);
}

type Choose = (video: Pick<VideoRow, "status">) => "publish" | "hide" | Refusal;

function changeIn(id: string, userId: string, choose: Choose): VisibilityChange | Refusal {
  const video = firstRow(
    database().selectFrom("videos").select(["title", "status"]).where("id", "=", id),
  );
  if (!video) return { code: "gone" };
  const changeable = changeableNow(userId, "/admin toggle", [id]);
  if (isRefusal(changeable)) return changeable;
  const order = choose(video);
  if (typeof order !== "string") return order;
  if (order === "publish" && video.status !== "published") {
    const reason = refusalsOf([id]).get(id);
    if (reason) return { code: "not-publishable", reason };
  }
  if (setVisibility(id, order)) {
    const action = order === "publish" ? "show" : "hide";
    recordActivity({ userId, action, subjectId: id, detail: video.title });
  }
  return { now: order === "publish" ? "visible" : "hidden" };
}
