import { readdir } from "node:fs/promises";
import path from "node:path";
import { settings } from "~/server/settings.server";
import { sqliteHandle, writeTransaction } from "~db/client.server";
import type { JobRow } from "~db/schema";
import { retryWhileBusy } from "~db/write-lock";
import { bucketFile, mediaUrl, parseMediaUrl } from "../bucket.server";
import type { Source } from "../encode/artifact";
import { isCopyOf } from "../encode/transcode.server";
import { forgetFiles, recordFile } from "../media-files.server";
import { cachedProbe } from "../probe/cached-probe.server";
import { type Probe, RefusedFileError } from "../probe/probe.server";
import { isEarlierVersion } from "../serve/file-version.server";
import { removeStored } from "../storage/remove.server";
import { RESULT_WAIT_MS } from "./queue.server";
import { tableOf } from "./table-of.server";
import { isWholeStream, LEAST_PART } from "./whole-stream.server";

/** Why the file as it came need not be kept: a copy has all of it, or KEEP_SOURCES says so. */
type Reason = "copied" | "converted";

/**
 * The last job of a video. Removes the file as it came, where the file that is played has everything it
 * had or KEEP_SOURCES says so, and versions of the played file which were replaced. Whoever was watching
 * one of them has long finished by then. An address of theirs leads to the file that is played (see
 * public-file.server.ts).
 */
export async function removeEarlierVersions(job: JobRow, source: Source): Promise<void> {
  if (isReplaced(source)) await removeSource(job, source, await reasonToRemove(source));
  const named = sourceUrl(job.video_id);
  const folder = bucketFile("videos", source.basePath);
  const names = folder ? await readdir(folder).catch(() => []) : [];
  if (!folder || names.length === 0) return;
  for (const name of names) {
    const file = `${source.basePath}/${name}`;
    if (!isEarlierVersion(file) || mediaUrl("videos", file) === named) continue;
    await removeStored(path.join(folder, name));
  }
  const videoId = job.video_id;
  await recordFile({ bucket: "videos", path: source.basePath, videoId, kind: "derived" });
}

/**
 * With KEEP_SOURCES=never, what can be removed before the stream is made: a file that nobody could watch,
 * once its captions are there. One with several sounds stays until the stream has them.
 */
export async function removeSourceEarly(job: JobRow, source: Source): Promise<void> {
  if (settings().keepSources !== "never" || !isReplaced(source)) return;
  if (isEarlierVersion(parseMediaUrl(source.url)?.path ?? "")) return;
  const film = await cachedProbe(source.file);
  if (film.sounds.length > 1 || !(await playsWhole(source, film))) return;
  await removeSource(job, source, "converted");
}

function isReplaced({ row, url }: Source): boolean {
  return row.video_url !== "" && row.video_url !== url;
}

async function reasonToRemove(source: Source): Promise<Reason | undefined> {
  const film = await cachedProbe(source.file);
  if (isCopyOf(film)) return "copied";
  if (settings().keepSources === "always") return undefined;
  const stream = parseMediaUrl(source.row.hls_url ?? "");
  const playlist = stream && bucketFile(stream.bucket, stream.path);
  const isDone =
    playlist && (await isWholeStream(playlist, film)) && (await playsWhole(source, film));
  return isDone ? "converted" : undefined;
}

/** Whether browsers play the file that is there instead of the source, to its end. */
async function playsWhole({ playing }: Source, film: Probe): Promise<boolean> {
  try {
    const { playable, durationSeconds } = await cachedProbe(playing);
    return playable && durationSeconds >= film.durationSeconds * LEAST_PART;
  } catch (error) {
    if (error instanceof RefusedFileError) return false;
    throw error;
  }
}

/** The row first: killed before the file is gone, nothing names it, and check-library finds it. */
async function removeSource(
  job: JobRow,
  source: Source,
  reason: Reason | undefined,
): Promise<void> {
  const name = parseMediaUrl(source.url);
  if (!name || !reason) return;
  if (!(await retryWhileBusy(() => forgetSource(job, source, reason), RESULT_WAIT_MS))) return;
  // Not the copy of it that the job has read, see local-copy.server.ts.
  const file = bucketFile(name.bucket, name.path);
  if (file) await removeStored(file);
  await retryWhileBusy(() => forgetFiles([name]), RESULT_WAIT_MS);
}

/** Not while the row has changed, another row names the file, or a job may be reading it. */
function forgetSource(job: JobRow, source: Source, reason: Reason): Promise<boolean> {
  const statement = /* sql */ `
    UPDATE ${tableOf(job.video_id)} SET source_url = NULL, source_removed_at = coalesce(@removedAt, source_removed_at)
    WHERE id = @id AND source_url = @url AND video_url = @played AND hls_url IS @stream
      AND NOT EXISTS (SELECT 1 FROM videos WHERE source_url = @url AND id <> @id)
      AND NOT EXISTS (SELECT 1 FROM videos WHERE video_url = @url)
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE video_id = @id AND id <> @job
        AND (state = 'running' OR (state <> 'done' AND @isLast)))`;
  const { video_url: played, hls_url: stream } = source.row;
  const values = {
    ...{ id: job.video_id, job: job.id, url: source.url, played, stream },
    isLast: Number(job.kind === "cleanup"),
    removedAt: reason === "converted" ? new Date().toISOString() : null,
  };
  return writeTransaction(() => sqliteHandle().prepare(statement).run(values).changes > 0);
}

function sourceUrl(videoId: string): string | undefined {
  return sqliteHandle()
    .prepare<unknown[], string>(`SELECT source_url FROM ${tableOf(videoId)} WHERE id = ?`)
    .pluck()
    .get(videoId);
}
