import { jobsOfComparison, uncomparedOf } from "~/features/processing/comparison/compared.server";
import { askForFingerprint } from "~/features/processing/comparison/fingerprint.server";
import { dismissLikenesses } from "~/features/processing/comparison/likeness.server";
import { jobChanger } from "~/features/processing/queue/change-jobs.server";
import { JOB_LABELS, PRIORITIES } from "~/features/processing/queue/kinds";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { releaseHold } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { type Failure, failure } from "~/platform/failure";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { transaction } from "~db/client.server";

const FAILED = "Failed to change the review.";
const NOT_WAITING = "This video is no longer waiting for its comparison.";
const UNDER_WAY = "This video is already being compared or queued for it.";
const WITHOUT_FFMPEG = "ffmpeg is not installed on the server, so nothing can be compared.";

interface Video {
  id: string;
  title: string;
}

/**
 * Retries the failed comparison of a video and the failed jobs that it depends on. Once it is done, the video is
 * released like any other.
 */
export async function compareAgain(
  { id, title }: Video,
  userId: string,
): Promise<Failure | ToastMessage> {
  if (!ffmpegAvailable()) return failure(409, FAILED, { detail: WITHOUT_FFMPEG });
  const refusal = await transaction(() => {
    const uncompared = uncomparedOf(id);
    if (!uncompared) return NOT_WAITING;
    if (!uncompared.failure) return UNDER_WAY;
    const failed = jobsOfComparison(id).filter(({ state }) => state === "failed");
    jobChanger("again")({ jobs: failed.map((job) => job.id) });
    // Enqueued directly, not by the storyboard job, which may be the one that failed.
    askForFingerprint(id, PRIORITIES.fingerprint);
    const detail = `${JOB_LABELS.fingerprint} of “${title}”`;
    const entry = { userId, subjectId: id, detail };
    recordActivity({ ...entry, action: "queue-again" });
    return undefined;
  });
  if (refusal) return failure(409, FAILED, { detail: refusal });
  jobsChanged("work");
  return done("The comparison is queued again.");
}

/**
 * Releases a video without a comparison, because somebody has watched it. Other holds stay.
 */
export async function releaseUncompared(
  { id, title }: Video,
  userId: string,
): Promise<Failure | ToastMessage> {
  const isReleased = await transaction(() => {
    const uncompared = uncomparedOf(id);
    if (!uncompared || !releaseHold({ videoId: id, reason: "comparing" })) return false;
    const hasFailed = uncompared.failure !== undefined;
    appendToLog({ action: "release-uncompared", videoId: id, userId, detail: { hasFailed } });
    const entry = { userId, subjectId: id, detail: title };
    recordActivity({ ...entry, action: "block-looked" });
    return true;
  });
  if (!isReleased) return failure(409, FAILED, { detail: NOT_WAITING });
  return done(
    isPublic(id) ? "The video is published." : "The video is no longer on hold for its comparison.",
  );
}

const done = (description: string) => success("Review", description);

/**
 * Marks a video as different from the listed videos that it looks like, and releases its holds for that.
 *
 * @param films the entries that the page showed. Another may have been found since.
 * @returns false if it was already marked.
 */
export async function sayOtherFilm(
  video: { id: string; title: string },
  films: readonly string[],
  userId: string,
): Promise<boolean> {
  return transaction(() => {
    if (!dismissLikenesses(video.id, films)) return false;
    // A person has checked the video, so a comparison isn't needed.
    releaseHold({ videoId: video.id, reason: "comparing" });
    appendToLog({ action: "other-film", videoId: video.id, userId });
    const entry = { userId, subjectId: video.id, detail: video.title };
    recordActivity({ ...entry, action: "block-other" });
    return true;
  });
}
