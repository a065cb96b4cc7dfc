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
import { carryCaptions, cutCaptions } from "../edit/captions.server";

/**
 * What came of it: `on hold` while something holds the video, `not allowed` when the account may not change the
 * file of the video any more.
 */
type Outcome = "done" | "gone" | "not ready" | Obstacle;

/**
 * Makes a file that waits, one that was replaced, or an original, the file of its video. In one transaction the row
 * of the video gets its addresses, length, captions and all that was made of it, and what the row had
 * becomes an earlier file. No file is moved: killed at any point, one of the two is played.
 *
 * @param userId who wants it; null for a file that takes over by itself, which must have all made of it and
 *   comes from somebody who may still replace the file.
 */
export async function activateReplacement(fileId: string, userId: string | null): Promise<Outcome> {
  const before = readBoth(fileId);
  if (!before) return "gone";
  if (!isReady(before.file, userId !== null)) return "not ready";
  const obstacle = obstacleTo(before.file, userId);
  if (obstacle) return obstacle;
  // What has been counted belongs to the video before.
  flushWatchedParts();
  const base = basePathOf(before.file);
  // One that comes back has the captions that it had.
  const captions =
    before.file.state === "pending" && base
      ? await captionsOfNew(base, before)
      : before.file.captions;
  const outcome = await transaction((): Outcome => {
    const now = readBoth(fileId);
    if (!now) return "gone";
    // Somebody has edited the captions meanwhile: the next try carries these.
    if (now.file.captions !== before.file.captions) return "not ready";
    if (now.video.captions !== before.video.captions) return "not ready";
    if (!isReady(now.file, userId !== null)) return "not ready";
    const obstacle = obstacleTo(now.file, userId);
    if (obstacle) return obstacle;
    exchange({ ...now, captions, userId });
    return "done";
  });
  if (outcome !== "done") return outcome;
  const { file, video } = before;
  if (base) {
    const videoId = video.id;
    await recordFile({ bucket: "videos", path: base, videoId, kind: "derived" });
  }
  // Made in vain, because somebody has chosen a picture meanwhile.
  const made = parseMediaUrl(file.thumbnail_url ?? "");
  if (made && isChosen(video)) await removeUnreferenced([made], "discarded");
  jobsChanged("work");
  return "done";
}

function captionsOfNew(base: string, { file, video }: Both): Promise<string | null> {
  if (file.cut_of === null || file.cut_start === null || file.cut_end === null)
    return carryCaptions(base, video.captions, file.captions);
  const isOfOriginal = basePathOf(video) === file.cut_of || video.cut_of === file.cut_of;
  const today = { captions: isOfOriginal ? video.captions : null, start: video.cut_start ?? 0 };
  const original = fileOfBasePath(video.id, file.cut_of);
  const cut = { start: file.cut_start, end: file.cut_end };
  return cutCaptions(base, cut, original?.captions ?? null, today);
}

interface Both {
  file: VideoFileRow;
  video: VideoRow;
}

function readBoth(fileId: string): Both | undefined {
  const file = prepared<VideoFileRow>(
    "SELECT * FROM video_files WHERE id = ? AND state IN ('pending', 'earlier', 'original')",
  ).get(fileId);
  const video = prepared<VideoRow>("SELECT * FROM videos WHERE id = ?");
  const row = file && video.get(file.video_id);
  return file && row && { file, video: row };
}

/**
 * Whether a file can be played, and all is made of it. One that is wanted at once need not have its
 * stream, but its playable copy must not be under way: it is put in its place any moment.
 */
export function isReady(
  file: Pick<VideoFileRow, "id" | "state" | "video_url">,
  isWantedAtOnce: boolean,
): boolean {
  if (file.state !== "pending") return true;
  if (file.video_url === "") return false;
  if (isUnscanned(file.id)) return false;
  const unfinished = isWantedAtOnce
    ? "kind = 'transcode' AND state <> 'done'"
    : `kind <> 'cleanup' AND state IN ('waiting', 'running')
       OR kind IN ('transcode', 'ladder') AND state = 'failed'`;
  return !prepared(`SELECT 1 FROM jobs WHERE video_id = ? AND (${unfinished})`).get(file.id);
}

/** Whether a file waits for its scan, or for somebody who decides about what that found. */
function isUnscanned(fileId: string): boolean {
  const unscanned = prepared(
    `SELECT 1 FROM jobs WHERE video_id = @fileId AND kind = 'scan' AND state <> 'done'
     UNION ALL SELECT 1 FROM scan_findings WHERE video_id = @fileId`,
  );
  return unscanned.get({ fileId }) !== undefined;
}

/** Whether somebody has chosen the thumbnail; such a one stays with the video. */
export function isChosen(video: Pick<VideoRow, "thumbnail_url" | "generated_poster_url">): boolean {
  return video.thumbnail_url !== null && video.thumbnail_url !== video.generated_poster_url;
}

/** `{userId}/{uploadId}` of all files of a row; undefined when they are none of ours. */
export function basePathOf(row: Pick<VideoRow, "video_url" | "source_url">): string | undefined {
  const name = parseMediaUrl(row.video_url || (row.source_url ?? ""));
  return name?.bucket === "videos" ? mediaBasePath(name.path) : undefined;
}

/** All that changes in the database, inside of the transaction. */
function exchange({
  file,
  video,
  captions,
  userId,
}: Both & { captions: string | null; userId: string | null }): void {
  const now = new Date().toISOString();
  const staysPicture = isChosen(video);
  const digest = prepared<string>("SELECT sha256 FROM video_digests WHERE video_id = ?").pluck();
  // A new id: a form that names the old one is about another file.
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
        // A stream that is still growing ends with the job that makes it.
        ...(video.video_url === "" && { hls_url: null }),
        ...pick(staysPicture ? NO_POSTER : video, POSTER_COLUMNS),
      }),
  );
  runChange(
    database()
      .updateTable("videos")
      .set({
        ...pick(file, FILE_COLUMNS),
        ...(!staysPicture && pick(file, POSTER_COLUMNS)),
        captions,
        updated_at: now,
      })
      .where("id", "=", video.id),
  );
  moveRecords(video, { from: file.id, to: earlier, staysPicture });
  moveWatchedParts(video.id, { watched: file.watched, to: earlier });
  // What was to be made of the earlier file is not made any more; what was made of this one stays made.
  prepared("DELETE FROM jobs WHERE video_id = ? AND kind <> 'codecs'").run(video.id);
  // Somebody has asked for them, or the video is popular: they are added to the stream of this one.
  prepared(
    `UPDATE jobs SET state = 'waiting', attempts = 0, progress = 0, reason = NULL, worker = NULL,
       lease_until = NULL, finished_at = NULL
     WHERE video_id = ? AND kind = 'codecs'`,
  ).run(video.id);
  prepared("DELETE FROM jobs WHERE video_id = ? AND state = 'running'").run(file.id);
  prepared("UPDATE jobs SET video_id = ? WHERE video_id = ?").run(video.id, file.id);
  prepared("DELETE FROM video_files WHERE id = ?").run(file.id);
  settleOriginal(video.id, now);
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
 * What the file of a video was cut from is its original, and in no trash. Any other file goes there,
 * counted from now on: a cut that has lost its original is a file like others.
 */
function settleOriginal(videoId: string, now: string): void {
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

/** Why no other file can be sent or cut while one is pending. */
export const PENDING =
  "Another file is being prepared for this video. Wait until it has taken over, or discard it.";

/** Whether another file of a video is to replace its own. */
export function isPending(videoId: string): boolean {
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

/** Parts of another video are others: the totals stay with the video, and one that comes back has its own. */
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

/** The files of the row so far become those of the earlier file, those of the new one the video's. */
function moveRecords(
  video: VideoRow,
  { from, to, staysPicture }: { from: string; to: string; staysPicture: boolean },
): void {
  const base = basePathOf(video);
  if (base) {
    prepared(
      `UPDATE media_files SET video_id = @to
       WHERE video_id = @video AND NOT (bucket = 'thumbnails' AND path = @picture)
         AND (path = @base OR (path >= @base || '.' AND path < @base || '0'))`,
    ).run({
      to,
      video: video.id,
      base,
      picture: staysPicture ? (parseMediaUrl(video.thumbnail_url ?? "")?.path ?? "") : "",
    });
  }
  prepared("UPDATE media_files SET video_id = ? WHERE video_id = ?").run(video.id, from);
  addUpFiles("videos", video.id);
  addUpFiles("video_files", to);
}

const NOT_WHILE_HELD = "Its file can't be changed while the video is on hold.";

/** What keeps a video from switching to another file: its hold, or the account that wants it or sent it. */
export type Obstacle = "on hold" | "not allowed";

/**
 * Returns why a video can't switch to another file: what a moderator looks at, compares or blocks has to be
 * the file that the hold is about. Undefined if nothing holds it.
 */
export function fileHold(videoId: string): string | undefined {
  return messageOf(holdsOf([videoId]).get(videoId) ?? []);
}

/**
 * Returns why no file that replaces another can be sent. While the video is compared with the block list one
 * can: it waits until that is done.
 */
export function newFileHold(videoId: string): string | undefined {
  const reasons = holdsOf([videoId]).get(videoId) ?? [];
  return messageOf(reasons.filter((reason) => reason !== "comparing"));
}

/**
 * Returns what keeps a video from switching to a file. A file that was sent by somebody whose account was
 * restricted or whose video was published since waits for an editor.
 *
 * @param userId who wants the switch; null for the one who sent the file.
 */
export function obstacleTo(
  file: Pick<VideoFileRow, "video_id" | "user_id">,
  userId: string | null,
): Obstacle | undefined {
  if (fileHold(file.video_id)) return "on hold";
  const changeable = changeableNow(userId ?? file.user_id, "/admin replace", [file.video_id]);
  return isRefusal(changeable) ? "not allowed" : undefined;
}

function messageOf(reasons: readonly HoldReason[]): string | undefined {
  const [reason] = reasons;
  return reason && `${HOLD_MESSAGES[reason]} ${NOT_WHILE_HELD}`;
}

/** Jobs may be done by another process, which nobody here is told of. */
const POLL_EVERY_MS = 5_000;

/** Lets files take over of which all is made: as soon as their last job is done, and at the start. */
export function startActivatingReplacements(): void {
  const polls = every(POLL_EVERY_MS, "replace a video's file", activateReady, { firstMs: 0 });
  onJobsChanged((change) => {
    if (change === "work") polls.run();
  });
}

/** Lets each file take over of which all is made. */
export async function activateReady(): Promise<void> {
  const pending = prepared<string>("SELECT id FROM video_files WHERE state = 'pending'").pluck();
  for (const id of pending.all()) await activateReplacement(id, null);
}
