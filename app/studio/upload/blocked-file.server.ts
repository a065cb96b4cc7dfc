import { recordActivity } from "~/account/activity.server";
import { BLOCKED_FILE, isBlockedFile } from "~/media/block-list/blocked-films.server";
import { UploadError } from "~/media/intake/upload-error.server";

/**
 * Refuses a file with the bytes of one that was removed, and records that.
 *
 * @param about who sent it; what it was to be called, or the video that it was to become the file of.
 * @throws {UploadError} 422, with which what has arrived is removed.
 */
export async function refuseBlockedFile(
  sha256: string,
  about: { userId: string; detail: string; subjectId?: string },
): Promise<void> {
  if (!isBlockedFile(sha256)) return;
  await recordActivity({ ...about, action: "block-refused" });
  throw new UploadError(422, BLOCKED_FILE, "video");
}
