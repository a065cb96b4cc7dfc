import {
  acceptSystemClock,
  acceptUploadsFolder,
  type PauseReason,
  removalsPausedBy,
} from "~/media/removal-guard.server";
import { settings } from "~/platform/settings.server";
import { checkLibrary } from "./check-library.server";

/** Returns the message that tells the operator that removals are paused, or undefined if they aren't paused. */
export async function removalsPausedMessage(): Promise<string | undefined> {
  const reason = await removalsPausedBy();
  return reason && messageFor(reason);
}

/** Returns a message that says what is wrong, what to do about it, and how to resume removals if nothing is wrong. */
export function messageFor(reason: PauseReason): string {
  const { databasePath, uploadsDir } = settings();
  const causes: Record<PauseReason, string> = {
    "other-database": `the database ${databasePath} has never been used with the files in ${uploadsDir}. If DATABASE_PATH or UPLOADS_DIR is wrong or a volume isn't mounted, stop the site, fix the problem and start it again.`,
    "older-database": `the database ${databasePath} is older than the files in ${uploadsDir}, for example because a backup was restored. Check that the videos and the trash are complete.`,
    "clock-jumped":
      "the system clock changed by more than a day while the site was running, or it shows that the site hasn't run for more than a week. Check that the clock is correct.",
    "missing-files": `many of the library's files are missing from ${uploadsDir}. If a volume isn't mounted, stop the site, mount the volume and start the site again. If the files are lost, restore them from a backup.`,
  };
  return `Nothing is removed automatically for now: ${causes[reason]} If everything is in order, select Resume removals on the Alerts page or run npm run check-library -- --resume-removals.`;
}

/**
 * Accepts the reason why removals are paused. If there is another reason, removals stay paused, and a new alert is
 * raised.
 */
export async function resumeRemovals(): Promise<void> {
  const reason = await removalsPausedBy();
  if (reason === "missing-files") await checkLibrary({ wantsMissing: false, forgetsMissing: true });
  else if (reason === "clock-jumped") await acceptSystemClock();
  else await acceptUploadsFolder();
}
