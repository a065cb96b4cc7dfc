import { consentRefusals } from "~/features/consent/validity.server";
import {
  type Acceptance,
  checkTerms,
  storeAcceptance,
} from "~/features/moderation/uploaders/terms.server";
import {
  accountNow,
  changeableNow,
  isRefusal,
  type Refusal,
} from "~/features/permissions/may-change.server";
import { ownVideosOf } from "~/features/permissions/permissions";
import { compareFile } from "~/features/processing/comparison/block-list-matches.server";
import { scanReplacement } from "~/features/processing/kinds/scan.server";
import { DEFAULT_KINDS, enqueueJobs } from "~/features/processing/queue/enqueue.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import {
  findDuplicate,
  insertUnlessBlocked,
  type ProbedVideo,
  probeUpload,
  refuseBlockedFile,
} from "~/features/upload/file-checks.server";
import { requireQuota } from "~/features/upload/quota.server";
import { shareOutcome } from "~/features/upload/upload-outcomes.server";
import { bucketFile, mediaUrl } from "~/media/bucket.server";
import { moveIntoBucket } from "~/media/intake/move-into-bucket.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { readFinishedUpload, removeUpload, storeFinishedUpload } from "~/media/intake/tus.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { diskUsage, recordFileIn } from "~/media/media-files.server";
import { removeMetadata } from "~/media/metadata/clean-files.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { failure } from "~/platform/failure";
import { incompleteMessage } from "~/shared/cut-off";
import { formatDuration } from "~/shared/format";
import { success } from "~/ui/feedback/toast-message";
import { database } from "~db/client.server";
import { firstRow, runChange } from "~db/run-query.server";
import {
  type FileResult,
  type FormFailure,
  type ReplaceQuestion,
  UNTIL_READY,
} from "../managed-video";
import {
  activateReplacement,
  fileHoldMessage,
  hasCustomThumbnail,
  hasPendingFile,
  newFileId,
  PENDING_MESSAGE,
  uploadHoldMessage,
} from "./activate-replacement.server";

const FAILED = "Failed to replace the file.";
const refuse = (status: FormFailure["status"], detail: string, question?: ReplaceQuestion) =>
  failure(status, FAILED, { detail, replace: { question } });
/**
 * A replacement that resembles a removed video is rejected, because nobody would review it. A new video, by contrast,
 * is put on hold and reviewed.
 */
const RESEMBLES_BLOCKED =
  "This file looks like a removed video. Upload it as a new video so that an editor can check it.";
const RECORD_FIRST = "Add the consent record before you replace the file.";
/** A video that may be public must not get a file that hasn't been compared with the block list. */
const NOT_COMPARED =
  "This file couldn’t be compared with removed videos in time. Try again in a few minutes, or upload it as a new video.";

/** The fields of the replace form. */
export interface Replacement {
  /** The id of the video. */
  id: string;
  /** The file that was sent with the form or, if there is none, the name of a finished upload. */
  file?: ReceivedFile;
  upload?: string;
  /** The reason why the file sent with the form was rejected. */
  fileError?: UploadError;
  /**
   * If `duplicate` is `ask`, the user is asked about a duplicate. If `incomplete` is `keep`, an incomplete file is
   * accepted.
   */
  duplicate?: string;
  incomplete?: string;
  /** The version of the uploader terms that was accepted. */
  terms?: string;
}

/**
 * Accepts a replacement for a video's file, after the same checks as for an upload. The replacement is stored and
 * processed in a separate row, and the video doesn't change until processing is done.
 *
 * @returns a failure if nothing was changed: 404 for a deleted video; 409 with a question for the user, or if another
 *   file is pending; otherwise the same failures as for an upload. After a failure, a finished upload stays available
 *   for another attempt.
 */
export async function replaceFile(replacement: Replacement, userId: string): Promise<FileResult> {
  const { upload, file: _, fileError: __, ...fields } = replacement;
  if (!upload) return tryToReplace(replacement, userId);
  const request = JSON.stringify(["replace", fields]);
  return shareOutcome({ userId, upload, request }, () => tryToReplace(replacement, userId));
}

async function tryToReplace(replacement: Replacement, userId: string): Promise<FileResult> {
  const { upload } = replacement;
  try {
    return await checkAndStore(replacement, userId);
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    // Don't keep the upload, because another attempt would fail as well.
    if (upload !== undefined && error.field === "video") await removeUpload(userId, upload);
    const { status, message, retryAfterSeconds } = error;
    return { ...refuse(status as FormFailure["status"], message), retryAfterSeconds };
  }
}

async function checkAndStore(
  { id, file: sent, upload, fileError, duplicate, incomplete, terms }: Replacement,
  userId: string,
): Promise<FileResult> {
  if (fileError) throw fileError;
  const video = findVideo(id);
  if (!video) return { code: "gone" };
  const held = uploadHoldMessage(id);
  if (held) return refuse(409, held);
  const refusal = consentRefusals([id]).get(id);
  // Otherwise, a different video would become public without a consent record.
  if (refusal && video.status === "published") return refuse(422, `${refusal} ${RECORD_FIRST}`);
  const file = upload ? await readFinishedUpload(userId, upload) : sent;
  if (!file) return refuse(422, "Choose a video file.");
  const ask = async (kind: ReplaceQuestion["kind"], detail: string, status: 409 | 422 = 409) => {
    const uploadName = upload ?? (await storeFinishedUpload(userId, file));
    return refuse(status, detail, { upload: uploadName, fileName: file.name, kind });
  };
  if (hasPendingFile(id)) return refuse(409, PENDING_MESSAGE);
  requireQuota(userId, file.bytes);
  const agreed = checkTerms(terms ?? file.terms);
  if (agreed.refusal) return ask("terms", agreed.refusal, 422);
  const sender = { userId, detail: video.title, subjectId: id };
  await refuseBlockedFile(file, sender);
  const account = accountNow(userId);
  const own = account && ownVideosOf(account, "/admin replace")?.userId;
  const duplicateOf = duplicate === "ask" ? await findDuplicate(file.sha256, own) : undefined;
  if (duplicateOf) return ask("duplicate", `Duplicate of “${duplicateOf.title}”.`);
  const probed = await probeUpload(file.path, userId);
  if (probed.cutOff && incomplete !== "keep")
    return ask("incomplete", incompleteMessage(probed.cutOff));
  const comparison = await compareFile(file.path);
  if (comparison === "late") throw new UploadError(503, NOT_COMPARED);
  if (comparison && comparison.blockedVideos.length > 0)
    throw new UploadError(422, RESEMBLES_BLOCKED, "video");
  const stored = await store(id, file, probed, sender, agreed.acceptance);
  if (typeof stored !== "string") return stored;
  if (upload) await removeUpload(userId, upload);
  jobsChanged("work");
  // If nothing has to be processed, for example because ffmpeg is missing, the video switches immediately.
  const isDone = (await activateReplacement(stored, null)) === "done";
  const messages = [
    isDone ? "The video now uses the new file." : UNTIL_READY,
    refusal,
    fileHoldMessage(id),
  ];
  return success(isDone ? "File replaced" : "File uploaded", messages.filter(Boolean).join(" "));
}

/** Moves the file into its bucket, then writes its row, media record, jobs and activity in one transaction. */
async function store(
  videoId: string,
  file: ReceivedFile,
  probed: ProbedVideo,
  sender: { userId: string; detail: string; subjectId: string },
  acceptance: Acceptance | undefined,
): Promise<string | FormFailure | Refusal> {
  const { userId } = sender;
  // The file is checked again before its metadata is removed, because removing the metadata changes its digests.
  await refuseBlockedFile(file, sender);
  const isClean = probed.playable && (await removeMetadata({ file: file.path }));
  const moved = await moveIntoBucket(userId, { file: file.path, extension: probed.extension });
  const id = newFileId();
  const name = { bucket: "videos", path: moved.videoPath } as const;
  const url = mediaUrl(name.bucket, name.path);
  let outcome: string | FormFailure | Refusal;
  try {
    const bytes = await diskUsage(bucketFile(name.bucket, name.path) ?? "");
    outcome = await insertUnlessBlocked(file, sender, () => {
      const video = findVideo(videoId);
      if (!video) return { code: "gone" };
      const changeable = changeableNow(userId, "/admin replace", [videoId]);
      if (isRefusal(changeable)) return changeable;
      const held = uploadHoldMessage(videoId);
      if (held) return refuse(409, held);
      if (hasPendingFile(videoId)) return refuse(409, PENDING_MESSAGE);
      requireQuota(userId, bytes);
      runChange(
        database()
          .insertInto("video_files")
          .values({
            id,
            video_id: videoId,
            state: "pending",
            user_id: userId,
            duration: formatDuration(probed.durationSeconds ?? 0),
            video_url: isClean ? url : "",
            source_url: isClean ? null : url,
            sha256: file.sha256,
          }),
      );
      recordFileIn({ ...name, videoId: id, kind: "video", bytes, isClean });
      storeAcceptance(videoId, "file", userId, acceptance);
      scanReplacement(id);
      const kinds = DEFAULT_KINDS.filter((kind) => kind !== "poster" || !hasCustomThumbnail(video));
      enqueueJobs([id], kinds);
      const entry = { userId, subjectId: videoId, detail: video.title };
      recordActivity({ ...entry, action: "file-send" });
      return id;
    });
  } catch (error) {
    await moved.rollBack();
    throw error;
  }
  if (outcome === id) await moved.commit();
  else await moved.rollBack();
  return outcome;
}

function findVideo(id: string) {
  return firstRow(database().selectFrom("videos").selectAll().where("id", "=", id));
}
