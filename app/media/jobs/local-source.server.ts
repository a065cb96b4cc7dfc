import { settings } from "~/server/settings.server";
import type { JobKind, JobRow } from "~db/schema";
import type { Source } from "../encode/artifact";
import { localCopy } from "../storage/local-copy.server";

/** They read the file that is played; the others that as it came. */
const READS_PLAYING: ReadonlySet<JobKind> = new Set([
  "poster",
  "storyboard",
  "preview",
  "fingerprint",
] as const);

/**
 * The source of a job with its bytes on this machine: what is in the store is copied into the folder of the
 * job, which goes with it. Files are moved into the store once their jobs are done, so it is a job that
 * comes later which needs a copy.
 *
 * @throws {StorageError} when the store does not give it.
 */
export async function withLocalFiles(
  { kind }: JobRow,
  source: Source,
  folder: string,
): Promise<Source> {
  if (!settings().storage) return source;
  const { row, url } = source;
  const isCleanup = kind === "cleanup";
  // The last job compares both, when it may remove the one.
  const isKept = row.video_url === "" || row.video_url === url;
  if (isCleanup && (isKept || settings().keepSources === "always")) return source;
  const isSame = source.file === source.playing;
  const readsPlaying = isCleanup || READS_PLAYING.has(kind);
  const file =
    isSame || !READS_PLAYING.has(kind) ? await localCopy(source.file, folder) : source.file;
  if (isSame) return { ...source, file, playing: file };
  const playing = readsPlaying ? await localCopy(source.playing, folder) : source.playing;
  return { ...source, file, playing };
}
