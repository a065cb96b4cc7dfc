import { jobEventsAccess } from "~/features/accounts/job-events-access.server";
import { limitSignInRate } from "~/features/accounts/sign-in-rate-limit.server";
import { isSignedIn } from "~/features/accounts/tokens/tokens.server";
import { ensureFirstAccount } from "~/features/accounts/users.server";
import { obeyCountryRules } from "~/features/age/obey-country-rules.server";
import { applyCategoryNames } from "~/features/catalogue/category-names.server";
import { startConsent } from "~/features/consent/consent-holds.server";
import { applyConsentRequirement } from "~/features/consent/validity.server";
import { startSchedule } from "~/features/library/change-visibility.server";
import { startTakingOver } from "~/features/library/files/take-over.server";
import { resumeTagChanges } from "~/features/library/tags/tag-changes.server";
import { finishDecisions } from "~/features/moderation/reports/decide.server";
import { startReports } from "~/features/moderation/reports/report-mails.server";
import { startAcceptedTerms } from "~/features/moderation/uploaders/terms.server";
import { startAlerts } from "~/features/operations/alerts/deliver.server";
import { secretFile } from "~/features/operations/backups/backup-files.server";
import { requireBackupFolder } from "~/features/operations/backups/backup-folder.server";
import {
  finishInterruptedRestore,
  reportCopies,
} from "~/features/operations/backups/restore-backup.server";
import { startBackups } from "~/features/operations/backups/run-backups.server";
import { startFollowingFiles } from "~/features/operations/library-check/follow-files.server";
import { checkIntegrity } from "~/features/operations/library-check/integrity.server";
import { startLookingForFiles } from "~/features/operations/library-check/missing-files.server";
import { messageFor } from "~/features/operations/library-check/paused-removals.server";
import {
  startDiskRecords,
  startTransferRecords,
} from "~/features/operations/statistics/daily-records.server";
import { routeOf } from "~/features/permissions/route-of";
import { startForgettingEntries } from "~/features/processing/comparison/blocked-films.server";
import { startReleasingCompared } from "~/features/processing/comparison/compared.server";
import { startHashingBlockedFilms } from "~/features/processing/comparison/hash-films.server";
import { onJobsChanged } from "~/features/processing/queue/queue-state.server";
import { startJobs } from "~/features/processing/queue/worker.server";
import { scheduleTrashCleanup } from "~/features/trash/trash.server";
import { resumeDownloads } from "~/features/upload/import/downloads.server";
import { recoverImports } from "~/features/upload/import/journal.server";
import { relatedIsComplete } from "~/features/watch/video.server";
import { createBuckets } from "~/media/bucket.server";
import { isMovingToDisk, startEvicting } from "~/media/files/local-copies.server";
import { startRemovals } from "~/media/files/removals.server";
import { cleanUpTemporaryFiles } from "~/media/intake/cleanup.server";
import { identifySite, startSiteClock } from "~/media/removal-guard.server";
import { setMovingToDisk } from "~/media/storage/move-back.server";
import { StorageError } from "~/media/storage/object-store";
import { startMovingFiles, tryStore } from "~/media/storage/start.server";
import { requireStoreSetting } from "~/media/storage/store-identity.server";
import { answerEvents } from "~/platform/live/event-stream.server";
import { publish } from "~/platform/live/hub.server";
import { writeConsoleAsJson } from "~/platform/node/access-log.server";
import { limitMedia } from "~/platform/node/media-requests.server";
import { limitRendering } from "~/platform/node/rendering-budget.server";
import { changeStockServer } from "~/platform/node/stock-server.server";
import { sessionSecrets } from "~/platform/secret.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { closeDatabase, database, disableBusyTimeout } from "~db/client.server";
import { lockData } from "~db/data-lock.server";
import { explainDatabaseError, requireDatabaseFile } from "~db/database-file.server";
import { startHeartbeat } from "~db/heartbeat.server";
import { processState } from "~db/runtime.server";
import { startCheckpoints } from "~db/threads/checkpoint.server";
import { READER_STEPS } from "./boot-reader.server";
import { type BootStep, runSteps } from "./boot-steps";
import { startDeletingExpiredRows } from "./expired-rows.server";

/** At a restart the process before may still be answering its last requests. */
const HOLDER_LEAVES_WITHIN_MS = 6_000;

/** What must be true before the first request. An error ends the process with one sentence. */
export const PREPARATION: readonly BootStep[] = [
  { name: "require the database file", run: () => requireDatabaseFile(settings().databasePath) },
  { name: "create the buckets", run: createBuckets },
  { name: "require the backup folder", run: requireBackupFolder },
  {
    name: "lock the data",
    after: ["require the database file", "create the buckets"],
    run() {
      if (settings().dataLock) lockData(settings(), "the site", HOLDER_LEAVES_WITHIN_MS);
    },
  },
  {
    name: "finish an interrupted restore",
    after: ["lock the data"],
    run: () => finishInterruptedRestore(foldersOfSite()),
  },
  {
    name: "report copies",
    after: ["finish an interrupted restore"],
    run: () => reportCopies(foldersOfSite()),
  },
  { name: "open the database", after: ["finish an interrupted restore"], run: () => database() },
  {
    name: "require the store setting",
    after: ["open the database"],
    async run() {
      requireStoreSetting();
      // All files are on the disk. A store that is set later is used again.
      if (!settings().storage && isMovingToDisk()) await setMovingToDisk(false);
    },
  },
  { name: "name the categories", after: ["open the database"], run: applyCategoryNames },
  { name: "read the session secrets", after: ["lock the data"], run: sessionSecrets },
  {
    name: "create the first account",
    after: ["open the database", "read the session secrets"],
    run: ensureFirstAccount,
  },
  {
    name: "identify the site",
    after: ["open the database", "create the buckets", "require the store setting"],
    async run() {
      const pausedBy = await identifySite();
      if (pausedBy) console.warn(messageFor(pausedBy));
    },
  },
  // The next two steps remove files, so they run after the check that the database and the files match.
  { name: "clean up temporary files", after: ["identify the site"], run: cleanUpTemporaryFiles },
  // An import may have been killed in the middle of a move.
  { name: "recover imports", after: ["identify the site"], run: recoverImports },
  {
    name: "ask the store",
    after: ["require the store setting", "identify the site"],
    run: tryStore,
  },
];

/** What the site does from now on, beside answering requests. */
export const SERVICES: readonly BootStep[] = [
  {
    name: "change the stock server",
    run: () =>
      changeStockServer(
        routeOf,
        [
          limitSignInRate,
          answerEvents(jobEventsAccess),
          limitMedia(isSignedIn),
          limitRendering(isSignedIn),
        ],
        [obeyCountryRules],
      ),
  },
  { name: "checkpoints", after: ["open the database"], run: () => startCheckpoints() },
  { name: "heartbeat", after: ["open the database"], run: startHeartbeat },
  { name: "site clock", after: ["identify the site"], run: startSiteClock },
  { name: "removal of files", after: ["identify the site"], run: startRemovals },
  { name: "trash", after: ["removal of files"], run: scheduleTrashCleanup },
  { name: "consent requirement", after: ["open the database"], run: applyConsentRequirement },
  // These publish videos, so what decides who sees them comes first.
  {
    name: "schedule",
    after: ["consent requirement", "change the stock server"],
    run: startSchedule,
  },
  { name: "consent", after: ["consent requirement"], run: startConsent },
  { name: "replaced files", after: ["consent requirement"], run: startTakingOver },
  { name: "records of the disk", after: ["open the database"], run: startDiskRecords },
  {
    name: "records of the transfer",
    after: ["open the database"],
    run: startTransferRecords,
  },
  { name: "tag changes", after: ["open the database"], run: () => void resumeTagChanges() },
  { name: "backups", after: ["require the backup folder"], run: startBackups },
  { name: "alerts", after: ["open the database"], run: startAlerts },
  { name: "reports", after: ["open the database"], run: startReports },
  { name: "accepted terms", after: ["open the database"], run: startAcceptedTerms },
  { name: "expired rows", after: ["open the database"], run: startDeletingExpiredRows },
  {
    name: "downloads",
    after: ["consent requirement", "change the stock server"],
    run: () => void resumeDownloads().catch(console.error),
  },
  { name: "integrity", after: ["open the database"], run: checkIntegrity },
  {
    name: "removals",
    after: ["identify the site"],
    run: () => void finishDecisions().catch(console.error),
  },
  { name: "files of other tools", after: ["identify the site"], run: startFollowingFiles },
  { name: "missing files", after: ["open the database"], run: startLookingForFiles },
  {
    name: "changes of jobs in the live hub",
    run: () => void onJobsChanged(() => publish("jobs")),
  },
  { name: "jobs", after: ["recover imports", "changes of jobs in the live hub"], run: startJobs },
  {
    name: "files into the store",
    after: ["ask the store", "recover imports"],
    run: startMovingFiles,
  },
  { name: "eviction of local copies", after: ["ask the store"], run: startEvicting },
  { name: "blocked films", after: ["identify the site"], run: startHashingBlockedFilms },
  { name: "old block list entries", after: ["open the database"], run: startForgettingEntries },
  {
    name: "compared videos",
    after: ["consent requirement", "change the stock server"],
    run: startReleasingCompared,
  },
  {
    name: "related videos",
    after: ["open the database"],
    // Of a million videos that takes seconds: begun now, it is done before most visitors ask.
    run: () => void relatedIsComplete().catch(console.error),
  },
  // Last: until the first request, nobody minds a statement that waits for another process.
  { name: "no busy timeout", after: ["open the database"], run: disableBusyTimeout },
  {
    name: "close the database at the end",
    after: ["open the database"],
    run: () => void process.once("exit", closeDatabase),
  },
];

const booted = processState("boot", () => ({ isBegun: false }));

/** Starts the site, or a reader of its copy. Later calls do nothing, as when a module was edited. */
export async function boot(): Promise<void> {
  if (booted().isBegun) return;
  booted().isBegun = true;
  let isReader = false;
  try {
    if (settings().logFormat === "json") writeConsoleAsJson();
    isReader = settings().readOnlyFrom !== undefined;
    await runSteps(isReader ? READER_STEPS : PREPARATION);
  } catch (error) {
    console.error(sentenceOf(error));
    process.exit(1);
  }
  if (!isReader) await runSteps(SERVICES);
}

const foldersOfSite = () => ({ ...settings(), secretFile: secretFile() });

function sentenceOf(error: unknown): unknown {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof StorageError) {
    return `STORAGE_URL, AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is wrong: ${error.message}`;
  }
  // Of a large file, damage may show only when the first account is looked for.
  const explained = explainDatabaseError(error, settings().databasePath);
  return explained instanceof Error ? explained.message : explained;
}
