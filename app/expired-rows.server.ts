import { deleteOldDevices } from "~/features/accounts/device.server";
import { deleteOldInvitations } from "~/features/accounts/invitations.server";
import { deleteExpiredChallenges } from "~/features/accounts/passkeys/passkey-challenge.server";
import { deleteOldResponses } from "~/features/api/answer.server";
import { deleteExpiredSessions } from "~/features/permissions/session.server";
import { deleteOldDownloads } from "~/features/upload/import/downloads.server";
import { deleteOldTemplates } from "~/features/upload/templates.server";
import { deleteOldPublishedUploads } from "~/features/upload/upload-outcomes.server";
import { every } from "~db/runtime.server";

const EVERY_MS = 3_600_000;

/** Deletes expired rows immediately and then once an hour, even if nobody is using the site. */
export function startDeletingExpiredRows(): void {
  every(EVERY_MS, "delete expired rows", () => deleteExpiredRows(), { firstMs: 0 });
}

/** Deletes rows whose retention period, as stated on /privacy, has passed. Other periodic tasks delete the rest. */
export async function deleteExpiredRows(now = Date.now()): Promise<void> {
  await deleteExpiredSessions(now);
  await deleteOldDevices(now);
  await deleteExpiredChallenges(now);
  await deleteOldInvitations(now);
  await deleteOldResponses(now);
  await deleteOldPublishedUploads(now);
  await deleteOldTemplates(now);
  await deleteOldDownloads(now);
}
