import { randomUUID } from "node:crypto";
import { resolveAliases } from "~/features/catalogue/tags.server";
import { newVideoRefusal } from "~/features/consent/validity.server";
import { type Acceptance, storeAcceptance } from "~/features/moderation/uploaders/terms.server";
import { NOT_ALLOWED } from "~/features/permissions/guard.server";
import { accountNow } from "~/features/permissions/may-change.server";
import { allows } from "~/features/permissions/permissions";
import {
  compareFile,
  type FileComparison,
  holdMatches,
  holdUncompared,
  recordFrames,
} from "~/features/processing/comparison/block-list-matches.server";
import { scanNewVideo } from "~/features/processing/kinds/scan.server";
import { enqueueJobs } from "~/features/processing/queue/enqueue.server";
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
  /** When the video will be published and hidden automatically. Until it is published, it is a draft. */
  schedule: Schedule;
  /** What to do if the video should be published but its file is incomplete. By default, the video becomes a draft. */
  whenCutOff?: "ask" | "publish";
  texts: NewVideoTexts;
  /** The acceptance of the uploaders' terms, or undefined if no acceptance is required; see `checkTerms`. */
  acceptance: Acceptance | undefined;
  video: ReceivedFile;
  thumbnail?: ReceivedFile;
  /** The id of the resumable upload that sent the video; undefined if the file was part of the form. */
  sentBefore?: string;
  /** Called in the transaction that inserts the video. */
  alongside?: (outcome: UploadSuccess) => void;
}

/** Thrown if the file is incomplete and the sender must decide whether to publish it. */
export class CutOffError extends Error {
  constructor(readonly cutOff: CutOff) {
    super(incompleteMessage(cutOff));
  }
}

/**
 * Creates a video from the received files. Both upload methods call this function. Examines the content, moves the
 * files into their buckets, and then writes the row, the file sizes, the digest, the jobs, the activity and the outcome
 * in one transaction. If the request is repeated, the stored outcome is returned.
 *
 * @throws {CutOffError} if the file is incomplete and the sender wants to decide.
 * @throws {UploadError} 403 if the account has been restricted in the meantime; 403 or 429 if its quota is exceeded;
 * 415 or 422 if a file is blocked or isn't a video or image; 507 if the disk is full; 503 if the video can't be
 * examined right now. In each case, no rows or files are created, and the received files stay in place.
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
    // The comparison runs before the row is inserted, so that a blocked video is never public, not even briefly.
    const comparison = await compareFile(video.path);
    const isUncompared = comparison === "late";
    const looksBlocked =
      !isUncompared && comparison !== undefined && comparison.blockedVideos.length > 0;
    if (upload.thumbnail) thumbnail = await encodeThumbnail(upload.thumbnail.path);
    // The block list is checked again before the file is changed, while its digests still match the original.
    await refuseBlockedFile(video, sender);
    // If the file will be converted, the uploaded version is never public.
    const isClean = probed.playable && (await removeMetadata({ file: video.path }));
    const moved = await moveIntoBucket(
      userId,
      { file: video.path, extension: probed.extension },
      thumbnail?.file,
    );
    const id = randomUUID().replaceAll("-", "");
    let published: UploadSuccess;
    try {
      const files = await measureFiles(id, moved, isClean);
      const work = {
        id,
        upload: { ...upload, status, schedule },
        comparison,
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
 * Returns the status of a new video. The video is saved as a draft instead of being published if it is scheduled for
 * later, if its consent record is missing, or if the file is incomplete.
 *
 * @throws {CutOffError} if the file is incomplete and the sender wants to decide.
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

/** Cleans up. Logs errors instead of throwing them, because the video already exists. */
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
  comparison: FileComparison | "late" | undefined;
  probed: ProbedVideo;
  moved: MovedUpload;
  files: MeasuredFile[];
  posterColors: string | null;
}

/** Inserts all of a new video's rows. */
function insertUpload({
  id,
  upload,
  comparison,
  probed,
  moved,
  files,
  posterColors,
}: NewVideo): void {
  const { userId, status, schedule, texts, video, acceptance } = upload;
  // The account's permissions and quota are checked again, because they may have changed while the file was being
  // examined.
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
        // A file that browsers can't play has no video URL yet, only a source URL for transcoding.
        video_url: probed.playable ? videoUrl : "",
        source_url: probed.playable ? null : videoUrl,
        thumbnail_url: moved.thumbnailPath ? mediaUrl("thumbnails", moved.thumbnailPath) : null,
        poster_colors: posterColors,
        uploaded_by: userId,
        ...newIntention(status, schedule),
      }),
  );
  // Inserted after the video's row, because a trigger adds up the sizes for the next upload's quota check.
  for (const file of files) recordFileIn(file);
  recordDigest(id, video.sha256);
  storeAcceptance(id, "video", userId, acceptance);
  let isHeldBack = false;
  if (comparison === "late") holdUncompared(id);
  else if (comparison) {
    recordFrames(id, comparison.frames);
    isHeldBack = holdMatches(id, comparison.blockedVideos);
  }
  scanNewVideo(id);
  enqueueJobs([id]);
  const action = status === "published" ? "publish" : "draft";
  const about = { userId, subjectId: id, detail: texts.title };
  recordActivity({ ...about, action });
  if (isHeldBack) recordActivity({ ...about, action: "block-held" });
  if (schedule.publishAt || schedule.unpublishAt) {
    recordActivity({ ...about, action: "schedule" });
  }
}

/** Checks the account again, because it may have been blocked or restricted to drafts during the upload. */
function requireMayUpload(userId: string, publishes: boolean): void {
  const account = accountNow(userId);
  if (!account || !allows(account, "/admin/publish")) throw new UploadError(403, NOT_ALLOWED);
  if (publishes && !allows(account, "/admin publish")) {
    throw new UploadError(403, MESSAGES.draftsOnly);
  }
}

/** Measures the files. Called before the transaction, because a transaction must not wait for the disk. */
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
