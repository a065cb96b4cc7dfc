import type { SourceCounts } from "~/features/processing/queue/outdated-streams.server";
import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { ladderSettings } from "~/media/encode/encoders.server";
import { diskUsage } from "~/media/media-files.server";
import { ffmpegAvailable } from "~/media/probe/ffmpeg.server";
import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";
import { queryThread } from "~db/threads/query-thread.server";
import type { SourceFigures } from "./statistics";

/** What the files take that videos came as, and how many streams could be made again. */
export async function sourceFigures(): Promise<SourceFigures> {
  const { unrecorded, ...counts } = await queryThread<SourceCounts>(
    "studio",
    "source-counts",
    ladderSettings(),
  );
  const { sources, converted } = counts;
  for (const { url, isConverted } of unrecorded) {
    const name = parseMediaUrl(url);
    const bytes = await diskUsage((name && bucketFile(name.bucket, name.path)) ?? "");
    sources.bytes += bytes;
    if (isConverted) converted.bytes += bytes;
  }
  const outdated = ffmpegAvailable() ? counts.outdated : 0;
  const cut = prepared(
    `SELECT count(*) AS videos, coalesce(sum(bytes), 0) AS bytes FROM video_files
     WHERE state = 'original'`,
  ).get() as SourceFigures["cut"];
  return { ...counts, outdated, cut, keep: settings().keepSources };
}
