import { randomUUID } from "node:crypto";
import { hideChangedVideo } from "~/features/moderation/reports/report-holds.server";
import { changeableNow, isRefusal } from "~/features/permissions/may-change.server";
import { deleteFingerprint } from "~/features/processing/comparison/fingerprint.server";
import { enqueueMissingJobs } from "~/features/processing/queue/enqueue.server";
import { jobsChanged, onJobsChanged } from "~/features/processing/queue/queue-state.server";
import { recordFileChange } from "~/features/trash/evidence.server";
import { HOLD_MESSAGES, holdsOf } from "~/features/visibility/holds.server";
import { flushWatchedParts } from "~/features/watch/watched-parts.server";
import { mediaBasePath, parseMediaUrl } from "~/media/bucket.server";
import { removeUnreferenced } from "~/media/files/removals.server";
import { fileOfBasePath } from "~/media/files/trim-source.server";
import { addUpFiles, recordFile } from "~/media/media-files.server";
import { recordDigest } from "~/media/metadata/clean-files.server";
import { recordActivity } from "~/platform/activity/activity.server";
import type { ActivityAction } from "~/platform/activity/activity-labels";
import { database, prepared, transaction } from "~db/client.server";
import { runChange } from "~db/run-query.server";
import { every } from "~db/runtime.server";
import type { VideoRow } from "~db/schema";
import type { HoldReason } from "~db/schema/moderation";
import { FILE_COLUMNS, POSTER_COLUMNS, type VideoFileRow } from "~db/video-files";
import { carryCaptions, trimCaptions } from "../edit/captions.server";

/** The result of switching to another file. See `Obstacle` for what can prevent it. */
type Outcome = "done" | "gone" | "not ready" | Obstacle;

/**
 * Switches a video to a pending, earlier or original file. In one transaction, the video's row gets the new file's
 * URLs, duration, captions and derived files, and the current ones become an earlier file. No files are moved, so that
 * the video can always play one of the two, even if the process is killed.
 *
 * @param userId the user who requested the switch. Null for an automatic switch, which requires that the file is fully
 *   processed and that its sender is still allowed to replace the video's file.
 */
export async function activateReplacement(fileId: string, userId: string | null): Promise<Outcome> {
  const before = readFileAndVideo(fileId);
  if (!before) return "gone";
  if (!isReady(before.file, userId !== null)) return "not ready";
  const obstacle = findObstacle(before.file, userId);
  if (obstacle) return obstacle;
  // The watched parts that have been counted so far must be saved for the current file.
  flushWatchedParts();
  const base = basePathOf(before.file);
  // Earlier and original files keep their captions.
  const captions =
    before.file.state === "pending" && base
      ? await captionsOfNew(base, before)
      : before.file.captions;
  const outcome = await transaction((): Outcome => {
    const now = readFileAndVideo(fileId);
    if (!now) return "gone";
    // If the captions were edited in the meantime, the next attempt uses the edited captions.
    if (now.file.captions !== before.file.captions) return "not ready";
    if (now.video.captions !== before.video.captions) return "not ready";
    if (!isReady(now.file, userId !== null)) return "not ready";
    const obstacle = findObstacle(now.file, userId);
    if (obstacle) return obstacle;
    swapFiles({ ...now, captions, userId });
    return "done";
  });
  if (outcome !== "done") return outcome;
  const { file, video } = before;
  if (base) {
    const videoId = video.id;
    await recordFile({ bucket: "videos", path: base, videoId, kind: "derived" });
  }
  // Removes the generated poster if a custom thumbnail was set in the meantime.
  const poster = parseMediaUrl(file.thumbnail_url ?? "");
  if (poster && hasCustomThumbnail(video)) await removeUnreferenced([poster], "discarded");
  jobsChanged("work");
  return "done";
}

function captionsOfNew(base: string, { file, video }: FileAndVideo): Promise<string | null> {
  if (file.cut_of === null || file.cut_start === null || file.cut_end === null)
    return carryCaptions(base, video.captions, file.captions);
  const isOfOriginal = basePathOf(video) === file.cut_of || video.cut_of === file.cut_of;
  const current = { captions: isOfOriginal ? video.captions : null, start: video.cut_start ?? 0 };
  const original = fileOfBasePath(video.id, file.cut_of);
  const cut = { start: file.cut_start, end: file.cut_end };
  return trimCaptions(base, cut, original?.captions ?? null, current);
}

interface FileAndVideo {
  file: VideoFileRow;
  video: VideoRow;
}

function readFileAndVideo(fileId: string): FileAndVideo | undefined {
  const file = prepared<VideoFileRow>(
    "SELECT * FROM video_files WHERE id = ? AND state IN ('pending', 'earlier', 'original')",
  ).get(fileId);
  const video = prepared<VideoRow>("SELECT * FROM videos WHERE id = ?");
  const row = file && video.get(file.video_id);
  return file && row && { file, video: row };
}

/**
 * Returns whether a file can be played and is fully processed.
 *
 * @param isImmediate whether a playable file without a stream is enough. Even then, a file that is still being
 *   transcoded isn't ready, because the transcode is about to replace it.
 */
export function isReady(
  file: Pick<VideoFileRow, "id" | "state" | "video_url">,
  isImmediate: boolean,
): boolean {
  if (file.state !== "pending") return true;
  if (file.video_url === "") return false;
  if (isUnscanned(file.id)) return false;
  const unfinished = isImmediate
    ? "kind = 'transcode' AND state <> 'done'"
    : `kind <> 'cleanup' AND state IN ('waiting', 'running')
       OR kind IN ('transcode', 'ladder') AND state = 'failed'`;
  return !prepared(`SELECT 1 FROM jobs WHERE video_id = ? AND (${unfinished})`).get(file.id);
}

/** Returns whether a file's scan is still pending or has findings that need a decision. */
function isUnscanned(fileId: string): boolean {
  const unscanned = prepared(
    `SELECT 1 FROM jobs WHERE video_id = @fileId AND kind = 'scan' AND state <> 'done'
     UNION ALL SELECT 1 FROM scan_findings WHERE video_id = @fileId`,
  );
  return unscanned.get({ fileId }) !== undefined;
}

/** Returns whether the video has a custom thumbnail, which a new file doesn't replace. */
export function hasCustomThumbnail(
  video: Pick<VideoRow, "thumbnail_url" | "generated_poster_url">,
): boolean {
  return video.thumbnail_url !== null && video.thumbnail_url !== video.generated_poster_url;
}

/**
 * Returns `{userId}/{uploadId}`, which all files of a row have in common; undefined if the files aren't on this site.
 */
export function basePathOf(row: Pick<VideoRow, "video_url" | "source_url">): string | undefined {
  const name = parseMediaUrl(row.video_url || (row.source_url ?? ""));
  return name?.bucket === "videos" ? mediaBasePath(name.path) : undefined;
}

/** Swaps the files in the database, within the caller's transaction. */
function swapFiles({
  file,
  video,
  captions,
  userId,
}: FileAndVideo & { captions: string | null; userId: string | null }): void {
  const now = new Date().toISOString();
  const keepsThumbnail = hasCustomThumbnail(video);
  const digest = prepared<string>("SELECT sha256 FROM video_digests WHERE video_id = ?").pluck();
  // A new id, so that an open form with the old id doesn't act on a different file.
  const earlier = newFileId();
  runChange(
    database()
      .insertInto("video_files")
      .values({
        id: earlier,
        video_id: video.id,
        state: "earlier",
        user_id: userId ?? file.user_id,
        replaced_at: now,
        sha256: digest.get(video.id) ?? null,
        ...pick(video, FILE_COLUMNS),
        // A stream that is still being generated is incomplete, and its job is deleted below.
        ...(video.video_url === "" && { hls_url: null }),
        ...pick(keepsThumbnail ? NO_POSTER : video, POSTER_COLUMNS),
      }),
  );
  runChange(
    database()
      .updateTable("videos")
      .set({
        ...pick(file, FILE_COLUMNS),
        ...(!keepsThumbnail && pick(file, POSTER_COLUMNS)),
        captions,
        updated_at: now,
      })
      .where("id", "=", video.id),
  );
  moveRecords(video, { from: file.id, to: earlier, keepsThumbnail });
  moveWatchedParts(video.id, { watched: file.watched, to: earlier });
  // Unfinished jobs for the earlier file are dropped, and finished jobs for the new file are kept.
  prepared("DELETE FROM jobs WHERE video_id = ? AND kind <> 'codecs'").run(video.id);
  // Additional codecs were requested or the video is popular, so the new file's stream is encoded with them too.
  prepared(
    `UPDATE jobs SET state = 'waiting', attempts = 0, progress = 0, reason = NULL, worker = NULL,
       lease_until = NULL, finished_at = NULL
     WHERE video_id = ? AND kind = 'codecs'`,
  ).run(video.id);
  prepared("DELETE FROM jobs WHERE video_id = ? AND state = 'running'").run(file.id);
  prepared("UPDATE jobs SET video_id = ? WHERE video_id = ?").run(video.id, file.id);
  prepared("DELETE FROM video_files WHERE id = ?").run(file.id);
  updateOriginal(video.id, now);
  deleteFingerprint(video.id);
  recordFileChange([video.id], Date.parse(now));
  hideChangedVideo(video.id, Date.parse(now));
  enqueueMissingJobs([video.id]);
  if (file.sha256) recordDigest(video.id, file.sha256);
  else prepared("DELETE FROM video_digests WHERE video_id = ?").run(video.id);
  const entry = { userId: userId ?? file.user_id, subjectId: video.id, detail: video.title };
  recordActivity({ ...entry, action: actionOf(file) });
}

function actionOf({ state, cut_of }: VideoFileRow): ActivityAction {
  if (state === "original") return "cut-undo";
  if (state === "earlier") return "file-restore";
  return cut_of === null ? "replace" : "cut";
}

/**
 * Marks the file from which the current one was trimmed as the original, so that it isn't in the trash. The previous
 * original is moved to the trash. If the original no longer exists, the current file counts as untrimmed.
 */
function updateOriginal(videoId: string, now: string): void {
  const cutOf = prepared("SELECT cut_of FROM videos WHERE id = ?").pluck().get(videoId);
  const files = prepared<VideoFileRow>(
    "SELECT * FROM video_files WHERE video_id = ? AND state IN ('earlier', 'original')",
  ).all(videoId);
  const original = files.find((file) => cutOf !== null && basePathOf(file) === cutOf);
  for (const { id, state } of files) {
    if (id === original?.id)
      prepared("UPDATE video_files SET state = 'original' WHERE id = ?").run(id);
    else if (state === "original")
      prepared("UPDATE video_files SET state = 'earlier', replaced_at = ? WHERE id = ?").run(
        now,
        id,
      );
  }
  if (original) return;
  prepared(
    "UPDATE videos SET cut_of = NULL, cut_start = NULL, cut_end = NULL WHERE id = ? AND cut_of IS NOT NULL",
  ).run(videoId);
}

/** The reason why a video can't be replaced or trimmed while another file is pending. */
export const PENDING_MESSAGE =
  "Another file is being processed for this video. Wait until it is ready, or discard it.";

/** Returns whether a video has a pending file. */
export function hasPendingFile(videoId: string): boolean {
  const pending = prepared("SELECT 1 FROM video_files WHERE video_id = ? AND state = 'pending'");
  return pending.get(videoId) !== undefined;
}

export function newFileId(): string {
  return randomUUID().replaceAll("-", "");
}

const NO_POSTER = { thumbnail_url: null, poster_colors: null, generated_poster_url: null };

function pick<Row, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
}

/**
 * Saves the counts of watched parts with the earlier file, and restores the counts that were saved with the new file,
 * if any. The two files need separate counts, because a position in one of them isn't the same position in the other.
 */
function moveWatchedParts(
  videoId: string,
  { watched, to }: { watched: string | null; to: string },
): void {
  prepared(
    `UPDATE video_files SET watched = (SELECT json_object('views', views, 'parts', json(parts))
       FROM watched_parts WHERE video_id = @videoId) WHERE id = @to`,
  ).run({ videoId, to });
  prepared("DELETE FROM watched_parts WHERE video_id = ?").run(videoId);
  prepared(
    `INSERT INTO watched_parts (video_id, views, parts)
     SELECT @videoId, @watched ->> 'views', @watched -> 'parts' WHERE @watched IS NOT NULL`,
  ).run({ videoId, watched });
}

/**
 * Assigns the `media_files` records for the video's files to the earlier file, and those for the new file to the video.
 */
function moveRecords(
  video: VideoRow,
  { from, to, keepsThumbnail }: { from: string; to: string; keepsThumbnail: boolean },
): void {
  const base = basePathOf(video);
  if (base) {
    prepared(
      `UPDATE media_files SET video_id = @to
       WHERE video_id = @video AND NOT (bucket = 'thumbnails' AND path = @thumbnail)
         AND (path = @base OR (path >= @base || '.' AND path < @base || '0'))`,
    ).run({
      to,
      video: video.id,
      base,
      thumbnail: keepsThumbnail ? (parseMediaUrl(video.thumbnail_url ?? "")?.path ?? "") : "",
    });
  }
  prepared("UPDATE media_files SET video_id = ? WHERE video_id = ?").run(video.id, from);
  addUpFiles("videos", video.id);
  addUpFiles("video_files", to);
}

const NOT_WHILE_HELD = "You can't change the file of a video that is on hold.";

/**
 * The reason why a video can't switch to another file: a hold, or insufficient permissions of the account that
 * requested the switch or sent the file.
 */
export type Obstacle = "on hold" | "not allowed";

/**
 * Returns the reason why a video on hold can't switch to another file; undefined if the video isn't on hold. Moderators
 * must be able to see, compare and block the file that caused the hold.
 */
export function fileHoldMessage(videoId: string): string | undefined {
  return messageOf(holdsOf([videoId]).get(videoId) ?? []);
}

/**
 * Returns the reason why a replacement can't be uploaded, or undefined if it can. While the video is being compared
 * with the block list, uploads are possible, but the file stays pending until the comparison is done.
 */
export function uploadHoldMessage(videoId: string): string | undefined {
  const reasons = holdsOf([videoId]).get(videoId) ?? [];
  return messageOf(reasons.filter((reason) => reason !== "comparing"));
}

/**
 * Returns what prevents a video from switching to a file. If the sender's account has been restricted or the video has
 * been published since the file was uploaded, an editor has to make the switch.
 *
 * @param userId the user who requested the switch; null to check the file's sender instead.
 */
export function findObstacle(
  file: Pick<VideoFileRow, "video_id" | "user_id">,
  userId: string | null,
): Obstacle | undefined {
  if (fileHoldMessage(file.video_id)) return "on hold";
  const changeable = changeableNow(userId ?? file.user_id, "/admin replace", [file.video_id]);
  return isRefusal(changeable) ? "not allowed" : undefined;
}

function messageOf(reasons: readonly HoldReason[]): string | undefined {
  const [reason] = reasons;
  return reason && `${HOLD_MESSAGES[reason]} ${NOT_WHILE_HELD}`;
}

/** Uses polling because jobs may finish in another process, which doesn't notify this one. */
const POLL_EVERY_MS = 5_000;

/** Switches videos to fully processed files, at startup and as soon as a file's last job is done. */
export function startActivatingReplacements(): void {
  const polls = every(POLL_EVERY_MS, "replace a video's file", activateReady, { firstMs: 0 });
  onJobsChanged((change) => {
    if (change === "work") polls.run();
  });
}

/** Switches each video that has a fully processed pending file to that file. */
export async function activateReady(): Promise<void> {
  const pending = prepared<string>("SELECT id FROM video_files WHERE state = 'pending'").pluck();
  for (const id of pending.all()) await activateReplacement(id, null);
}
