import { readFile } from "node:fs/promises";
import path from "node:path";
import { bucketFile, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import type { Source } from "~/media/encode/artifact";
import type { EarlyWatch } from "~/media/encode/stream-playlists.server";
import { unlessMissing } from "~/shared/unless-missing";
import { sqliteHandle, transaction } from "~db/client.server";
import type { JobRow } from "~db/schema";
import { retryWhileBusy } from "~db/write-lock";
import { removeStale } from "./commit-artifact.server";
import { PRIORITIES } from "./kinds";
import { hasLease, RESULT_WAIT_MS } from "./queue.server";
import { jobsChanged } from "./queue-state.server";

/**
 * Makes a video watchable while its stream is being encoded. If a row has a stream but no file, the stream is
 * incomplete: the job that finishes the stream sets both columns together.
 *
 * @returns undefined if the video has a playable file, which visitors watch until the stream is complete.
 */
export async function earlyWatch(job: JobRow, source: Source): Promise<EarlyWatch | undefined> {
  const { basePath, row } = source;
  const parent = bucketFile("videos", basePath);
  if (row.video_url !== "" || !parent) {
    lowerPriority(job);
    return undefined;
  }
  return {
    parent,
    watchableSeconds: await watchableSeconds(row.hls_url),
    async publish(folderName) {
      const url = mediaUrl("videos", `${basePath}/${folderName}/master.m3u8`);
      const isNamed = await retryWhileBusy(() => nameStream(job, url), RESULT_WAIT_MS);
      // Viewers of a stream from an earlier attempt switch to the current one, because the earlier attempt's files are
      // removed.
      if (isNamed) await removeStale(source, "ladder");
      lowerPriority(job);
    },
  };
}

/**
 * Lowers the job's priority, because its video can now be watched. The job still runs before jobs that nobody is
 * waiting for.
 */
function lowerPriority(job: JobRow): void {
  job.priority = Math.max(job.priority, PRIORITIES.transcode + 1);
  jobsChanged("work");
}

/** @returns false if the video was deleted, or if the file is a pending replacement. */
function nameStream(job: JobRow, url: string): Promise<boolean> {
  return transaction(() => {
    if (!hasLease(job)) return false;
    const { changes } = sqliteHandle()
      .prepare("UPDATE videos SET hls_url = ? WHERE id = ? AND video_url = ''")
      .run(url, job.video_id);
    return changes > 0;
  });
}

/**
 * Returns the number of seconds that an earlier attempt has made watchable, which is the length of its shortest
 * playlist. Returns 0 if there was no earlier attempt.
 */
async function watchableSeconds(hlsUrl: string | null): Promise<number> {
  const name = parseMediaUrl(hlsUrl ?? "");
  const master = name && bucketFile(name.bucket, name.path);
  if (!master) return 0;
  // Missing files count as 0 seconds.
  const read = async (file: string) => (await readFile(file, "utf8").catch(unlessMissing)) ?? "";
  const playlists = [...(await read(master)).matchAll(/^[\w-]+\.m3u8$/gm)];
  const seconds = playlists.map(async ([playlist]) => {
    const text = await read(path.join(path.dirname(master), playlist));
    const durations = [...text.matchAll(/^#EXTINF:([\d.]+)/gm)];
    return durations.reduce((sum, [, each]) => sum + Number(each), 0);
  });
  return seconds.length > 0 ? Math.min(...(await Promise.all(seconds))) : 0;
}
