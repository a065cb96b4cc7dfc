import { recordActivity } from "~/account/activity.server";
import {
  BLOCKED_FILE,
  hasBlockedMd5s,
  isBlockedFile,
  isBlockedMd5,
} from "~/media/block-list/blocked-films.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { digestOf } from "~/media/intake/tus-store.server";
import { UploadError } from "~/media/intake/upload-error.server";

/** One upload is checked before its questions and again before it is published. */
const md5s = new WeakMap<ReceivedFile, Promise<string>>();

/**
 * Refuses a file with the bytes of one that was removed, or with a digest of an imported list, and records that. The
 * file is read for its MD5 only while the list has such digests.
 *
 * @param about who sent it; what it was to be called, or the video that it was to become the file of.
 * @throws {UploadError} 422, with which what has arrived is removed.
 */
export async function refuseBlockedFile(
  file: ReceivedFile,
  about: { userId: string; detail: string; subjectId?: string },
): Promise<void> {
  const isBlocked =
    isBlockedFile(file.sha256) || (hasBlockedMd5s() && isBlockedMd5(await md5Of(file)));
  if (!isBlocked) return;
  await recordActivity({ ...about, action: "block-refused" });
  throw new UploadError(422, BLOCKED_FILE, "video");
}

function md5Of(file: ReceivedFile): Promise<string> {
  const known = md5s.get(file);
  if (known) return known;
  const md5 = digestOf(file.path, "md5");
  md5s.set(file, md5);
  md5.catch(() => md5s.delete(file));
  return md5;
}
