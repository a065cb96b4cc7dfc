import { ensureFirstAccount } from "~/account/first-account.server";
import { limitSignInRate } from "~/account/sign-in-rate-limit.server";
import { applyCategoryNames } from "~/catalogue/lists/category-names.server";
import { relatedIsComplete } from "~/catalogue/video.server";
import { recoverImports } from "~/import/journal.server";
import { answerEvents } from "~/live/event-stream.server";
import { publish } from "~/live/hub.server";
import { startHashingBlockedFilms } from "~/media/block-list/hash-films.server";
import { createBuckets } from "~/media/bucket.server";
import { cleanUpTemporaryFiles } from "~/media/intake/cleanup.server";
import { undoInterruptedMoves } from "~/media/intake/interrupted-moves.server";
import { onJobsChanged } from "~/media/jobs/job-events.server";
import { startJobs } from "~/media/jobs/start.server";
import { identifySite, startSiteClock } from "~/media/removal-guard.server";
import { requireKnownStore } from "~/media/storage/marker.server";
import { StorageError } from "~/media/storage/object-store";
import { startMovingFiles, tryStore } from "~/media/storage/start.server";
import { writeConsoleAsJson } from "~/server/node/json-log.server";
import { changeStockServer } from "~/server/node/stock-server.server";
import { sessionSecrets } from "~/server/secret.server";
import { SettingsError, settings } from "~/server/settings.server";
import { startAlerts } from "~/studio/alerts/deliver.server";
import { secretFile } from "~/studio/backups/backup-files.server";
import { requireBackupFolder } from "~/studio/backups/backup-folder.server";
import { finishInterruptedRestore, reportCopies } from "~/studio/backups/restore-backup.server";
import { startBackups } from "~/studio/backups/run-backups.server";
import { resumeDownloads } from "~/studio/bring-in/downloads.server";
import { startTakingOver } from "~/studio/files/ready-files.server";
import { startFollowingFiles } from "~/studio/library/follow-files.server";
import { checkIntegrity } from "~/studio/library/integrity.server";
import { startLookingForFiles } from "~/studio/library/missing-files.server";
import { messageFor } from "~/studio/library/paused-removals.server";
import { routeLabel } from "~/studio/monitoring/route-labels";
import { finishRemovals } from "~/studio/reports/decide.server";
import { startSchedule } from "~/studio/schedule/schedule.server";
import { startDiskRecords } from "~/studio/statistics/disk-days.server";
import { resumeTagChanges } from "~/studio/tags/tag-changes.server";
import { scheduleTrashCleanup } from "~/studio/trash/trash.server";
import { startReleasingCompared } from "~/trust/compared.server";
import { startConsent } from "~/trust/consent/ending.server";
import { applyConsentRequirement } from "~/trust/consent/requirement.server";
import { obeyCountryRules } from "~/trust/place/obey-country-rules.server";
import { startReports } from "~/trust/reports/report-mails.server";
import { startAcceptedTerms } from "~/trust/uploaders/accepted-terms.server";
import { closeDatabase, database, disableBusyTimeout } from "~db/client.server";
import { lockData } from "~db/data-lock.server";
import { explainDatabaseError, requireDatabaseFile } from "~db/database-file.server";
import { startHeartbeat } from "~db/heartbeat.server";
import { startCheckpoints } from "~db/threads/checkpoint.server";
import { bootReader } from "./boot-reader.server";

/** At a restart the process before may still be answering its last requests. */
const HOLDER_LEAVES_WITHIN_MS = 6_000;

const holder = globalThis as { afterdarkBooted?: boolean };

/**
 * Everything that must be true before the first request: settings valid, database migrated.
 * What cannot be mended ends the process with one sentence.
 */
export async function boot(): Promise<void> {
  if (holder.afterdarkBooted) return;
  holder.afterdarkBooted = true;
  try {
    if (settings().logFormat === "json") writeConsoleAsJson();
    if (settings().readOnlyFrom) {
      requireKnownStore();
      bootReader();
      return;
    }
    requireDatabaseFile(settings().databasePath);
    createBuckets();
    requireKnownStore();
    requireBackupFolder();
    if (settings().dataLock) lockData(settings(), "the site", HOLDER_LEAVES_WITHIN_MS);
    const site = { ...settings(), secretFile: secretFile() };
    finishInterruptedRestore(site);
    reportCopies(site);
    database();
    applyCategoryNames();
    sessionSecrets();
    await ensureFirstAccount();
    const pausedBy = await identifySite();
    if (pausedBy) console.warn(messageFor(pausedBy));
    await cleanUpTemporaryFiles();
    await undoInterruptedMoves();
    await recoverImports();
    await tryStore();
  } catch (error) {
    console.error(sentenceOf(error));
    process.exit(1);
  }
  changeStockServer(routeLabel, [limitSignInRate, answerEvents], [obeyCountryRules]);
  startCheckpoints();
  startHeartbeat();
  startSiteClock();
  scheduleTrashCleanup();
  applyConsentRequirement();
  startSchedule();
  startConsent();
  startTakingOver();
  startDiskRecords();
  resumeTagChanges();
  startBackups();
  startAlerts();
  startReports();
  startAcceptedTerms();
  resumeDownloads().catch(console.error);
  checkIntegrity();
  finishRemovals().catch(console.error);
  startFollowingFiles();
  startLookingForFiles();
  onJobsChanged(() => publish("jobs"));
  startJobs();
  startMovingFiles();
  startHashingBlockedFilms();
  startReleasingCompared();
  // Of a million videos that takes seconds: begun now, it is done before most visitors ask.
  relatedIsComplete().catch(console.error);
  disableBusyTimeout();
  process.once("exit", closeDatabase);
}

function sentenceOf(error: unknown): unknown {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof StorageError) {
    return `STORAGE_URL, AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is wrong: ${error.message}`;
  }
  // Of a large file, damage may show only when the first account is looked for.
  const explained = explainDatabaseError(error, settings().databasePath);
  return explained instanceof Error ? explained.message : explained;
}
