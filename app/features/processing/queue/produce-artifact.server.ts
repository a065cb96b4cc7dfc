import { bucketFile, mediaBasePath, parseMediaUrl } from "~/media/bucket.server";
import { type Artifact, NO_ARTIFACT, type Source } from "~/media/encode/artifact";
import { extractCaptions } from "~/media/encode/captions.server";
import { encodeCodecs } from "~/media/encode/codecs/encode-codecs.server";
import { cutFilm } from "~/media/encode/cut.server";
import type { Pace } from "~/media/encode/encoders.server";
import { encodeLadder } from "~/media/encode/ladder.server";
import { measureLoudness } from "~/media/encode/loudness.server";
import { cleanThumbnail, createPoster } from "~/media/encode/poster.server";
import { createPreview } from "~/media/encode/preview.server";
import { createStoryboard } from "~/media/encode/storyboard.server";
import type { Task } from "~/media/encode/task.server";
import { transcode } from "~/media/encode/transcode.server";
import { cutSource } from "~/media/files/cut-source.server";
import { withLocalFile } from "~/media/files/local-copies.server";
import { fileExists } from "~/media/media-files.server";
import { cleanVideoFile, isCleanFile } from "~/media/metadata/clean-files.server";
import { cachedProbe as read } from "~/media/probe/cached-probe.server";
import { isEarlierVersion } from "~/media/serve/file-version.server";
import { database, sqliteHandle } from "~db/client.server";
import type { JobRow } from "~db/schema";
import { fingerprintFilm } from "../comparison/fingerprint.server";
import { scanFile } from "../scan/scan-file.server";
import { removeStale } from "./commit-artifact.server";
import { earlyWatch } from "./early-watch.server";
import { PRIORITIES } from "./kinds";
import { removeEarlierVersions } from "./remove-source.server";
import { tableOf } from "./table-of.server";

/** The file of a video is not one that anything can be made from; trying again can't help. */
export class UnusableSourceError extends Error {}

/** Where the file of a job's video is; undefined when the video has none of ours. */
export async function sourceOf(job: JobRow): Promise<Source | undefined> {
  const row = await database()
    .selectFrom(tableOf(job.video_id) as "videos")
    .select(["video_url", "source_url", "thumbnail_url", "hls_url", "source_removed_at"])
    .where("id", "=", job.video_id)
    .executeTakeFirst();
  if (!row) return undefined;
  const cut = cutSource(job.video_id);
  if (cut) return cut;
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
    playing: fileOf(row.video_url) ?? file,
    row,
  };
}

function fileOf(url: string): string | undefined {
  const name = parseMediaUrl(url);
  return name && bucketFile(name.bucket, name.path);
}

/** Makes what a job asks for, in the task's folder. */
export async function produceArtifact(job: JobRow, source: Source, task: Task): Promise<Artifact> {
  // Never the name of something that is there already: what is being watched stays until it is not.
  const generation = `${job.id.toString(36)}${Date.now().toString(36)}`;
  switch (job.kind) {
    case "scan":
      return { ...NO_ARTIFACT, scan: await scanFile(source.file, task.signal) };
    case "transcode":
      if (source.cut) {
        return cutFilm({ ...source, cut: source.cut }, await read(source.file), task);
      }
      return transcode(
        { ...source, isClean: await cleanPlayedFile(source) },
        await read(source.file),
        task,
      );
    case "captions":
      return extractCaptions(source, await read(source.file), task, generation);
    case "poster": {
      const url = source.row.thumbnail_url;
      if (!url) return createPoster(source, await read(source.playing), task);
      const file = isCleanFile(url) ? undefined : fileOf(url);
      if (!file || !fileExists(file)) return NO_ARTIFACT;
      return withLocalFile(file, (local) => cleanThumbnail(source, local, task));
    }
    case "storyboard":
      return createStoryboard(source, await read(source.playing), task, generation);
    case "preview":
      return createPreview(source, await read(source.playing), task, generation);
    case "loudness":
      return measureLoudness(source, await read(source.file), task);
    case "ladder": {
      // What is played instead of the source has less of it than the stream.
      if (source.row.hls_url && source.row.source_removed_at) return NO_ARTIFACT;
      const watch = await earlyWatch(job, source);
      return encodeLadder(source, await read(source.file), task, generation, paceOf(job), watch);
    }
    case "codecs":
      return encodeCodecs(source, await read(source.file), task, generation, source.row.hls_url);
    case "fingerprint":
      return fingerprintFilm(job, source, await read(source.playing), task);
    case "cleanup": {
      await removeStale(source, "ladder");
      await removeEarlierVersions(source);
      return NO_ARTIFACT;
    }
  }
}

/** Whether the file that is played, if there is one, has no private metadata after this. */
async function cleanPlayedFile({ videoId, row }: Source): Promise<boolean> {
  return row.video_url !== "" && cleanVideoFile(videoId, row.video_url);
}

/** Work that no other of its kind waits behind may take its time. */
export function paceOf({ id, kind, priority }: JobRow): Pace {
  if (priority < PRIORITIES[kind]) return "urgent";
  const others = sqliteHandle()
    .prepare("SELECT 1 FROM jobs WHERE kind = ? AND id <> ? AND state IN ('waiting', 'running')")
    .get(kind, id);
  return others ? "usual" : "idle";
}
