import type { UploaderLimits } from "~/features/accounts/user-list.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { settings } from "~/platform/settings.server";
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { prepared } from "~db/client.server";
import type { Role } from "~db/schema";

const DAY_MS = 24 * 3_600_000;
/** Only the jobs for an uploader's newest videos are counted, which takes a few milliseconds. */
const MAX_VIDEOS_WITH_JOBS = 1_000;
/** The Retry-After value for the job limit. It is fixed, since there is no way to predict when a job will end. */
const RETRY_JOBS_SECONDS = 300;

/**
 * Returns an account's limits. A limit that doesn't apply is undefined, and so is the result if no limit applies.
 * Owners and editors never have limits.
 */
export function quotaOf(userId: string) {
  const row = prepared<UploaderLimits & { role: Role }>(
    `SELECT role, max_bytes AS maxBytes, max_videos_per_day AS maxVideosPerDay,
       max_queued_jobs AS maxQueuedJobs FROM users WHERE id = ?`,
  ).get(userId);
  if (row?.role !== "uploader") return undefined;
  const ofSite = siteLimits();
  const quota = {
    maxBytes: limitOf(row.maxBytes, ofSite.maxBytes),
    maxVideosPerDay: limitOf(row.maxVideosPerDay, ofSite.maxVideosPerDay),
    maxQueuedJobs: limitOf(row.maxQueuedJobs, ofSite.maxQueuedJobs),
  };
  return Object.values(quota).some((limit) => limit !== undefined) ? quota : undefined;
}

/** Returns the limits from the settings; null means no limit. */
export function siteLimits(): UploaderLimits {
  const { uploaderMaxBytes, uploaderMaxVideosPerDay, uploaderMaxQueuedJobs } = settings();
  return {
    maxBytes: uploaderMaxBytes ?? null,
    maxVideosPerDay: uploaderMaxVideosPerDay ?? null,
    maxQueuedJobs: uploaderMaxQueuedJobs ?? null,
  };
}

/** @param own the account's limit: null to use the limit from the settings, 0 for no limit. */
function limitOf(own: number | null, ofSite: number | null): number | undefined {
  return (own ?? ofSite) || undefined;
}

/** Returns text that describes how much of its quota an account has used; undefined if it has no quota. */
export function quotaLine(userId: string, now = Date.now()): string | undefined {
  const quota = quotaOf(userId);
  return quota && quotaText(quota, useOf(userId, quota, now));
}

type Quota = NonNullable<ReturnType<typeof quotaOf>>;

/** Reads only the figures for which there is a limit. */
function useOf(userId: string, quota: Quota, now: number) {
  return {
    bytes: quota.maxBytes === undefined ? 0 : bytesOf(userId),
    videosToday: quota.maxVideosPerDay === undefined ? 0 : uploadsSince(userId, now - DAY_MS),
    queuedJobs: quota.maxQueuedJobs === undefined ? 0 : queuedJobsOf(userId),
  };
}

/**
 * Checks whether an account may upload another video or another file for a video. Called before the bytes arrive, and
 * again in the transaction that inserts the row, since uploads in two tabs may run at the same time.
 *
 * @param bytes the size of the file, if known.
 * @throws {UploadError} 403 if the storage limit is exceeded; 429, with the number of seconds to wait, if another limit
 * is exceeded.
 */
export function requireQuota(userId: string, bytes: number, now = Date.now()): void {
  const quota = quotaOf(userId);
  if (!quota) return;
  const use = useOf(userId, quota, now);
  const { maxBytes, maxVideosPerDay, maxQueuedJobs } = quota;
  if (maxBytes !== undefined && use.bytes + bytes > maxBytes) {
    throw new UploadError(403, tooMuch(use.bytes, bytes, maxBytes));
  }
  if (maxVideosPerDay !== undefined && use.videosToday >= maxVideosPerDay) {
    const seconds = secondsUntilNext(userId, maxVideosPerDay, now);
    throw new UploadError(
      429,
      `You can upload up to ${formatQuantity(maxVideosPerDay, "video")} in 24 hours and have already uploaded ${use.videosToday}. Try again in ${waitText(seconds)}, or ask an owner of the site for a higher limit.`,
      undefined,
      seconds,
    );
  }
  if (maxQueuedJobs !== undefined && use.queuedJobs >= maxQueuedJobs) {
    throw new UploadError(
      429,
      `You can have up to ${formatQuantity(maxQueuedJobs, "queued job")} and already have ${use.queuedJobs}. Try again when some of your videos have been processed.`,
      undefined,
      RETRY_JOBS_SECONDS,
    );
  }
}

function tooMuch(used: number, bytes: number, limit: number): string {
  const file = bytes > 0 ? `, and this file is ${formatBytes(bytes)}` : "";
  return `Your storage is limited to ${formatBytes(limit)}. You use ${formatBytes(used)}${file}. Delete videos, including those in the trash, or ask an owner of the site for more storage.`;
}

function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return formatQuantity(minutes, "minute");
  return formatQuantity(Math.ceil(minutes / 60), "hour");
}

/** Adds up the account's videos, including videos in the trash, derived files and replaced files. */
function bytesOf(userId: string): number {
  return prepared<number>(
    `SELECT (SELECT coalesce(sum(bytes), 0) FROM videos WHERE uploaded_by = @userId)
       + (SELECT coalesce(sum(bytes), 0) FROM deleted_videos WHERE uploaded_by = @userId)
       + (SELECT coalesce(sum(bytes), 0) FROM video_files WHERE user_id = @userId)`,
  )
    .pluck()
    .get({ userId })!;
}

/** Counts activities rather than videos, so that permanently deleted videos are included. */
const UPLOADS = `FROM activities
  WHERE user_id = @userId AND created_at > @since AND action IN ('publish', 'draft', 'file-send')`;
const iso = (time: number) => new Date(time).toISOString();

function uploadsSince(userId: string, since: number): number {
  return prepared<number>(`SELECT count(*) ${UPLOADS}`)
    .pluck()
    .get({ userId, since: iso(since) })!;
}

/** Returns the number of seconds until the oldest upload that exceeds the limit is a day old. */
function secondsUntilNext(userId: string, limit: number, now: number): number {
  const at = prepared<string>(
    `SELECT created_at ${UPLOADS} ORDER BY created_at DESC LIMIT 1 OFFSET @skipped`,
  )
    .pluck()
    .get({ userId, since: iso(now - DAY_MS), skipped: limit - 1 })!;
  return Math.max(1, Math.ceil((Date.parse(at) + DAY_MS - now) / 1000));
}

/** Cleanup jobs are excluded, because they intentionally wait for hours. */
function queuedJobsOf(userId: string): number {
  return prepared<number>(
    // CROSS JOIN fixes the join order; otherwise SQLite would read all unfinished jobs.
    `SELECT count(*) FROM (
       SELECT id FROM (SELECT id FROM videos WHERE uploaded_by = @userId
         ORDER BY sort_key DESC LIMIT ${MAX_VIDEOS_WITH_JOBS})
       UNION ALL SELECT id FROM video_files INDEXED BY video_files_pending
         WHERE state = 'pending' AND user_id = @userId) AS own
       CROSS JOIN jobs ON jobs.video_id = own.id
     WHERE jobs.state IN ('waiting', 'running') AND kind <> 'cleanup'`,
  )
    .pluck()
    .get({ userId })!;
}

/** Formats how much of each limit has been used, such as "1.2GB of 5GB used · 3 of 10 videos in the last 24 hours". */
function quotaText(quota: Quota, use: ReturnType<typeof useOf>): string {
  const { maxBytes, maxVideosPerDay, maxQueuedJobs } = quota;
  return [
    maxBytes !== undefined && `${formatBytes(use.bytes)} of ${formatBytes(maxBytes)} used`,
    maxVideosPerDay !== undefined &&
      `${use.videosToday} of ${maxVideosPerDay} videos in the last 24 hours`,
    maxQueuedJobs !== undefined && `${use.queuedJobs} of ${maxQueuedJobs} jobs queued`,
  ]
    .filter(Boolean)
    .join(" · ");
}
