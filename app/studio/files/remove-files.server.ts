import { bucketFile, type MediaName, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import { cutBasePath } from "~/media/jobs/cut-source.server";
import { forgetFiles } from "~/media/media-files.server";
import { removeStored } from "~/media/storage/remove.server";
import { prepared, writeTransaction } from "~db/client.server";
import { processState } from "~db/runtime.server";
import type { VideoFileRow } from "~db/video-files";
import type { OwnVideos } from "../own-videos";
import { OWN_FILE, ownDeletedValues } from "../own-videos";
import { isShared } from "../trash/video-files.server";
import { basePathOf } from "./take-over.server";

/** A file that is no video's any more; the video may be in the trash itself. */
export interface RemovedFile {
  id: string;
  /** Of the video. */
  videoId: string;
  title: string;
  bytes: number;
}

const REMOVED_FILE = `
  SELECT file.id, video_id AS videoId, coalesce(videos.title, deleted.title, '') AS title, file.bytes
  FROM video_files AS file
  LEFT JOIN videos ON videos.id = video_id
  LEFT JOIN deleted_videos AS deleted ON deleted.id = video_id`;

/** Those of some files that were replaced, and are of one user's videos if they are given. */
export function replacedFiles(ids: readonly string[], own: OwnVideos | undefined): RemovedFile[] {
  return prepared(
    `${REMOVED_FILE} WHERE file.id IN (SELECT value FROM json_each(@ids)) AND +state = 'earlier'
       AND ${own ? OWN_FILE : "TRUE"}`,
  ).all({ ids: JSON.stringify(ids), ...(own && ownDeletedValues(own)) }) as RemovedFile[];
}

/**
 * Removes files that wait, or were replaced, for good. Their rows say so first: whoever is killed
 * before the files are gone goes on at the next start.
 *
 * @returns those that were still there.
 */
export async function removeFiles(
  ids: readonly string[],
  state: "pending" | "earlier",
): Promise<RemovedFile[]> {
  const removed = await writeTransaction(() => {
    const rows = prepared(
      `${REMOVED_FILE} WHERE file.id IN (SELECT value FROM json_each(?)) AND +state = ?`,
    ).all(JSON.stringify(ids), state) as RemovedFile[];
    for (const { id } of rows) {
      prepared("UPDATE video_files SET state = 'removing' WHERE id = ?").run(id);
      prepared("DELETE FROM jobs WHERE video_id = ?").run(id);
    }
    return rows;
  });
  await finishRemovals();
  return removed;
}

/** Removes the files of all rows that are about to lose them, then what those rows said of them. */
export async function finishRemovals(): Promise<void> {
  const rows = prepared("SELECT * FROM video_files WHERE state = 'removing'").all();
  for (const row of rows as VideoFileRow[]) {
    const names = await namesOf(row);
    for (const { bucket, path } of names) {
      const file = bucketFile(bucket, path);
      if (file) await removeStored(file);
    }
    await forgetFiles(names);
    await writeTransaction(() => {
      // The address of what never was the file of its video is known to nobody.
      const kept = `replaced_at IS NOT NULL AND
        (video_id IN (SELECT id FROM videos) OR video_id IN (SELECT id FROM deleted_videos))`;
      prepared(`UPDATE video_files SET state = 'removed', bytes = 0 WHERE id = ? AND ${kept}`).run(
        row.id,
      );
      prepared("DELETE FROM video_files WHERE id = ? AND state = 'removing'").run(row.id);
    });
  }
}

/**
 * What a row alone names: its files, the folders of what was made of them, and the thumbnail that was
 * made of it. Not what some video uses.
 */
async function namesOf(row: VideoFileRow): Promise<MediaName[]> {
  const names = [row.video_url, row.source_url, row.generated_poster_url]
    .map((url) => parseMediaUrl(url ?? ""))
    .filter((name) => name !== undefined);
  const base = basePathOf(row) ?? cutBasePath(row);
  if (base) {
    const recorded = prepared("SELECT bucket, path FROM media_files WHERE video_id = ?");
    names.push(
      { bucket: "videos", path: base },
      { bucket: "thumbnails", path: base },
      ...(recorded.all(row.id) as MediaName[]),
    );
  }
  const own: MediaName[] = [];
  for (const name of names) if (!(await isUsed(name, base))) own.push(name);
  return own;
}

async function isUsed(name: MediaName, base: string | undefined): Promise<boolean> {
  const nobody = new Set<string>();
  if (name.bucket === "videos") return isShared(name, nobody);
  // The folder beside a thumbnail that stays holds smaller ones, which are made again when asked for.
  if (name.path === base) return isShared({ bucket: "videos", path: base }, nobody);
  const url = mediaUrl(name.bucket, name.path);
  return prepared("SELECT 1 FROM videos WHERE thumbnail_url = ?").get(url) !== undefined;
}

/** Checked for a video in one call of `removeOrphanFiles`: a few milliseconds. */
const ROWS_AT_ONCE = 2_000;
const IS_ORPHAN = `NOT EXISTS (SELECT 1 FROM videos WHERE videos.id = video_id)
  AND NOT EXISTS (SELECT 1 FROM deleted_videos AS deleted WHERE deleted.id = video_id)`;
const FIRST_ROW = { videoId: "", id: "" };
/** The last row that `removeOrphanFiles` has checked. */
const check = processState("check for orphan files", () => ({ after: FIRST_ROW }));

/**
 * Removes the files of videos that are gone, in the catalogue and in the trash, whatever program deleted
 * them. Checks the next some thousand rows at each call, since it runs on the thread that serves requests.
 */
export async function removeOrphanFiles(): Promise<void> {
  const next = `SELECT video_id AS videoId, video_id, id FROM video_files
    WHERE (video_id, id) > (@videoId, @id) ORDER BY video_id, id`;
  const orphans = prepared(
    `SELECT id FROM (${next} LIMIT ${ROWS_AT_ONCE}) AS part WHERE ${IS_ORPHAN}`,
  ).pluck();
  const last = prepared(`${next} LIMIT 1 OFFSET ${ROWS_AT_ONCE - 1}`);
  const { after } = check();
  const ids = orphans.all(after) as string[];
  check().after = (last.get(after) as typeof after | undefined) ?? FIRST_ROW;
  await removeOrphans(ids);
}

/** Removes the files of some videos, of those that are gone. */
export async function removeFilesOf(videoIds: readonly string[]): Promise<void> {
  const files = prepared(
    "SELECT id FROM video_files WHERE video_id IN (SELECT value FROM json_each(?))",
  ).pluck();
  await removeOrphans(files.all(JSON.stringify(videoIds)) as string[]);
}

async function removeOrphans(ids: readonly string[]): Promise<void> {
  if (ids.length > 0) {
    const remove = prepared(
      `UPDATE video_files SET state = 'removing' WHERE id = ? AND ${IS_ORPHAN}`,
    );
    await writeTransaction(() => {
      for (const id of ids) remove.run(id);
    });
  }
  await finishRemovals();
}

/** The ids of files that were replaced until a moment, the oldest first, at most `most`. */
export function replacedUntil(until: string, most: number, own?: OwnVideos): string[] {
  return prepared(
    `SELECT file.id FROM video_files AS file LEFT JOIN videos ON videos.id = video_id
     WHERE state = 'earlier' AND replaced_at <= @until AND ${own ? OWN_FILE : "TRUE"}
     ORDER BY replaced_at LIMIT @most`,
  )
    .pluck()
    .all({ until, most, ...(own && ownDeletedValues(own)) }) as string[];
}
