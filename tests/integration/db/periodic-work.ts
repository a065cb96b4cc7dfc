import { deleteExpiredRows } from "~/expired-rows.server";
import { countView, flushViews } from "~/features/catalogue/views.server";
import { holdExpired } from "~/features/consent/consent-holds.server";
import { performDue } from "~/features/library/change-visibility.server";
import { activateReady } from "~/features/library/files/activate-replacement.server";
import {
  eraseDueReports,
  sendReportEmails,
} from "~/features/moderation/reports/report-mails.server";
import { deleteOldDecisions } from "~/features/moderation/reports/uploader-decisions.server";
import { deleteOldAcceptances } from "~/features/moderation/uploaders/terms.server";
import { checkAlerts } from "~/features/operations/alerts/check-alerts.server";
import { deliverDue } from "~/features/operations/alerts/deliver.server";
import { pollBackups } from "~/features/operations/backups/run-backups.server";
import {
  filesCheckedAt,
  missingFiles,
} from "~/features/operations/library-check/missing-files.server";
import {
  createSeenFiles,
  trackFiles,
} from "~/features/operations/library-check/track-files.server";
import { recordDisk, recordTransfer } from "~/features/operations/statistics/daily-records.server";
import { deleteExpiredEntries } from "~/features/processing/comparison/blocked-videos.server";
import { releaseCompared } from "~/features/processing/comparison/compared.server";
import { hashBlockedVideos } from "~/features/processing/comparison/hash-videos.server";
import { claim, heartbeat, returnToQueue } from "~/features/processing/queue/queue.server";
import { startRunner } from "~/features/processing/queue/worker.server";
import { emptyTrash } from "~/features/trash/trash.server";
import { countWatched, flushWatchedParts } from "~/features/watch/watched-parts.server";
import { evictCopies } from "~/media/files/local-copies.server";
import { removeFiles } from "~/media/files/removals.server";
import { acceptUploadsFolder, tick } from "~/media/removal-guard.server";
import { moveOnce } from "~/media/storage/start.server";
import { counts } from "~/platform/counts.server";
import { failingChecks } from "~/platform/health.server";
import { subscribe } from "~/platform/live/hub.server";
import { WATCHED_PARTS } from "~/shared/statistics/watched-parts";
import { ensureProjected } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import { startHeartbeat } from "~db/heartbeat.server";

/** A function that runs one round of the work, or the reason why the work doesn't run any statements. */
type Round = (() => unknown) | string;

/** The periodic work of the site (`every` in db/runtime.server.ts), by file. */
export const PERIODIC_WORK: Readonly<Record<string, Round>> = {
  "app/platform/live/event-stream.server.ts": "Sends a heartbeat to open event streams.",
  "app/platform/live/hub.server.ts": () => subscribe(() => {})(),
  "app/features/processing/comparison/hash-videos.server.ts": hashBlockedVideos,
  "app/features/processing/comparison/blocked-videos.server.ts": () => deleteExpiredEntries(),
  "app/media/encode/task.server.ts": "Watches the progress of ffmpeg.",
  "app/media/files/local-copies.server.ts": () => evictCopies(),
  "app/media/intake/cleanup.server.ts": "Reads folders.",
  "app/features/processing/queue/worker.server.ts": async () => {
    const runner = startRunner(0);
    await runner.idle();
    await runner.stop();
    const job = await claim();
    if (job) await returnToQueue(job);
    beat();
  },
  "app/features/processing/workers/accept-stream.server.ts": beat,
  "app/media/removal-guard.server.ts": async () => {
    await acceptUploadsFolder();
    await tick();
  },
  "app/media/storage/start.server.ts": () => moveOnce(),
  "app/platform/attempt-limit.server.ts": "Forgets addresses that are in memory only.",
  "app/platform/node/rendering-budget.server.ts": "Forgets networks that are in memory only.",
  "app/features/operations/alerts/deliver.server.ts": async () => {
    await checkAlerts();
    await deliverDue();
  },
  "app/features/operations/backups/run-backups.server.ts": () => pollBackups(),
  "app/features/library/files/activate-replacement.server.ts": activateReady,
  "app/features/operations/library-check/track-files.server.ts": () =>
    trackFiles(createSeenFiles()),
  "app/features/operations/library-check/missing-files.server.ts": async () => {
    filesCheckedAt();
    for await (const _ of missingFiles());
  },
  "app/features/library/change-visibility.server.ts": () => performDue(),
  "app/features/operations/statistics/daily-records.server.ts": async () => {
    await recordDisk();
    counts().mediaBytes += 1;
    recordTransfer();
  },
  "app/media/files/removals.server.ts": () => removeFiles(),
  "app/features/trash/trash.server.ts": () => emptyTrash(),
  "app/features/processing/comparison/compared.server.ts": releaseCompared,
  "app/features/consent/consent-holds.server.ts": () => holdExpired(),
  "app/features/moderation/reports/report-mails.server.ts": async () => {
    await eraseDueReports();
    await deleteOldDecisions();
    await sendReportEmails();
  },
  "app/features/moderation/uploaders/terms.server.ts": async () => {
    for (let last = await deleteOldAcceptances(); last > 0; )
      last = await deleteOldAcceptances(last);
  },
  "app/expired-rows.server.ts": () => deleteExpiredRows(),
  "db/follow-replica.server.ts": "Checks the database file.",
  "db/heartbeat.server.ts": startHeartbeat,
  "db/threads/checkpoint.server.ts": "Runs a checkpoint on a thread.",
};

/** Work that visitors and orchestrators trigger all the time, without a timer. */
export const CONSTANT_WORK: Readonly<Record<string, () => unknown>> = {
  "views and watched parts": () => {
    countView("v1000");
    countWatched("v1000", "1".repeat(WATCHED_PARTS));
    flushViews();
    flushWatchedParts();
  },
  "a change of the catalogue": async () => {
    sqliteHandle().prepare("UPDATE videos SET title = title || '.' WHERE id = 'v1000'").run();
    await ensureProjected();
  },
  "the health check": failingChecks,
};

async function beat(): Promise<void> {
  const job = await claim();
  if (!job) throw new Error("No job is waiting.");
  heartbeat(job, { progress: 0.5 });
  await returnToQueue(job);
}
