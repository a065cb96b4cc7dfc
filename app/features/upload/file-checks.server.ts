import { createReadStream } from "node:fs";
import { buffer } from "node:stream/consumers";
import {
  BLOCKED_FILE,
  insertUnblocked,
  isOnBlockList,
} from "~/features/processing/comparison/blocked-videos.server";
import { HEAD_BYTES, type ReceivedFile } from "~/media/intake/received-file.server";
import { videoExtension } from "~/media/intake/sniff.server";
import { probeInterrupted, UploadError } from "~/media/intake/upload-error.server";
import { InterruptedError } from "~/media/probe/ffmpeg.server";
import { MAX_MEASURED_UPLOAD_BYTES, probe, RefusedFileError } from "~/media/probe/probe.server";
import { withSlot } from "~/media/probe/process-gate.server";
import { recordActivity } from "~/platform/activity/activity.server";
import type { CutOff } from "~/shared/cut-off";
import { database, transaction } from "~db/client.server";
import type { Duplicate } from "./upload-fields";

/** The result of examining a video's content. */
export interface ProbedVideo {
  extension: string;
  /** Undefined if unknown; in that case, the video's first job sets it. */
  durationSeconds?: number;
  cutOff?: CutOff;
  /** Also true if this is unknown: in that case, no tool is available that could transcode the file anyway. */
  playable: boolean;
}

/**
 * Examines the file's content, or only its first bytes if ffprobe isn't installed.
 *
 * @param userId the account that uploads the file.
 * @throws {UploadError} 415 or 422 if it isn't a video, 503 if the file couldn't be examined at this time.
 */
export async function probeUpload(file: string, userId: string): Promise<ProbedVideo> {
  const head = await buffer(createReadStream(file, { end: HEAD_BYTES - 1 }));
  const extension = await videoExtension(head);
  try {
    // Waits for a free slot even if the queue is full or the client has disconnected, since the whole file has arrived.
    const read = () => probe(file, { measureUpTo: MAX_MEASURED_UPLOAD_BYTES });
    const found = await withSlot(read, { owner: userId, ignoresQueueLimit: true });
    if (!found) return { extension, playable: true };
    const { isEstimated, cutOff, playable } = found;
    const durationSeconds = isEstimated ? undefined : found.durationSeconds;
    return { extension, durationSeconds, playable, ...(cutOff && { cutOff }) };
  } catch (error) {
    if (error instanceof InterruptedError) throw probeInterrupted();
    if (!(error instanceof RefusedFileError)) throw error;
    throw new UploadError(error.status, error.message, "video");
  }
}

/** The user who sent a file, along with its intended title or the video whose file it was meant to replace. */
interface Sender {
  userId: string;
  detail: string;
  subjectId?: string;
}

/**
 * Rejects a file that is on the block list or in an imported digest list, and records the rejection.
 *
 * @throws {UploadError} 422, so that the caller deletes the received file.
 */
export async function refuseBlockedFile(file: ReceivedFile, about: Sender): Promise<void> {
  if (await isOnBlockList(file)) await refuse(about);
}

/**
 * Runs the transaction that writes a file's rows, unless the file has been added to the block list.
 *
 * @throws {UploadError} 422, as in `refuseBlockedFile`.
 */
export async function insertUnlessBlocked<T>(
  file: ReceivedFile,
  about: Sender,
  insert: () => T,
): Promise<T> {
  const inserted = await insertUnblocked([file], ([unblocked]) =>
    unblocked ? { result: insert() } : undefined,
  );
  return inserted ? inserted.result : refuse(about);
}

async function refuse(about: Sender): Promise<never> {
  await transaction(() => recordActivity({ ...about, action: "block-refused" }));
  throw new UploadError(422, BLOCKED_FILE, "video");
}

/**
 * Returns the newest video whose uploaded file had exactly these bytes.
 *
 * @param sha256 the digest in hexadecimal.
 * @param uploader the id of the user, if they can't see other users' unpublished videos; undefined if they can see all
 * videos.
 */
export async function findDuplicate(
  sha256: string,
  uploader: string | undefined,
): Promise<Duplicate | undefined> {
  let found = database()
    .selectFrom("video_digests")
    .innerJoin("videos", "videos.id", "video_digests.video_id")
    .select(["videos.id", "videos.title", "videos.status", "videos.public as isPublic"])
    .where("video_digests.sha256", "=", sha256);
  if (uploader !== undefined) {
    found = found.where((e) =>
      e.or([e("videos.public", "=", 1), e("videos.uploaded_by", "=", uploader)]),
    );
  }
  return found.orderBy("videos.created_at", "desc").limit(1).executeTakeFirst();
}
