import { accountNow } from "~/features/permissions/may-change.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { evidenceAmong } from "~/features/trash/evidence.server";
import { type RemovedFile, removeReplaced } from "~/features/trash/trash.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { failure } from "~/platform/failure";
import { storedDuration } from "~/shared/format";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared } from "~db/client.server";
import type { FileResult, OtherFile, OtherFiles } from "../managed-video";
import {
  activateReplacement,
  fileHoldMessage,
  findObstacle,
  isReady,
  type Obstacle,
} from "./activate-replacement.server";

const WAITS_FOR_EDITOR =
  "An editor has to switch to this file because the account that uploaded it can no longer change this video.";

type Row = OtherFile & {
  video_id: string;
  user_id: string | null;
  state: "pending" | "earlier" | "original";
  video_url: string;
  failed: 0 | 1;
  cut_start: number | null;
  cut_end: number | null;
};

/** Returns all of a video's files except the current one. The most recently replaced file comes first. */
export function otherFiles(videoId: string): OtherFiles {
  const rows = prepared<Row>(
    `SELECT file.id, video_id, user_id, state, duration, video_url, bytes, users.email AS by, cut_start, cut_end,
       coalesce(replaced_at, file.created_at) AS at,
       EXISTS (SELECT 1 FROM jobs WHERE jobs.video_id = file.id AND jobs.state = 'failed'
         AND kind IN ('transcode', 'ladder')) AS failed
     FROM video_files AS file LEFT JOIN users ON users.id = user_id
     WHERE video_id = ? AND state IN ('pending', 'earlier', 'original')
     ORDER BY replaced_at DESC`,
  ).all(videoId);
  const toOtherFile = ({ id, duration, bytes, at, by, cut_start, cut_end }: Row): OtherFile => ({
    ...{ id, duration: storedDuration(duration), bytes, at, by },
    ...(cut_start !== null && cut_end !== null && { range: { start: cut_start, end: cut_end } }),
  });
  const pending = rows.find(({ state }) => state === "pending");
  const original = rows.find(({ state }) => state === "original");
  return {
    ...(original && { original: toOtherFile(original) }),
    ...(pending && {
      pending: {
        ...toOtherFile(pending),
        isPlayable: isReady(pending, true),
        hasFailed: pending.failed === 1,
        waitsFor: waitsFor(pending),
      },
    }),
    earlier: rows.filter(({ state }) => state === "earlier").map(toOtherFile),
  };
}

function waitsFor(file: Row): string | undefined {
  return findObstacle(file, null) === "not allowed"
    ? WAITS_FOR_EDITOR
    : fileHoldMessage(file.video_id);
}

/** A file and the id of its video, for which the user's permissions are checked. */
interface FileOfVideo {
  id: string;
  videoId: string;
}

const GONE =
  "This file is no longer available. Someone may have switched to it, restored it or removed it.";

/** Returns the failure to show if an obstacle prevents a switch to another file. */
export function obstacleFailure(obstacle: Obstacle, videoId: string, message: string): FileResult {
  if (obstacle === "not allowed") return { code: "not-allowed" };
  return failure(409, message, { detail: fileHoldMessage(videoId) });
}

/** Switches a video to another file. */
async function switchTo(
  file: FileOfVideo,
  userId: string,
  message: string,
  done: ToastMessage,
): Promise<FileResult> {
  const outcome = belongsToVideo(file) ? await activateReplacement(file.id, userId) : "gone";
  if (outcome === "done") return done;
  if (outcome === "gone") return failure(404, message, { detail: GONE });
  if (outcome === "not ready")
    return failure(409, message, { detail: "This file can’t be played yet. Try again later." });
  return obstacleFailure(outcome, file.videoId, message);
}

/** Switches a video to its pending file before that file is fully processed. */
export function activateNow(file: FileOfVideo, userId: string): Promise<FileResult> {
  const description = "The video now uses the new file. Processing continues in the background.";
  return switchTo(
    file,
    userId,
    "Failed to replace the file.",
    success("File replaced", description),
  );
}

/** Switches a video back to a replaced file. The current file becomes an earlier one. */
export function restoreFile(file: FileOfVideo, userId: string): Promise<FileResult> {
  const description = "The earlier file was restored. The file it replaced is in the trash.";
  return switchTo(
    file,
    userId,
    "Failed to restore the file.",
    success("File restored", description),
  );
}

/** Removes a video's pending file. */
export async function discardFile(file: FileOfVideo, userId: string): Promise<FileResult> {
  const isUploader = accountNow(userId)?.role === "uploader";
  if (isUploader && evidenceAmong([file.videoId]).size > 0) return { code: "evidence" };
  const record = (removed: readonly RemovedFile[]) => {
    for (const { videoId, title } of removed)
      recordActivity({ userId, action: "file-discard", subjectId: videoId, detail: title });
  };
  const removed = belongsToVideo(file)
    ? await removeReplaced([file.id], "pending", { record })
    : [];
  if (removed.length === 0) return failure(404, "Failed to discard the file.", { detail: GONE });
  jobsChanged("work");
  return success("File discarded", "The video keeps its current file.");
}

function belongsToVideo({ id, videoId }: FileOfVideo): boolean {
  const row = prepared("SELECT 1 FROM video_files WHERE id = ? AND video_id = ?");
  return row.get(id, videoId) !== undefined;
}
