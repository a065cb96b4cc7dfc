import { randomUUID } from "node:crypto";
import { resolveAliases } from "~/features/catalogue/tags.server";
import { newVideoRefusal } from "~/features/consent/validity.server";
import { type Acceptance, storeAcceptance } from "~/features/moderation/uploaders/terms.server";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { accountNow } from "~/features/permissions/may-change.server";
import { allows } from "~/features/permissions/permissions";
import {
  holdMatches,
  holdUncompared,
  type Look,
  lookAtFile,
  noteFrames,
} from "~/features/processing/comparison/block-list-matches.server";
import { scanNewVideo } from "~/features/processing/kinds/scan.server";
import { enqueueIn } from "~/features/processing/queue/enqueue.server";
import { jobsChanged } from "~/features/processing/queue/queue-state.server";
import type { Schedule } from "~/features/visibility/schedule";
import { newIntention } from "~/features/visibility/visibility.server";
import { bucketFile, mediaUrl } from "~/media/bucket.server";
import { removeTemporary } from "~/media/files/temporary-files.server";
import { type MovedUpload, moveIntoBucket } from "~/media/intake/move-into-bucket.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { type EncodedThumbnail, encodeThumbnail } from "~/media/intake/thumbnail.server";
import { removeUpload } from "~/media/intake/tus.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { diskUsage, type MeasuredFile, recordFileIn } from "~/media/media-files.server";
import { recordDigest, removeMetadata } from "~/media/metadata/clean-files.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { settings } from "~/platform/settings.server";
import { type CutOff, incompleteMessage } from "~/shared/cut-off";
import { formatDuration } from "~/shared/format";
import type { NewVideoTexts } from "~/shared/video-fields";
import { database } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import { storedTags } from "~db/tags";
import { isBusy } from "~db/write-lock";
import {
  insertUnlessBlocked,
  type ProbedVideo,
  probeUpload,
  refuseBlockedFile,
} from "./file-checks.server";
import { requireQuota } from "./quota.server";
import { MESSAGES, type UploadSuccess } from "./upload-fields";
import { recordPublished } from "./upload-outcomes.server";

export interface Upload {
  userId: string;
  status: "published" | "review";
  /** When it is published and hidden by itself; what is published later is a draft until then. */
  schedule: Schedule;
  /** What to do with a file that is cut off and is to be published; left out: it becomes a draft. */
  whenCutOff?: "ask" | "publish";
  texts: NewVideoTexts;
  /** That the uploaders' terms were accepted; undefined where nobody asks for it, see `checkTerms`. */
  acceptance: Acceptance | undefined;
  video: ReceivedFile;
  thumbnail?: ReceivedFile;
  /** The resumable upload that brought the video; undefined for a file of the form. */
  sentBefore?: string;
  /** Is called in the transaction that inserts the video. */
  alongside?: (outcome: UploadSuccess) => void;
}

/** The sender is to decide whether less than was announced is to be published. */
export class CutOffError extends Error {
  constructor(readonly cutOff: CutOff) {
    super(incompleteMessage(cutOff));
  }
}

/**
 * Makes a video of the received files; both upload paths end here. The content is probed
 * first, then the files go into their buckets, the row comes last, and with it in one transaction
 * the accounting of the files, the digest, the jobs, the activity and the outcome, which a repeated request gets.
 *
 * @throws {CutOffError} where that is to be asked about.
 * @throws {UploadError} 403 for an account that was restricted since the request was let in, 403 or 429 for its quota, 415
 *   or 422 for what is no video, no picture, or on the block list, 507 for a full disk, 503 where the video could not be
 *   examined just now. Then there is no row and no new file, and what arrived is still where it was.
 */
export async function publishUpload(upload: Upload): Promise<UploadSuccess> {
  const { userId, texts, video, sentBefore } = upload;
  requireMayUpload(userId, upload.status === "published" || upload.schedule.publishAt !== null);
  requireQuota(userId, video.bytes);
  const sender = { userId, detail: texts.title };
  let thumbnail: EncodedThumbnail | undefined;
  try {
    await refuseBlockedFile(video, sender);
    const probed = await probeUpload(video.path, userId);
    const { status, schedule, lacksRecord, isCutOff } = decideStatus(upload, probed.cutOff);
    // Before there is a row: it is never public in between.
    const look = await lookAtFile(video.path);
    const isUncompared = look === "late";
    const looksBlocked = !isUncompared && look !== undefined && look.blockedVideos.length > 0;
    if (upload.thumbnail) thumbnail = await encodeThumbnail(upload.thumbnail.path);
    // Once more while the file has the digests that it came with.
    await refuseBlockedFile(video, sender);
    // What is converted first isn't public as it came.
    const isClean = probed.playable && (await removeMetadata({ file: video.path }));
    const moved = await moveIntoBucket(
      userId,
      { file: video.path, ending: probed.ending },
      thumbnail?.file,
    );
    const id = randomUUID().replaceAll("-", "");
    let published: UploadSuccess;
    try {
      const files = await measureFiles(id, moved, isClean);
      const work = {
        id,
        upload: { ...upload, status, schedule },
        look,
        probed: { ...probed, playable: isClean },
        moved,
        files,
        posterColors: thumbnail?.colors ?? null,
      };
      published = await insertUnlessBlocked(video, sender, () => {
        insertUpload(work);
        const { publishAt } = schedule;
        const needsConsent = lacksRecord || (publishAt !== null && Boolean(newVideoRefusal()));
        const outcome: UploadSuccess = {
          id,
          title: texts.title,
          status,
          category: texts.category,
          ...(publishAt && { publishAt }),
          ...(needsConsent && { needsConsent }),
          ...(isCutOff && { isCutOff }),
          ...(looksBlocked && { looksBlocked }),
          ...(isUncompared && { isUncompared }),
          ...(settings().scanCommand && { isScanned: true }),
        };
        if (sentBefore) recordPublished(userId, sentBefore, outcome);
        upload.alongside?.(outcome);
        return outcome;
      });
    } catch (error) {
      await moved.rollBack();
      throw error;
    }
    await tidyUp(async () => {
      await moved.commit();
      if (sentBefore) await removeUpload(userId, sentBefore);
    });
    jobsChanged("work");
    return published;
  } finally {
    await removeTemporary(thumbnail?.file);
  }
}

/**
 * A video is saved as a draft instead of published if it is to be published later, if its consent record is missing,
 * or if less of it has arrived than was announced.
 *
 * @throws {CutOffError} where the sender is to decide about the last.
 */
function decideStatus({ status, schedule, whenCutOff }: Upload, cutOff: CutOff | undefined) {
  const isLater = schedule.publishAt !== null;
  const lacksRecord = status === "published" && !isLater && Boolean(newVideoRefusal());
  const isToBePublic = isLater || (status === "published" && !lacksRecord);
  const isCutOff = isToBePublic && cutOff !== undefined && whenCutOff !== "publish";
  if (isCutOff && whenCutOff === "ask") throw new CutOffError(cutOff);
  return {
    status: isLater || lacksRecord || isCutOff ? ("review" as const) : status,
    schedule: isCutOff ? { ...schedule, publishAt: null } : schedule,
    lacksRecord,
    isCutOff,
  };
}

/** The video exists by now, so a failure to remove what is left of the upload is logged and isn't the answer. */
async function tidyUp(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isBusy(error)) console.error("Could not remove the files of a published upload:", error);
  }
}

interface NewVideo {
  id: string;
  upload: Upload;
  look: Look | "late" | undefined;
  probed: ProbedVideo;
  moved: MovedUpload;
  files: MeasuredFile[];
  posterColors: string | null;
}

/** Writes all rows of a new video. */
function insertUpload({ id, upload, look, probed, moved, files, posterColors }: NewVideo): void {
  const { userId, status, schedule, texts, video, acceptance } = upload;
  // Checked again: examining the file takes a while.
  requireMayUpload(userId, status === "published" || schedule.publishAt !== null);
  requireQuota(
    userId,
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const videoUrl = mediaUrl("videos", moved.videoPath);
  const tags = resolveAliases(texts.tags);
  runChange(
    database()
      .insertInto("videos")
      .values({
        id,
        title: texts.title,
        description: texts.description,
        category: texts.category,
        tags: storedTags(tags),
        duration: formatDuration(probed.durationSeconds ?? texts.duration ?? 0),
        // What browsers cannot play has no video yet, only the source of a transcode.
        video_url: probed.playable ? videoUrl : "",
        source_url: probed.playable ? null : videoUrl,
        thumbnail_url: moved.thumbnailPath ? mediaUrl("thumbnails", moved.thumbnailPath) : null,
        poster_colors: posterColors,
        uploaded_by: userId,
        ...newIntention(status, schedule),
      }),
  );
  // After the row, which adds them up: the next upload of the same account counts them.
  for (const file of files) recordFileIn(file);
  recordDigest(id, video.sha256);
  storeAcceptance(id, "video", userId, acceptance);
  let isHeldBack = false;
  if (look === "late") holdUncompared(id);
  else if (look) {
    noteFrames(id, look.frames);
    isHeldBack = holdMatches(id, look.blockedVideos);
  }
  scanNewVideo(id);
  enqueueIn([id]);
  const action = status === "published" ? "publish" : "draft";
  const about = { userId, subjectId: id, detail: texts.title };
  recordActivity({ ...about, action });
  if (isHeldBack) recordActivity({ ...about, action: "block-held" });
  if (schedule.publishAt || schedule.unpublishAt) {
    recordActivity({ ...about, action: "schedule" });
  }
}

/** The account may have been blocked, or restricted to drafts, while the file arrived. */
function requireMayUpload(userId: string, publishes: boolean): void {
  const account = accountNow(userId);
  if (!account || !allows(account, "/admin/publish")) throw new UploadError(403, NOT_ALLOWED);
  if (publishes && !allows(account, "/admin publish")) {
    throw new UploadError(403, MESSAGES.draftsOnly);
  }
}

/** What is to be recorded, measured before the transaction: it does not wait for the disk. */
function measureFiles(
  videoId: string,
  { videoPath, thumbnailPath }: MovedUpload,
  isClean: boolean,
): Promise<MeasuredFile[]> {
  const measure = async (file: Omit<MeasuredFile, "videoId" | "bytes">) => {
    const bytes = await diskUsage(bucketFile(file.bucket, file.path) ?? "");
    return { ...file, videoId, bytes };
  };
  return Promise.all([
    measure({ bucket: "videos", path: videoPath, kind: "video", isClean }),
    ...(thumbnailPath
      ? [measure({ bucket: "thumbnails", path: thumbnailPath, kind: "thumbnail", isClean: true })]
      : []),
  ]);
}
