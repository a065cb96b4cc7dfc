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
  type FileAnswer,
  type FormFailure,
  readCut,
  type TrimView,
  type TypedCut,
} from "../managed-video";
import {
  activateReplacement,
  basePathOf,
  isChosen,
  isPending,
  newFileHold,
  newFileId,
  PENDING,
} from "./activate-replacement.server";
import { obstacleFailure } from "./other-files.server";

const FAILED = "Failed to cut the video.";
const UNDO_FAILED = "Failed to undo the cut.";
const CONVERTING = "This video is still being made playable. Cut it when it can be watched.";
const NO_FILE = "This video has no file on this site that could be cut.";
const MISSING = "The file of this video is not there any more, or can't be read.";
const CHANGED = "The video got another file in the meantime. Look at it again, then cut it.";
const FULL = "The disk is nearly full. Make room, and try again.";
const STORE_AWAY = "The file store isn't responding. Try again in a few minutes.";
const NO_FFMPEG = "ffmpeg is not installed on the server: nothing can be cut.";

/** What the dialog of a video shows. */
export async function trimView(videoId: string): Promise<TrimView> {
  const video = findVideo(videoId);
  const original = video && originalOf(video);
  const cut = video && cutOf(video);
  return {
    url: ownMediaPath(original?.video_url),
    duration: storedDuration(original?.duration ?? ""),
    frames: await storyboardFrames(original?.storyboard_url ?? null),
    ...(cut && { cut }),
  };
}

/**
 * Asks for a file that is a part of the video of a video. It is made from the original, also where the
 * video has a cut of it already, and takes over once all is made of it. The original is kept then.
 *
 * @returns the failure when nothing was changed: 404 for a deleted video, 409 where it has no whole file yet or another
 *   one is under way, 422 for times that are none of the video, 429 where too many requests of the account wait, 503 if
 *   the store doesn't respond, 507 for a full disk.
 */
export async function trimVideo(
  { id, ...typed }: TypedCut & { id: string },
  userId: string,
): Promise<FileAnswer> {
  const refuse = (status: FormFailure["status"], detail: string, fields: Partial<TypedCut> = {}) =>
    failure(status, FAILED, { detail, trim: { typed, fields } });
  const video = findVideo(id);
  if (!video) return { code: "gone" };
  const held = newFileHold(id);
  if (held) return refuse(409, held);
  if (isPending(id)) return refuse(409, PENDING);
  if (isBeingConverted(video)) return refuse(409, CONVERTING);
  const base = originalBase(video);
  const file = bestFilePath(originalOf(video) ?? { video_url: "", source_url: null });
  if (base === undefined || !file) return refuse(409, NO_FILE);
  if (!ffmpegAvailable()) return refuse(409, NO_FFMPEG);
  if (!(await hasFreeDiskSpace())) return refuse(507, FULL);
  const length = await lengthOf(file, userId);
  if (length instanceof UploadError) return refuse(429, length.message);
  if (length === "away") return refuse(503, STORE_AWAY);
  if (length === undefined) return refuse(409, MISSING);
  const cut = readCut(typed, length);
  if ("fields" in cut) return refuse(422, "Look at the times.", cut.fields);
  const needless = needlessCut(cut, length, cutOf(video));
  if (needless) return refuse(422, needless);
  const outcome = await store({ id, base, cut }, userId).catch((error) => {
    if (error instanceof UploadError) return FULL;
    throw error;
  });
  if (typeof outcome === "string") return refuse(outcome === FULL ? 507 : 409, outcome);
  if (outcome) return outcome;
  jobsChanged("work");
  return success("Cut Begun", "The video plays as it is until the cut is ready.");
}

/** Gives a video its original back; the cut becomes an earlier file. */
export async function undoCut(id: string, userId: string): Promise<FileAnswer> {
  if (!findVideo(id)) return { code: "gone" };
  if (isPending(id)) return failure(409, UNDO_FAILED, { detail: PENDING });
  const original = prepared("SELECT id FROM video_files WHERE video_id = ? AND state = 'original'");
  const outcome = await activateReplacement(String(original.pluck().get(id)), userId);
  if (outcome === "on hold" || outcome === "not allowed") {
    return obstacleFailure(outcome, id, UNDO_FAILED);
  }
  if (outcome !== "done") {
    const detail = "The video is not cut: somebody may have undone it in the meantime.";
    return failure(409, UNDO_FAILED, { detail });
  }
  const description = "The video plays its whole video again. The cut is kept in the trash.";
  return success("Cut Undone", description);
}

function findVideo(id: string): VideoRow | undefined {
  return firstRow(database().selectFrom("videos").selectAll().where("id", "=", id));
}

function cutOf({ cut_start: start, cut_end: end }: VideoRow): TrimRange | undefined {
  return start === null || end === null ? undefined : { start, end };
}

/** `{userId}/{uploadId}` of the file that cuts are made from. */
function originalBase(video: VideoRow): string | undefined {
  return video.cut_of ?? basePathOf(video);
}

function originalOf(video: VideoRow) {
  const base = originalBase(video);
  return base === undefined ? undefined : fileOfBasePath(video.id, base);
}

/** Its file may be put in another's place any moment. */
function isBeingConverted({ id, video_url, source_url }: VideoRow): boolean {
  const isUnderWay = prepared(
    "SELECT 1 FROM jobs WHERE video_id = ? AND kind = 'transcode' AND state IN ('waiting', 'running')",
  ).get(id);
  return isUnderWay !== undefined || (video_url === "" && source_url !== null);
}

/**
 * Seconds of a file; undefined for one that is gone or can't be read, "away" if the store doesn't respond, and an
 * error where too many requests of the account wait.
 */
async function lengthOf(
  file: string,
  userId: string,
): Promise<number | "away" | UploadError | undefined> {
  try {
    const read = async () => (await cachedProbe(file)).durationSeconds;
    return await withSlot(() => withReadableFile(file, read, { fetchCopy: false }), {
      owner: userId,
      signal: clientSignal(),
    });
  } catch (error) {
    if (error instanceof UploadError) return error;
    if (error instanceof RefusedFileError || error instanceof InterruptedError) return undefined;
    if (error instanceof StorageError) return error.isPermanent ? undefined : "away";
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Less than a picture of any video. */
const SAME_SECONDS = 0.01;

function needlessCut(
  cut: TrimRange,
  length: number,
  today: TrimRange | undefined,
): string | undefined {
  const isSame = (a: TrimRange, b: TrimRange) =>
    Math.abs(a.start - b.start) < SAME_SECONDS && Math.abs(a.end - b.end) < SAME_SECONDS;
  if (today && isSame(cut, today)) return "The video is cut like this already.";
  if (!isSame(cut, { start: 0, end: length })) return undefined;
  return today
    ? "This is the whole video: undo the cut instead."
    : "This is the whole video: nothing would be cut off.";
}

/** Writes the row of the cut, its jobs and the activity at once. Returns why not. */
async function store(
  { id, base, cut }: { id: string; base: string; cut: TrimRange },
  userId: string,
): Promise<string | Refusal | undefined> {
  const folder = path.dirname(base);
  // Stays reserved for the cut, whose row names it by its time.
  const uploadId = await reserveUploadId(folder);
  let isStored = false;
  try {
    return await transaction((): string | Refusal | undefined => {
      const video = findVideo(id);
      if (!video) return { code: "gone" };
      const changeable = changeableNow(userId, "/admin trim", [id]);
      if (isRefusal(changeable)) return changeable;
      const held = newFileHold(id);
      if (held) return held;
      if (isPending(id)) return PENDING;
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
            duration: formatDuration(Math.round(cut.end - cut.start)),
            // They come from the original, when the cut takes over.
            captions: "[]",
            sha256: original.sha256,
            cut_of: base,
            cut_start: cut.start,
            cut_end: cut.end,
          }),
      );
      const needless = isChosen(video) ? ["captions", "poster"] : ["captions"];
      const kinds = DEFAULT_KINDS.filter((kind) => !needless.includes(kind));
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
