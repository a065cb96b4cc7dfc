import {
  BLOCKED_FILE,
  insertUnblocked,
  isOnBlockList,
} from "~/features/processing/comparison/blocked-films.server";
import type { ReceivedFile } from "~/media/intake/received-file.server";
import { UploadError } from "~/media/intake/upload-error.server";
import { recordActivity } from "~/platform/activity/activity.server";
import { transaction } from "~db/client.server";

/** Who sent a file; what it was to be called, or the video that it was to become the file of. */
interface Sender {
  userId: string;
  detail: string;
  subjectId?: string;
}

/**
 * Refuses a file that is on the block list or in an imported digest list, and records the refusal.
 *
 * @throws {UploadError} 422, which makes the caller delete the received file.
 */
export async function refuseBlockedFile(file: ReceivedFile, about: Sender): Promise<void> {
  if (await isOnBlockList(file)) await refuse(about);
}

/**
 * Runs the transaction that writes the rows of a file, unless the file is on the block list by then.
 *
 * @throws {UploadError} 422, as `refuseBlockedFile` does.
 */
export async function insertUnlessBlocked<T>(
  file: ReceivedFile,
  about: Sender,
  insert: () => T,
): Promise<T> {
  const inserted = await insertUnblocked([file], ([unblocked]) =>
    unblocked ? { result: insert() } : undefined,
  );
  return inserted ? inserted.result : refuse(about);
}

async function refuse(about: Sender): Promise<never> {
  await transaction(() => recordActivity({ ...about, action: "block-refused" }));
  throw new UploadError(422, BLOCKED_FILE, "video");
}
