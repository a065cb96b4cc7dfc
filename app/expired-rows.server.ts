import { deleteOldDevices } from "~/account/device.server";
import { deleteOldInvitations } from "~/account/invitations.server";
import { deleteExpiredChallenges } from "~/account/passkeys/challenge.server";
import { deleteExpiredSessions } from "~/account/session.server";
import { deleteOldAnswers } from "~/api/repeated-answers.server";
import { deleteOldDownloads } from "~/studio/bring-in/downloads.server";
import { deleteOldTemplates } from "~/studio/templates/templates.server";
import { deleteOldPublishedUploads } from "~/studio/upload/published-uploads.server";
import { every } from "~db/runtime.server";

const EVERY_MS = 3_600_000;

/** Deletes rows whose time is over, now and every hour, also when nobody uses the site. */
export function startDeletingExpiredRows(): void {
  every(EVERY_MS, "delete expired rows", () => deleteExpiredRows(), { firstMs: 0 });
}

/** Deletes what /privacy says is kept for a time only, and what has no job of its own for that. */
export async function deleteExpiredRows(now = Date.now()): Promise<void> {
  await deleteExpiredSessions(now);
  await deleteOldDevices(now);
  await deleteExpiredChallenges(now);
  await deleteOldInvitations(now);
  await deleteOldAnswers(now);
  await deleteOldPublishedUploads(now);
  await deleteOldTemplates(now);
  await deleteOldDownloads(now);
}
