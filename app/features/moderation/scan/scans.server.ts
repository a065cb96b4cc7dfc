import { dismissMatches } from "~/features/processing/comparison/block-list-matches.server";
import { jobsOfComparison, uncomparedOf } from "~/features/processing/comparison/compared.server";
import { enqueueFingerprint } from "~/features/processing/comparison/fingerprint.server";
import { endScan, scanAgain } from "~/features/processing/kinds/scan.server";
import { createJobChanger } from "~/features/processing/queue/change-jobs.server";
import { JOB_LABELS, PRIORITIES } from "~/features/processing/queue/kinds";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import { releaseHold } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { appendToLog } from "~/platform/activity/moderation-log.server";
import { type Failure, failure } from "~/platform/failure";
import { success, type ToastMessage } from "~/ui/feedback/toast-message";
import { prepared, transaction } from "~db/client.server";
import type { ScanFindingsTable } from "~db/schema/media";

const FAILED = "Nothing was changed.";
const DECIDED = "The scan has finished, or someone else decided in the meantime. Reload the page.";

/** The scan of a video's file, or of a file that will replace it. */
export interface Scan {
  /** The id of the video or of the new file. */
  id: string;
  isReplacement: boolean;
  /** `waiting`: there is no result yet. `failed`: the scan isn't retried automatically. */
  state: ScanFindingsTable["verdict"] | "waiting" | "failed";
  /** The reason printed by the command, or the reason why there is no result. */
  reason: string;
}

const NOTHING_QUEUED = "No scan is queued.";

/** Returns a video's scans that are unfinished or have found something. */
export function scansOf(videoId: string): Scan[] {
  const rows = prepared<{
    id: string;
    isReplacement: number;
    verdict: ScanFindingsTable["verdict"] | null;
    reason: string | null;
    job: string | null;
    jobReason: string | null;
  }>(
    `SELECT subject.id, subject.id <> @videoId AS isReplacement, verdict, finding.reason,
       job.state AS job, job.reason AS jobReason
     FROM (SELECT @videoId AS id WHERE EXISTS
             (SELECT 1 FROM video_holds WHERE video_id = @videoId AND reason = 'scan')
             OR EXISTS (SELECT 1 FROM scan_findings WHERE video_id = @videoId)
           UNION ALL SELECT id FROM video_files WHERE video_id = @videoId AND state = 'pending') AS subject
       LEFT JOIN scan_findings AS finding ON finding.video_id = subject.id
       LEFT JOIN jobs AS job ON job.video_id = subject.id AND job.kind = 'scan'`,
  ).all({ videoId });
  return rows.flatMap((row) => {
    const isUnderWay = row.job === "waiting" || row.job === "running";
    // This is a pending file that has passed its scan or doesn't have to be scanned.
    if (row.isReplacement === 1 && !row.verdict && (row.job === null || row.job === "done"))
      return [];
    const state =
      row.verdict && (row.verdict !== "unchecked" || isUnderWay)
        ? row.verdict
        : isUnderWay
          ? "waiting"
          : "failed";
    const reason = row.reason ?? row.jobReason ?? (state === "failed" ? NOTHING_QUEUED : "");
    return [{ id: row.id, isReplacement: row.isReplacement === 1, state, reason }];
  });
}

export interface ScannedVideo {
  id: string;
  title: string;
  verdict: ScanFindingsTable["verdict"];
  reason: string;
}

/** Returns the videos with findings for which no editor has made a decision yet. Refused videos come first. */
export function undecidedScans(most: number): ScannedVideo[] {
  const ofVerdict = prepared<ScannedVideo>(
    `SELECT videos.id, title, verdict, reason
     FROM scan_findings LEFT JOIN video_files AS file ON file.id = scan_findings.video_id
       JOIN videos ON videos.id = coalesce(file.video_id, scan_findings.video_id)
     WHERE verdict = ? ORDER BY found_at DESC LIMIT ?`,
  );
  const found: ScannedVideo[] = [];
  for (const verdict of ["refuse", "hold", "unchecked"] as const) {
    found.push(...ofVerdict.all(verdict, most - found.length));
  }
  return found;
}

interface Video {
  id: string;
  title: string;
}

/**
 * Releases a video, or its replacement file, despite the scan's result.
 *
 * @param isSure whether the user has confirmed that the result is wrong, which is required for a refused file.
 */
export async function releaseDespiteScan(
  { id, title }: Video,
  scanId: string,
  isSure: boolean,
  userId: string,
): Promise<Failure | ToastMessage> {
  const outcome = await transaction(() => {
    const scan = scansOf(id).find((each) => each.id === scanId);
    if (!scan || scan.state === "waiting") return "decided";
    if (scan.state === "refuse" && !isSure) return "not sure";
    endScan(scanId);
    const detail = { verdict: scan.state, isReplacement: scan.isReplacement };
    appendToLog({ action: "release-scan", videoId: id, userId, detail });
    const entry = { userId, subjectId: id, detail: title };
    recordActivity({ ...entry, action: "scan-release" });
    return scan.isReplacement ? "replacement" : "video";
  });
  if (outcome === "decided") return failure(409, FAILED, { detail: DECIDED });
  if (outcome === "not sure")
    return failure(422, FAILED, { detail: "Confirm that you have checked the video." });
  jobsChanged("work");
  if (outcome === "replacement")
    return done("The video will switch to the new file when the file is ready.");
  return done(
    isPublic(id)
      ? "The video is published."
      : "The video is no longer on hold because of the scan.",
  );
}

/** Scans a file again, for example after the command has been fixed. */
export async function rescan(
  { id, title }: Video,
  scanId: string,
  userId: string,
): Promise<Failure | ToastMessage> {
  const isQueued = await transaction(() => {
    const scan = scansOf(id).find((each) => each.id === scanId);
    if (!scan || scan.state === "waiting") return false;
    scanAgain(scanId);
    const entry = { userId, subjectId: id, detail: title };
    recordActivity({ ...entry, action: "scan-again" });
    return true;
  });
  if (!isQueued) return failure(409, FAILED, { detail: DECIDED });
  jobsChanged("work");
  return done("The scan is queued again.");
}

const done = (description: string) => success("Review", description);

const NOT_WAITING = "This video is no longer waiting for a comparison.";
const UNDER_WAY = "This video is already being compared, or is queued for it.";
const WITHOUT_FFMPEG = "ffmpeg is not installed on the server, so nothing can be compared.";

/**
 * Retries the failed comparison of a video and the failed jobs that it depends on. If the comparison finds no match,
 * the video is released like any other.
 */
export async function retryComparison(
  { id, title }: Video,
  userId: string,
): Promise<Failure | ToastMessage> {
  if (!ffmpegAvailable()) return failure(409, FAILED, { detail: WITHOUT_FFMPEG });
  const refusal = await transaction(() => {
    const uncompared = uncomparedOf(id);
    if (!uncompared) return NOT_WAITING;
    if (!uncompared.failure) return UNDER_WAY;
    const failed = jobsOfComparison(id).filter(({ state }) => state === "failed");
    createJobChanger("again")({ jobs: failed.map((job) => job.id) });
    // The comparison is enqueued directly rather than by the storyboard job, which may be the job that failed.
    enqueueFingerprint(id, PRIORITIES.fingerprint);
    const detail = `${JOB_LABELS.fingerprint} of “${title}”`;
    const entry = { userId, subjectId: id, detail };
    recordActivity({ ...entry, action: "queue-again" });
    return undefined;
  });
  if (refusal) return failure(409, FAILED, { detail: refusal });
  jobsChanged("work");
  return done("The comparison is queued again.");
}

/** Releases a video without a comparison, because an editor has watched it. Other holds stay. */
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
    isPublic(id)
      ? "The video is published."
      : "The video is no longer on hold because of the comparison.",
  );
}

/**
 * Marks a video as different from similar videos on the block list, and releases the holds that they caused.
 *
 * @param videos the entries shown on the page. More entries may have been found since.
 * @returns false if the video was already marked.
 */
export async function dismissBlockListMatches(
  video: Video,
  videos: readonly string[],
  userId: string,
): Promise<boolean> {
  return transaction(() => {
    if (!dismissMatches(video.id, videos)) return false;
    // A person has checked the video, so a comparison isn't needed.
    releaseHold({ videoId: video.id, reason: "comparing" });
    appendToLog({ action: "other-video", videoId: video.id, userId });
    const entry = { userId, subjectId: video.id, detail: video.title };
    recordActivity({ ...entry, action: "block-other" });
    return true;
  });
}
