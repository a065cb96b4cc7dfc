import type { Source } from "~/media/encode/artifact";
import { withReadableFile } from "~/media/files/local-copies.server";
import type { JobKind, JobRow } from "~db/schema";
import { mayRemoveSource } from "./remove-source.server";

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

function filesOf(job: JobRow, source: Source): string[] {
  const { file, playing } = source;
  if (READS_PLAYING.has(job.kind)) return [playing];
  if (mayRemoveSource(job, source)) return [file, playing];
  return job.kind === "cleanup" ? [] : [file];
}
