import { bucketFile, type MediaName, mediaUrl, parseMediaUrl } from "~/media/bucket.server";
import type { Source } from "~/media/encode/artifact";
import { copyState } from "~/media/files/local-copies.server";
import { isReferencedByOther } from "~/media/files/references.server";
import { removeUnreferenced } from "~/media/files/removals.server";
import { recordAlias, storedFile } from "~/media/files/stored-files.server";
import { isCleanFile } from "~/media/metadata/clean-files.server";
import { earlierVersionPath, fileVersion } from "~/media/serve/file-version.server";
import { linkOrCopy, moveFlushed } from "~/shared/move-files.server";
import { sqliteHandle, transaction } from "~db/client.server";
import type { JobRow } from "~db/schema";
import { retryWhileBusy } from "~db/write-lock";
import { delayCleanup } from "./enqueue.server";
import { isOurs, RESULT_WAIT_MS } from "./queue.server";
import { tableOf } from "./table-of.server";

const SHARED = "The file wasn't replaced because another video uses it too.";

/**
 * Puts a verified file behind the URL of a video. First the earlier file gets a second name, which the row names
 * as its source: players that have begun with it go on reading it (see file-version.server.ts), and captions and
 * renditions are made from it. Killed at any point, both URLs have a file, also while the video is in the trash.
 *
 * @returns a note for the studio if another video uses the file; it isn't replaced then.
 */
export async function replaceVideoFile(
  job: JobRow,
  source: Source,
  converted: string,
): Promise<string | undefined> {
  const name = parseMediaUrl(source.row.video_url || source.url);
  const target = name && bucketFile(name.bucket, name.path);
  if (!name || !target) throw new Error(`${source.row.video_url} is no address of a file.`);
  if (!isOurs(job)) return undefined;
  const version = await fileVersion(target);
  if (!version) throw new Error(`${target} is not there.`);
  const url = mediaUrl(name.bucket, name.path);
  const earlier = earlierVersionPath(name.path, version, isCleanFile(url));
  const earlierFile = bucketFile(name.bucket, earlier);
  if (!earlierFile) throw new Error(`${name.bucket}/${earlier} is no path of a file.`);
  const earlierName = { bucket: name.bucket, path: earlier };
  await keepEarlierVersion(name, target, earlierName, earlierFile);
  const state = await retryWhileBusy(
    () => nameEarlier(job, source, name, mediaUrl(name.bucket, earlier)),
    RESULT_WAIT_MS,
  );
  if (state !== "named") {
    await retryWhileBusy(() => removeUnreferenced([earlierName], "discarded"), RESULT_WAIT_MS);
    return state === "shared" ? SHARED : undefined;
  }
  await moveFlushed(converted, target);
  return undefined;
}

/** Links the file on the disk under a second name, and adds a record for the same object. */
async function keepEarlierVersion(
  name: MediaName,
  target: string,
  second: MediaName,
  secondFile: string,
): Promise<void> {
  const stored = storedFile(name);
  const state = stored && (await copyState(target, stored));
  if (state !== "missing") await linkOrCopy(target, secondFile);
  if (!stored || state === "newer") return;
  await retryWhileBusy(() => transaction(() => recordAlias(name, second)), RESULT_WAIT_MS);
}

/**
 * Names the earlier version as the source of the video. A source that the row names already is what the job was
 * made from, and stays.
 *
 * @returns "changed" if the row is gone, or has another file by now; "shared" if another row names the file.
 */
function nameEarlier(
  job: JobRow,
  source: Source,
  name: MediaName,
  url: string,
): Promise<"named" | "changed" | "shared"> {
  return transaction(() => {
    if (!isOurs(job)) return "changed";
    if (isReferencedByOther(job.video_id, name)) return "shared";
    sqliteHandle()
      .prepare(
        `UPDATE ${tableOf(job.video_id)} SET source_url = @url
         WHERE id = @id AND (source_url IS NULL OR source_url = @before)`,
      )
      .run({ url, id: job.video_id, before: source.row.video_url || source.url });
    delayCleanup(job.video_id);
    return "named";
  });
}
