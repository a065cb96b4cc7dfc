import { randomBytes } from "node:crypto";
import { cp, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { type Captions, readCaptions } from "~db/captions";
import { database, sqliteHandle, writeTransaction } from "~db/client.server";
import type { JobKind, JobRow } from "~db/schema";
import { retryWhileBusy } from "~db/write-lock";
import { type Bucket, bucketFile } from "../bucket.server";
import type { Made, Source } from "../encode/made";
import { forgetFiles, recordFile } from "../media-files.server";
import { isOurs, markDone } from "./queue.server";

/**
 * Puts what a job has made where it is served from, and only then names it in the row, together
 * with the end of the job. Killed at any point, the row names what it named before.
 *
 * @returns false when it is not wanted any more, as after the video was deleted; then nothing stays.
 */
export async function place(
  job: JobRow,
  source: Source,
  made: Made,
  folder: string,
): Promise<boolean> {
  const targets: string[] = [];
  for (const { from, bucket, path: place } of made.moves) {
    if (!isOurs(job.id)) break;
    const target = bucketFile(bucket, place);
    if (!target) throw new Error(`${bucket}/${place} is no place for a file.`);
    targets.push(target);
    await move(path.join(folder, from), target);
  }
  const wanted = await retryWhileBusy(() => writeResult(job, made), RESULT_WAIT_MS);
  if (!wanted) {
    for (const target of targets) await rm(target, { recursive: true, force: true });
    return false;
  }
  await removeStale(source, job.kind);
  await count(source, made);
  return true;
}

/** Replaces what is there in one step; over the border of a volume by a copy beside it. */
async function move(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  try {
    await flush(from);
    await rename(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EXDEV") throw error;
    const partial = path.join(path.dirname(to), `.${randomBytes(6).toString("hex")}`);
    await cp(from, partial, { recursive: true });
    await flush(partial);
    await rename(partial, to);
  }
}

/** Nothing is named that a machine without power would find empty afterwards. */
async function flush(made: string): Promise<void> {
  if ((await stat(made)).isDirectory()) {
    for (const name of await readdir(made)) await flush(path.join(made, name));
  }
  const handle = await open(made);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Minutes of encoding are not given up because another process is writing. */
const RESULT_WAIT_MS = 60_000;

/** One transaction; only the columns of the result, so that an edit made meanwhile stays. */
function writeResult(job: JobRow, made: Made): Promise<boolean> {
  const sqlite = sqliteHandle();
  return writeTransaction(() => {
    if (!isOurs(job.id)) return false;
    for (const [column, value] of Object.entries(made.columns)) {
      sqlite.prepare(`UPDATE videos SET ${column} = ? WHERE id = ?`).run(value, job.video_id);
    }
    if (made.captions) writeCaptions(job, made.captions);
    if (made.poster && !namePoster(job, made.poster)) {
      // Someone has given the video a picture meanwhile; it stays, and the job is done all the same.
      markDone(job.id);
      return false;
    }
    if (made.durationSeconds) {
      const seconds = Math.round(made.durationSeconds);
      const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      sqlite
        .prepare("UPDATE videos SET duration = ? WHERE id = ? AND duration = '0:00'")
        .run(text, job.video_id);
    }
    markDone(job.id);
    return true;
  });
}

/** What an admin has added stays, and goes before what the file has under the same name. */
function writeCaptions(job: JobRow, made: readonly Captions[]): void {
  const sqlite = sqliteHandle();
  const read = sqlite.prepare("SELECT captions FROM videos WHERE id = ?").pluck();
  const added = readCaptions(read.get(job.video_id) as string | null).filter(({ added }) => added);
  const taken = new Set(added.map(({ label }) => label));
  const all = [...made.filter(({ label }) => !taken.has(label)), ...added];
  sqlite
    .prepare("UPDATE videos SET captions = ? WHERE id = ?")
    .run(JSON.stringify(all), job.video_id);
}

function namePoster(job: JobRow, { url, colors }: NonNullable<Made["poster"]>): boolean {
  const { changes } = sqliteHandle()
    .prepare(
      `UPDATE videos SET thumbnail_url = ?, poster_colors = ?
       WHERE id = ? AND thumbnail_url IS NULL`,
    )
    .run(url, colors ?? null, job.video_id);
  return changes > 0;
}

const GENERATIONS: Partial<Record<JobKind, string>> = {
  captions: "captions-",
  ladder: "hls-",
  storyboard: "storyboard-",
  preview: "preview-",
};

/** What an earlier generation of the same, or one that was killed, has left. */
async function removeStale({ stem, videoId }: Source, kind: JobKind): Promise<void> {
  const prefix = GENERATIONS[kind];
  if (!prefix) return;
  for (const bucket of ["videos", "thumbnails"] as const) {
    const folder = bucketFile(bucket, stem);
    if (!folder) continue;
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.startsWith(prefix) || isNamed(`/media/${bucket}/${stem}/${name}`, videoId))
        continue;
      await rm(path.join(folder, name), { recursive: true, force: true });
    }
  }
}

function isNamed(address: string, videoId: string): boolean {
  return (
    sqliteHandle()
      .prepare(
        `SELECT 1 FROM videos WHERE preview_url = @address
         UNION ALL SELECT 1 FROM videos WHERE hls_url = @address || '/master.m3u8'
         UNION ALL SELECT 1 FROM videos WHERE storyboard_url = @address || '/storyboard.vtt'
         UNION ALL SELECT 1 FROM videos, json_each(videos.captions)
           WHERE videos.id = @videoId AND value ->> 'url' LIKE @address || '/%'`,
      )
      .get({ address, videoId }) !== undefined
  );
}

/** Counts what was made among the video's files: each file beside it, and its two folders. */
async function count({ videoId, stem }: Source, made: Made): Promise<void> {
  const folders = new Set<Bucket>();
  for (const { bucket, path: place } of made.moves) {
    if (place.startsWith(`${stem}/`)) folders.add(bucket);
    else {
      const kind = bucket === "videos" ? "video" : "thumbnail";
      await recordFile({ bucket, path: place, videoId, kind });
    }
  }
  for (const bucket of folders) {
    await recordFile({ bucket, path: stem, videoId, kind: "derived" });
  }
}

/**
 * Gives up the file as it came, where the played copy has everything it had. Whoever was playing it
 * when the copy came has long finished by then.
 */
export async function giveUpSource(job: JobRow, source: Source): Promise<void> {
  const { video_url } = await database()
    .selectFrom("videos")
    .select("video_url")
    .where("id", "=", job.video_id)
    .executeTakeFirstOrThrow();
  if (!video_url || video_url === source.url) return;
  await database()
    .updateTable("videos")
    .set({ source_url: null })
    .where("id", "=", job.video_id)
    .execute();
  await rm(source.file, { force: true });
  const [, , bucket, ...rest] = source.url.split("/") as ["", "media", Bucket, ...string[]];
  await forgetFiles([{ bucket, path: rest.join("/") }]);
}
