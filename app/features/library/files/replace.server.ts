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
  type FileAnswer,
  type FormFailure,
  type ReplaceQuestion,
  WHEN_READY,
} from "../managed-video";
import {
  activateReplacement,
  fileHold,
  isChosen,
  isPending,
  newFileHold,
  newFileId,
  PENDING,
} from "./activate-replacement.server";

const FAILED = "Failed to replace the file.";
const refuse = (status: FormFailure["status"], detail: string, question?: ReplaceQuestion) =>
  failure(status, FAILED, { detail, replace: { question } });
/** The video stays as it is: in place of its video nobody would look at the new one. */
const LOOKS_BLOCKED =
  "This file looks like a removed video. Upload it as a new video so that an editor can check it.";
const RECORD_FIRST = "Record it before another file is shown in place of this one.";
/** In place of a video that may be public, none is shown that was not compared. */
const NOT_COMPARED =
  "This file couldn’t be compared in time with the videos that were removed. Try again in a moment, or upload it as a new video.";

/** What the form sends. */
export interface Replacement {
  /** The video. */
  id: string;
  /** A file that came with the form, or what names one that was sent before. */
  file?: ReceivedFile;
  upload?: string;
  /** Why a file that came with the form was rejected. */
  fileError?: UploadError;
  /** `ask` to be told that the catalogue has the same file, `keep` to take one that is cut off. */
  duplicate?: string;
  incomplete?: string;
  /** The version of the uploaders' terms that is accepted. */
  terms?: string;
}

/**
 * Takes a file that is to replace that of a video, after the same checks as an upload. It is converted
 * under a row of its own; the video is as it was until all of that is done.
 *
 * @returns the failure when nothing was changed: 404 for a deleted video, 409 with the question that has
 *   to be answered first, or when another file is under way, and what an upload is refused with. A file
 *   that was sent before then waits for another try.
 */
export async function replaceFile(replacement: Replacement, userId: string): Promise<FileAnswer> {
  const { upload, file: _, fileError: __, ...fields } = replacement;
  if (!upload) return tryToReplace(replacement, userId);
  const request = JSON.stringify(["replace", fields]);
  return shareOutcome({ userId, upload, request }, () => tryToReplace(replacement, userId));
}

async function tryToReplace(replacement: Replacement, userId: string): Promise<FileAnswer> {
  const { upload } = replacement;
  try {
    return await examineAndTake(replacement, userId);
  } catch (error) {
    if (!(error instanceof UploadError)) throw error;
    // No other try can make a video of it.
    if (upload !== undefined && error.field === "video") await removeUpload(userId, upload);
    const { status, message, retryAfterSeconds } = error;
    return { ...refuse(status as FormFailure["status"], message), retryAfterSeconds };
  }
}

async function examineAndTake(
  { id, file: sent, upload, fileError, duplicate, incomplete, terms }: Replacement,
  userId: string,
): Promise<FileAnswer> {
  if (fileError) throw fileError;
  const video = findVideo(id);
  if (!video) return { code: "gone" };
  const held = newFileHold(id);
  if (held) return refuse(409, held);
  const refusal = consentRefusals([id]).get(id);
  // Another video without a record may not go where everybody sees it.
  if (refusal && video.status === "published") return refuse(422, `${refusal} ${RECORD_FIRST}`);
  const file = upload ? await readFinishedUpload(userId, upload) : sent;
  if (!file) return refuse(422, "A video file is needed.");
  const wait = async (kind: ReplaceQuestion["kind"], detail: string, status: 409 | 422 = 409) => {
    const waiting = upload ?? (await storeFinishedUpload(userId, file));
    return refuse(status, detail, { upload: waiting, fileName: file.name, kind });
  };
  if (isPending(id)) return refuse(409, PENDING);
  requireQuota(userId, file.bytes);
  const agreed = checkTerms(terms ?? file.terms);
  if (agreed.refusal) return wait("terms", agreed.refusal, 422);
  const sender = { userId, detail: video.title, subjectId: id };
  await refuseBlockedFile(file, sender);
  const account = accountNow(userId);
  const own = account && ownVideosOf(account, "/admin replace")?.userId;
  const same = duplicate === "ask" ? await findDuplicate(file.sha256, own) : undefined;
  if (same) return wait("duplicate", `This file is already in the catalogue, as “${same.title}”.`);
  const probed = await probeUpload(file.path, userId);
  if (probed.cutOff && incomplete !== "keep")
    return wait("cut off", incompleteMessage(probed.cutOff));
  const look = await compareFile(file.path);
  if (look === "late") throw new UploadError(503, NOT_COMPARED);
  if (look && look.blockedVideos.length > 0) throw new UploadError(422, LOOKS_BLOCKED, "video");
  const taken = await store(id, file, probed, sender, agreed.acceptance);
  if (typeof taken !== "string") return taken;
  if (upload) await removeUpload(userId, upload);
  jobsChanged("work");
  // Where nothing can be made of it, as without ffmpeg, it takes over at once.
  const isDone = (await activateReplacement(taken, null)) === "done";
  const messages = [isDone ? "The video has its new file." : WHEN_READY, refusal, fileHold(id)];
  return success(isDone ? "File Replaced" : "File Received", messages.filter(Boolean).join(" "));
}

/** Puts the file into its bucket, then writes its row, its record, its jobs and the activity at once. */
async function store(
  videoId: string,
  file: ReceivedFile,
  probed: ProbedVideo,
  sender: { userId: string; detail: string; subjectId: string },
  acceptance: Acceptance | undefined,
): Promise<string | FormFailure | Refusal> {
  const { userId } = sender;
  // Once more while the file has the digests that it came with.
  await refuseBlockedFile(file, sender);
  const isClean = probed.playable && (await removeMetadata({ file: file.path }));
  const moved = await moveIntoBucket(userId, { file: file.path, extension: probed.ending });
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
      const held = newFileHold(videoId);
      if (held) return refuse(409, held);
      if (isPending(videoId)) return refuse(409, PENDING);
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
      const kinds = DEFAULT_KINDS.filter((kind) => kind !== "poster" || !isChosen(video));
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
