import path from "node:path";
import { changeableNow, isRefusal, type Refusal } from "~/features/permissions/may-change.server";
import { DEFAULT_KINDS, enqueueJobs } from "~/features/processing/queue/enqueue.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import type { TrimRange } from "~/media/encode/artifact";
import { hasFreeDiskSpace } from "~/media/files/disk.server";
import { withReadableFile } from "~/media/files/local-copies.server";
import { bestFilePath, fileOfBasePath } from "~/media/files/trim-source.server";
import { releaseUploadId, reserveUploadId } from "~/media/intake/move-into-bucket.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { ffmpegAvailable, InterruptedError } from "~/media/probe/ffmpeg.server";
import { cachedProbe, RefusedFileError } from "~/media/probe/probe.server";
import { withSlot } from "~/media/probe/process-gate.server";
import { StorageError } from "~/media/storage/object-store";
import { recordActivity } from "~/platform/activity/activity.server";
import { failure } from "~/platform/failure";
import { clientSignal } from "~/platform/node/request-context.server";
import { formatDuration, storedDuration } from "~/shared/format";
import { ownMediaPath } from "~/shared/media-path";
import { success } from "~/ui/feedback/toast-message";
import { database, prepared, transaction } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import type { VideoRow } from "~db/schema";
import { storyboardFrames } from "../edit/frames.server";
import {
  type FileResult,
  type FormFailure,
  readRange,
  type TrimView,
  type TypedRange,
} from "../managed-video";
import {
  activateReplacement,
  basePathOf,
  hasCustomThumbnail,
  hasPendingFile,
  newFileId,
  PENDING_MESSAGE,
  uploadHoldMessage,
} from "./activate-replacement.server";
import { obstacleFailure } from "./other-files.server";

const FAILED = "Failed to trim the video.";
const UNDO_FAILED = "Failed to undo the trim.";
const CONVERTING = "This video is still being processed. Trim it once it can be played.";
const NO_FILE = "This video can’t be trimmed because it has no file on this site.";
const MISSING = "This video’s file is missing or can’t be read.";
const CHANGED = "The video’s file was replaced in the meantime. Check the times, then try again.";
const FULL = "The disk is almost full. Free up space, then try again.";
const STORE_UNAVAILABLE = "The file store isn't responding. Try again in a few minutes.";
const NO_FFMPEG = "Videos can’t be trimmed because ffmpeg is not installed on the server.";

/** Returns the data for the trim dialog. */
export async function trimView(videoId: string): Promise<TrimView> {
  const video = findVideo(videoId);
  const original = video && originalOf(video);
  const range = video && trimRangeOf(video);
  return {
    url: ownMediaPath(original?.video_url),
    duration: storedDuration(original?.duration ?? ""),
    frames: await storyboardFrames(original?.storyboard_url ?? null),
    ...(range && { range }),
  };
}

/**
 * Trims a video: enqueues a file that contains the given range of the original, even if the video is already trimmed.
 * The video switches to that file once it is fully processed, and keeps the original.
 *
 * @returns a failure if nothing was changed: 404 for a deleted video; 409 if the video has no playable file yet or
 *   another file is pending; 422 for invalid times; 429 if too many of the account's requests are waiting; 503 if the
 *   file store doesn't respond; 507 if the disk is full.
 */
export async function trimVideo(
  { id, ...typed }: TypedRange & { id: string },
  userId: string,
): Promise<FileResult> {
  const refuse = (
    status: FormFailure["status"],
    detail: string,
    fields: Partial<TypedRange> = {},
  ) => failure(status, FAILED, { detail, trim: { typed, fields } });
  const video = findVideo(id);
  if (!video) return { code: "gone" };
  const held = uploadHoldMessage(id);
  if (held) return refuse(409, held);
  if (hasPendingFile(id)) return refuse(409, PENDING_MESSAGE);
  if (isBeingConverted(video)) return refuse(409, CONVERTING);
  const base = originalBase(video);
  const file = bestFilePath(originalOf(video) ?? { video_url: "", source_url: null });
  if (base === undefined || !file) return refuse(409, NO_FILE);
  if (!ffmpegAvailable()) return refuse(409, NO_FFMPEG);
  if (!(await hasFreeDiskSpace())) return refuse(507, FULL);
  const length = await durationOf(file, userId);
  if (length instanceof UploadError) return refuse(429, length.message);
  if (length === "unavailable") return refuse(503, STORE_UNAVAILABLE);
  if (length === undefined) return refuse(409, MISSING);
  const range = readRange(typed, length);
  if ("fields" in range) return refuse(422, "Check the start and end times.", range.fields);
  const unneeded = unnecessaryTrim(range, length, trimRangeOf(video));
  if (unneeded) return refuse(422, unneeded);
  const outcome = await store({ id, base, range }, userId).catch((error) => {
    if (error instanceof UploadError) return FULL;
    throw error;
  });
  if (typeof outcome === "string") return refuse(outcome === FULL ? 507 : 409, outcome);
  if (outcome) return outcome;
  jobsChanged("work");
  return success(
    "Trimming started",
    "The current version stays online until the trimmed one is ready.",
  );
}

/** Switches a video back to its original. The trimmed file becomes an earlier file. */
export async function undoTrim(id: string, userId: string): Promise<FileResult> {
  if (!findVideo(id)) return { code: "gone" };
  if (hasPendingFile(id)) return failure(409, UNDO_FAILED, { detail: PENDING_MESSAGE });
  const original = prepared("SELECT id FROM video_files WHERE video_id = ? AND state = 'original'");
  const outcome = await activateReplacement(String(original.pluck().get(id)), userId);
  if (outcome === "on hold" || outcome === "not allowed") {
    return obstacleFailure(outcome, id, UNDO_FAILED);
  }
  if (outcome !== "done") {
    const detail = "The video isn’t trimmed. Someone may have undone the trim in the meantime.";
    return failure(409, UNDO_FAILED, { detail });
  }
  const description = "The original was restored. The trimmed file is in the trash.";
  return success("Trim undone", description);
}

function findVideo(id: string): VideoRow | undefined {
  return firstRow(database().selectFrom("videos").selectAll().where("id", "=", id));
}

function trimRangeOf({ cut_start: start, cut_end: end }: VideoRow): TrimRange | undefined {
  return start === null || end === null ? undefined : { start, end };
}

/** Returns `{userId}/{uploadId}` of the file that trimmed files are created from. */
function originalBase(video: VideoRow): string | undefined {
  return video.cut_of ?? basePathOf(video);
}

function originalOf(video: VideoRow) {
  const base = originalBase(video);
  return base === undefined ? undefined : fileOfBasePath(video.id, base);
}

/** Returns whether a running transcode is about to replace the video's file. */
function isBeingConverted({ id, video_url, source_url }: VideoRow): boolean {
  const isTranscoding = prepared(
    "SELECT 1 FROM jobs WHERE video_id = ? AND kind = 'transcode' AND state IN ('waiting', 'running')",
  ).get(id);
  return isTranscoding !== undefined || (video_url === "" && source_url !== null);
}

/**
 * Returns the duration of a file in seconds; undefined if the file doesn't exist or can't be read, "unavailable" if the
 * file store doesn't respond, and an error if too many of the account's requests are waiting.
 */
async function durationOf(
  file: string,
  userId: string,
): Promise<number | "unavailable" | UploadError | undefined> {
  try {
    const read = async () => (await cachedProbe(file)).durationSeconds;
    return await withSlot(() => withReadableFile(file, read, { fetchCopy: false }), {
      owner: userId,
      signal: clientSignal(),
    });
  } catch (error) {
    if (error instanceof UploadError) return error;
    if (error instanceof RefusedFileError || error instanceof InterruptedError) return undefined;
    if (error instanceof StorageError) return error.isPermanent ? undefined : "unavailable";
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Shorter than one frame of any video. */
const SAME_SECONDS = 0.01;

function unnecessaryTrim(
  range: TrimRange,
  length: number,
  current: TrimRange | undefined,
): string | undefined {
  const isSame = (a: TrimRange, b: TrimRange) =>
    Math.abs(a.start - b.start) < SAME_SECONDS && Math.abs(a.end - b.end) < SAME_SECONDS;
  if (current && isSame(range, current)) return "The video is already trimmed to this range.";
  if (!isSame(range, { start: 0, end: length })) return undefined;
  return current
    ? "This is the full length of the video. Undo the trim instead."
    : "This is the full length of the video, so there is nothing to trim.";
}

/**
 * Writes the trimmed file's row, its jobs and the activity in one transaction. Returns the reason if something prevents
 * this.
 */
async function store(
  { id, base, range }: { id: string; base: string; range: TrimRange },
  userId: string,
): Promise<string | Refusal | undefined> {
  const folder = path.dirname(base);
  // The id stays reserved for the trimmed file. It is a timestamp, which the file's row stores as its creation time.
  const uploadId = await reserveUploadId(folder);
  let isStored = false;
  try {
    return await transaction((): string | Refusal | undefined => {
      const video = findVideo(id);
      if (!video) return { code: "gone" };
      const changeable = changeableNow(userId, "/admin trim", [id]);
      if (isRefusal(changeable)) return changeable;
      const held = uploadHoldMessage(id);
      if (held) return held;
      if (hasPendingFile(id)) return PENDING_MESSAGE;
      const original = originalOf(video);
      if (originalBase(video) !== base || !original || isBeingConverted(video)) return CHANGED;
      const file = newFileId();
      runChange(
        database()
          .insertInto("video_files")
          .values({
            id: file,
            video_id: id,
            state: "pending",
            user_id: userId,
            created_at: new Date(uploadId).toISOString(),
            duration: formatDuration(Math.round(range.end - range.start)),
            // Set when the video switches to this file.
            captions: "[]",
            sha256: original.sha256,
            cut_of: base,
            cut_start: range.start,
            cut_end: range.end,
          }),
      );
      const unneeded = hasCustomThumbnail(video) ? ["captions", "poster"] : ["captions"];
      const kinds = DEFAULT_KINDS.filter((kind) => !unneeded.includes(kind));
      enqueueJobs([file], kinds);
      const entry = { userId, subjectId: id, detail: video.title };
      recordActivity({ ...entry, action: "cut-ask" });
      isStored = true;
      return undefined;
    });
  } finally {
    if (!isStored) await releaseUploadId(folder, uploadId);
  }
}
