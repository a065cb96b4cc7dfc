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

/** Each upload is checked twice: before its questions are shown, and before it is published. */
const md5s = new WeakMap<ReceivedFile, Promise<string>>();

/**
 * Refuses a file that is on the block list or in an imported digest list, and records the refusal. Reads the file for
 * its MD5 only while the list has MD5 digests.
 *
 * @param about who uploaded it, and its title or the video whose file it would replace.
 * @throws {UploadError} 422, which makes the caller delete the received file.
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
