import { accountNow } from "~/features/permissions/account-now.server";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { EVIDENCE_SENTENCE, evidenceAmong } from "~/features/trash/evidence.server";
import { removeReplaced } from "~/features/trash/remove-files.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { failure } from "~/platform/failure";
import type { ToastMessage } from "~/ui/feedback/toast-message";
import { prepared, transaction } from "~db/client.server";
import type { FormFailure } from "../rejected-form";
import { fileHold, type Obstacle } from "./file-hold.server";
import { takeOver } from "./take-over.server";

/** A file of a video, whose id the form carries beside its own: who may change the one may the other. */
export interface FileOfVideo {
  id: string;
  videoId: string;
}

const GONE = "This file is no longer there. It was used, restored or removed in the meantime.";

/** The failure of a switch to another file that something keeps from happening. */
export function obstacleFailure(
  obstacle: Obstacle,
  videoId: string,
  sentence: string,
): FormFailure {
  if (obstacle === "not allowed") return failure(403, sentence, { detail: NOT_ALLOWED });
  return failure(409, sentence, { detail: fileHold(videoId) });
}

/** Does not wait until all is made of a file that is to replace another. */
export async function useAtOnce(
  file: FileOfVideo,
  userId: string,
): Promise<FormFailure | ToastMessage> {
  const outcome = isOf(file) ? await takeOver(file.id, userId) : "gone";
  const sentence = "Failed to replace the file.";
  if (outcome === "gone") return failure(404, sentence, { detail: GONE });
  if (outcome === "not ready")
    return failure(409, sentence, { detail: "It can't be played yet. Try again when it can." });
  if (outcome !== "done") return obstacleFailure(outcome, file.videoId, sentence);
  return {
    title: "File Replaced",
    description: "The video has its new file. What is not made of it yet follows.",
    kind: "success",
  };
}

/** Gives a video back a file that was replaced; the one that it has takes its place. */
export async function restoreFile(
  file: FileOfVideo,
  userId: string,
): Promise<FormFailure | ToastMessage> {
  const outcome = isOf(file) ? await takeOver(file.id, userId) : "gone";
  const sentence = "Failed to restore the file.";
  if (outcome === "gone" || outcome === "not ready")
    return failure(404, sentence, { detail: GONE });
  if (outcome !== "done") return obstacleFailure(outcome, file.videoId, sentence);
  return {
    title: "File Restored",
    description: "The video plays its earlier file again. The other is kept in the trash.",
    kind: "success",
  };
}

/** Gives up a file that was to replace another. */
export async function discardFile(
  file: FileOfVideo,
  userId: string,
): Promise<FormFailure | ToastMessage> {
  const isUploader = accountNow(userId)?.role === "uploader";
  if (isUploader && evidenceAmong([file.videoId]).size > 0) {
    return failure(409, "Failed to discard the file.", { detail: EVIDENCE_SENTENCE });
  }
  const [removed] = isOf(file) ? await removeReplaced([file.id], "pending") : [];
  if (!removed) return failure(404, "Failed to discard the file.", { detail: GONE });
  const { videoId, title } = removed;
  await transaction(() =>
    recordActivity({ userId, action: "file-discard", subjectId: videoId, detail: title }),
  );
  jobsChanged("work");
  return {
    title: "File Discarded",
    description: "The video keeps the file that it has.",
    kind: "success",
  };
}

function isOf({ id, videoId }: FileOfVideo): boolean {
  const row = prepared("SELECT 1 FROM video_files WHERE id = ? AND video_id = ?");
  return row.get(id, videoId) !== undefined;
}
