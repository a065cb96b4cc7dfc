import { limitSignInRate } from "~/features/accounts/sign-in-rate-limit.server";
import { isSignedIn } from "~/features/accounts/tokens/tokens.server";
import { ensureFirstAccount } from "~/features/accounts/users.server";
import { obeyCountryRules } from "~/features/age/obey-country-rules.server";
import { applyCategoryNames } from "~/features/catalogue/category-names.server";
import { startConsent } from "~/features/consent/consent-holds.server";
import { applyConsentRequirement } from "~/features/consent/validity.server";
import { startSchedule } from "~/features/library/change-visibility.server";
import { startActivatingReplacements } from "~/features/library/files/activate-replacement.server";
import { resumeTagChanges } from "~/features/library/tags/tag-changes.server";
import { finishDecisions } from "~/features/moderation/reports/decide.server";
import { startReports } from "~/features/moderation/reports/report-mails.server";
import { startAcceptanceCleanup } from "~/features/moderation/uploaders/terms.server";
import { startAlerts } from "~/features/operations/alerts/deliver.server";
import { secretFile } from "~/features/operations/backups/backup-files.server";
import { requireBackupFolder } from "~/features/operations/backups/backup-folder.server";
import {
  finishInterruptedRestore,
  reportCopies,
} from "~/features/operations/backups/restore-backup.server";
import { startBackups } from "~/features/operations/backups/run-backups.server";
import { checkIntegrity } from "~/features/operations/library-check/integrity.server";
import { startCheckingFiles } from "~/features/operations/library-check/missing-files.server";
import { messageFor } from "~/features/operations/library-check/paused-removals.server";
import { startTrackingFiles } from "~/features/operations/library-check/track-files.server";
import {
  startDiskRecords,
  startTransferRecords,
} from "~/features/operations/statistics/daily-records.server";
import { routeOf } from "~/features/permissions/route-of";
import { jobEventsAccess } from "~/features/permissions/session.server";
import { startDeletingExpiredEntries } from "~/features/processing/comparison/blocked-videos.server";
import { startReleasingCompared } from "~/features/processing/comparison/compared.server";
import { startHashingBlockedVideos } from "~/features/processing/comparison/hash-videos.server";
import { onJobsChanged } from "~/features/processing/queue/queue-state.server";
import { startJobs } from "~/features/processing/queue/worker.server";
import { scheduleTrashCleanup } from "~/features/trash/trash.server";
import { resumeDownloads } from "~/features/upload/import/downloads.server";
import { recoverImports } from "~/features/upload/import/journal.server";
import { isRelatedIndexComplete } from "~/features/watch/video.server";
import { createBuckets } from "~/media/bucket.server";
import { isMovingToDisk, startEvicting } from "~/media/files/local-copies.server";
import { startRemovals } from "~/media/files/removals.server";
import { cleanUpTemporaryFiles } from "~/media/intake/cleanup.server";
import { identifySite, startSiteClock } from "~/media/removal-guard.server";
import { setMovingToDisk } from "~/media/storage/move-back.server";
import { StorageError } from "~/media/storage/object-store";
import { startMovingFiles, tryStore } from "~/media/storage/start.server";
import { requireStoreSetting } from "~/media/storage/store-identity.server";
import { serveEvents } from "~/platform/live/event-stream.server";
import { announceStudioChange } from "~/platform/live/hub.server";
import { writeConsoleAsJson } from "~/platform/node/access-log.server";
import { limitMedia } from "~/platform/node/media-requests.server";
import { limitRendering } from "~/platform/node/rendering-budget.server";
import { configureStockServer } from "~/platform/node/stock-server.server";
import { sessionSecrets } from "~/platform/secret.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { closeDatabase, database, disableBusyTimeout } from "~db/client.server";
import { lockData } from "~db/data-lock.server";
import { explainDatabaseError, requireDatabaseFile } from "~db/database-file.server";
import { startHeartbeat } from "~db/heartbeat.server";
import { processState } from "~db/runtime.server";
import { startCheckpoints } from "~db/threads/checkpoint.server";
import { startReader } from "./boot-reader.server";
import { startDeletingExpiredRows } from "./expired-rows.server";

/** After a restart, the previous process may still be finishing its last requests. */
const LOCK_WAIT_MS = 6_000;

/** Prepares everything that the first request needs. If an error occurs, the process exits with a message. */
async function prepare(): Promise<void> {
  const site = { ...settings(), secretFile: secretFile() };
  requireDatabaseFile(site.databasePath);
  createBuckets();
  requireBackupFolder();
  if (site.dataLock) lockData(site, "the site", LOCK_WAIT_MS);
  // Run this while holding the lock, and before anything opens the database or creates a secret.
  finishInterruptedRestore(site);
  reportCopies(site);
  database();
  requireStoreSetting();
  // Without an object store, all files are on disk. If one is configured later, files are moved into it again.
  if (!site.storage && isMovingToDisk()) await setMovingToDisk(false);
  applyCategoryNames();
  sessionSecrets();
  await ensureFirstAccount();
  const pausedBy = await identifySite();
  if (pausedBy) console.warn(messageFor(pausedBy));
  // These steps remove files, so they run after the check that the database and the files match.
  await cleanUpTemporaryFiles();
  // An import may have been killed while it was moving a file.
  await recoverImports();
  await tryStore();
}

/** Starts the middleware and all periodic and background work. */
function startServices(): void {
  configureStockServer(
    routeOf,
    [
      limitSignInRate,
      serveEvents(jobEventsAccess),
      limitMedia(isSignedIn),
      limitRendering(isSignedIn),
    ],
    [obeyCountryRules],
  );
  startCheckpoints();
  startHeartbeat();
  startSiteClock();
  startRemovals();
  scheduleTrashCleanup();
  // The visibility rules for videos have to be set before the schedule starts, because it publishes videos.
  applyConsentRequirement();
  startSchedule();
  startConsent();
  startActivatingReplacements();
  startDiskRecords();
  startTransferRecords();
  void resumeTagChanges();
  startBackups();
  startAlerts();
  startReports();
  startAcceptanceCleanup();
  startDeletingExpiredRows();
  void resumeDownloads().catch(console.error);
  checkIntegrity();
  void finishDecisions().catch(console.error);
  startTrackingFiles();
  startCheckingFiles();
  // Start this before the first job, so that the job's changes are announced.
  onJobsChanged(() => announceStudioChange());
  startJobs();
  startMovingFiles();
  startEvicting();
  startHashingBlockedVideos();
  startDeletingExpiredEntries();
  startReleasingCompared();
  // With a million videos, this takes several seconds, so start it before the first visitor needs the result.
  void isRelatedIndexComplete().catch(console.error);
  // Do this last. Until the first request, statements may block while another process is writing.
  disableBusyTimeout();
  process.once("exit", closeDatabase);
}

const booted = processState("boot", () => ({ isBegun: false }));

/**
 * Starts the site, or a reader. Later calls, which happen in development after a module has been edited, do nothing.
 */
export async function boot(): Promise<void> {
  if (booted().isBegun) return;
  booted().isBegun = true;
  let isReader = false;
  try {
    if (settings().logFormat === "json") writeConsoleAsJson();
    isReader = settings().readOnlyFrom !== undefined;
    if (isReader) startReader();
    else await prepare();
  } catch (error) {
    console.error(messageOf(error));
    process.exit(1);
  }
  if (!isReader) startServices();
}

function messageOf(error: unknown): unknown {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof StorageError) {
    return `Check STORAGE_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: ${error.message}`;
  }
  // If the database is large, damage may not be detected until the first account is read.
  const explained = explainDatabaseError(error, settings().databasePath);
  return explained instanceof Error ? explained.message : explained;
}
