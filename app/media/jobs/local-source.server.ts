import { settings } from "~/server/settings.server";
import type { JobKind, JobRow } from "~db/schema";
import type { Source } from "../encode/artifact";
import { localFile } from "../files/local-copies.server";

/** They read the file that is played; the others that as it came. */
const READS_PLAYING: ReadonlySet<JobKind> = new Set([
  "poster",
  "storyboard",
  "preview",
  "fingerprint",
] as const);

/**
 * Makes sure that the files a job reads are on the disk. They aren't evicted while the job runs. Files are moved
 * into the store once their jobs are done, so only a later job has to fetch them.
 *
 * @throws {StorageError} if the store doesn't give them.
 * @throws ENOSPC if there is no space for them.
 */
export async function fetchFiles({ kind }: JobRow, { file, playing, row, url }: Source) {
  if (!settings().storage) return;
  const isCleanup = kind === "cleanup";
  // The cleanup compares both, if it may remove the original.
  const isKept = row.video_url === "" || row.video_url === url;
  if (isCleanup && (isKept || settings().keepSources === "always")) return;
  const readsPlaying = READS_PLAYING.has(kind);
  if (isCleanup || !readsPlaying) await localFile(file);
  if (isCleanup || readsPlaying) await localFile(playing);
}
