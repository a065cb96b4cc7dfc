import { settings } from "~/server/settings.server";
import type { JobKind, JobRow } from "~db/schema";
import type { Source } from "../encode/artifact";
import { withReadableFile } from "../files/local-copies.server";

/** They read the file that is played; the others that as it came. */
const READS_PLAYING: ReadonlySet<JobKind> = new Set([
  "poster",
  "storyboard",
  "preview",
  "fingerprint",
] as const);

/**
 * Lets ffmpeg read the files of a job while `work` runs. Files are moved into the store once their jobs are done,
 * so only a later job reads them from there.
 *
 * @throws {StorageError} if the store doesn't give them.
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

function filesOf({ kind }: JobRow, { file, playing, row, url }: Source): string[] {
  if (READS_PLAYING.has(kind)) return [playing];
  const { keepSources } = settings();
  const isReplaced = row.video_url !== "" && row.video_url !== url;
  // To compare both, if the original may be removed.
  if (kind === "cleanup") return isReplaced && keepSources !== "always" ? [file, playing] : [];
  return kind === "captions" && isReplaced && keepSources === "never" ? [file, playing] : [file];
}
