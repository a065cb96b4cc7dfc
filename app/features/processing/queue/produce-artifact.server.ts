import { bucketFile, mediaBasePath, parseMediaUrl } from "~/media/bucket.server";
import { type Artifact, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import type { Pace } from "~/media/encode/encoders.server";
import { encodeLadder } from "~/media/encode/ladder.server";
import type { Task } from "~/media/encode/task.server";
import { transcode } from "~/media/encode/transcode.server";
import { localFile, withReadableFile } from "~/media/files/local-copies.server";
import { trimSource } from "~/media/files/trim-source.server";
import { fileExists } from "~/media/media-files.server";
import { cleanVideoFile, isCleanFile } from "~/media/metadata/clean-files.server";
import { cachedProbe as read } from "~/media/probe/probe.server";
import { isEarlierVersion } from "~/media/serve/file-version.server";
import { database, sqliteHandle } from "~db/client.server";
import type { JobKind, JobRow } from "~db/schema";
import { fingerprintVideo } from "../comparison/fingerprint.server";
import { addCodecs } from "../kinds/add-codecs.server";
import { extractCaptions } from "../kinds/captions.server";
import { measureLoudness } from "../kinds/loudness.server";
import { createPreview } from "../kinds/preview.server";
import { scanFile } from "../kinds/scan.server";
import { cleanThumbnail, createPoster, createStoryboard } from "../kinds/stills.server";
import { trimVideo } from "../kinds/trim.server";
import { removeStale } from "./commit-artifact.server";
import { earlyWatch } from "./early-watch.server";
import { PRIORITIES } from "./kinds";
import { tableOf } from "./queue.server";
import { mayRemoveSource, removeEarlierVersions } from "./remove-source.server";

/** The error thrown if the video doesn't have a file that can be processed. Retrying doesn't help. */
export class UnusableSourceError extends Error {}

/** Returns the source file of a job's video, or undefined if the video has no file in our buckets. */
export async function sourceOf(job: JobRow): Promise<Source | undefined> {
  const row = await database()
    .selectFrom(tableOf(job.video_id) as "videos")
    .select(["video_url", "source_url", "thumbnail_url", "hls_url", "source_removed_at"])
    .where("id", "=", job.video_id)
    .executeTakeFirst();
  if (!row) return undefined;
  const trim = trimSource(job.video_id);
  if (trim) return trim;
  const url = row.source_url ?? row.video_url;
  const file = fileOf(url);
  const name = parseMediaUrl(url);
  if (!file || name?.bucket !== "videos") return undefined;
  if (name.path.split("/").length !== 2 && !isEarlierVersion(name.path)) return undefined;
  return {
    videoId: job.video_id,
    basePath: mediaBasePath(name.path),
    url,
    file,
    playedFile: fileOf(row.video_url) ?? file,
    row,
  };
}

function fileOf(url: string): string | undefined {
  const name = parseMediaUrl(url);
  return name && bucketFile(name.bucket, name.path);
}

/** Creates a job's output in the task's folder. */
export async function produceArtifact(job: JobRow, source: Source, task: Task): Promise<Artifact> {
  // The name always differs from the names of existing files, because someone may be watching one of those files.
  const generation = `${job.id.toString(36)}${Date.now().toString(36)}`;
  const { video_url: url, thumbnail_url: thumbnail } = source.row;
  switch (job.kind) {
    case "scan":
      return { ...NO_ARTIFACT, scan: await scanFile(source.file, task.signal) };
    case "transcode":
      if (source.trim) {
        return trimVideo({ ...source, trim: source.trim }, await read(source.file), task);
      }
      // Removes private metadata from the playable file, if there is one.
      return transcode(
        { ...source, isClean: url !== "" && (await cleanVideoFile(source.videoId, url)) },
        await read(source.file),
        task,
      );
    case "captions":
      return extractCaptions(source, await read(source.file), task, generation);
    case "poster": {
      if (!thumbnail) return createPoster(source, await read(source.playedFile), task);
      const file = isCleanFile(thumbnail) ? undefined : fileOf(thumbnail);
      if (!file || !fileExists(file)) return NO_ARTIFACT;
      return cleanThumbnail(source, await localFile(file), task);
    }
    case "storyboard":
      return createStoryboard(source, await read(source.playedFile), task, generation);
    case "preview":
      return createPreview(source, await read(source.playedFile), task, generation);
    case "loudness":
      return measureLoudness(source, await read(source.file), task);
    case "ladder": {
      // The stream isn't re-encoded from the playable version, because the existing stream was encoded from the removed
      // source and has a higher quality.
      if (source.row.hls_url && source.row.source_removed_at) return NO_ARTIFACT;
      const watch = await earlyWatch(job, source);
      return encodeLadder(source, await read(source.file), task, generation, paceOf(job), watch);
    }
    case "codecs":
      return addCodecs(source, await read(source.file), task, generation, source.row.hls_url);
    case "fingerprint":
      return fingerprintVideo(job, source, await read(source.playedFile), task);
    case "cleanup": {
      await removeStale(source, "ladder");
      await removeEarlierVersions(source);
      return NO_ARTIFACT;
    }
  }
}

/** Returns the speed at which a job should run: slower presets are used if no other job of its kind is waiting. */
export function paceOf({ id, kind, priority }: JobRow): Pace {
  if (priority < PRIORITIES[kind]) return "urgent";
  const others = sqliteHandle()
    .prepare("SELECT 1 FROM jobs WHERE kind = ? AND id <> ? AND state IN ('waiting', 'running')")
    .get(kind, id);
  return others ? "usual" : "idle";
}

/** The kinds of jobs that read the playable file. The other kinds read the source. */
const KINDS_READING_PLAYABLE_FILE: ReadonlySet<JobKind> = new Set([
  "poster",
  "storyboard",
  "preview",
  "fingerprint",
] as const);

/**
 * Makes a job's files readable for ffmpeg while `work` is running. Files are moved into the store only after their jobs
 * are done, so only later jobs read them from the store.
 *
 * @throws {StorageError} if the store doesn't return them.
 */
export function withSourceFiles<T>(
  job: JobRow,
  source: Source,
  work: () => Promise<T>,
): Promise<T> {
  return filesOf(job, source).reduceRight(
    (inner, file) => () => withReadableFile(file, inner),
    work,
  )();
}

function filesOf(job: JobRow, source: Source): string[] {
  const { file, playedFile } = source;
  if (KINDS_READING_PLAYABLE_FILE.has(job.kind)) return [playedFile];
  if (mayRemoveSource(job, source)) return [file, playedFile];
  return job.kind === "cleanup" ? [] : [file];
}
