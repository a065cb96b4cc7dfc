import { countView, flushViews } from "~/catalogue/views.server";
import { countWatched, flushWatchedParts } from "~/catalogue/watched-parts.server";
import { deleteExpiredRows } from "~/expired-rows.server";
import { subscribe } from "~/live/hub.server";
import { hashBlockedFilms } from "~/media/block-list/hash-films.server";
import { forgetEntries } from "~/media/block-list/removed-entries.server";
import { evictCopies } from "~/media/files/local-copies.server";
import { removeFiles } from "~/media/files/removals.server";
import { claim, heartbeat, returnToQueue } from "~/media/jobs/queue.server";
import { startRunner } from "~/media/jobs/runner.server";
import { acceptUploadsFolder, tick } from "~/media/removal-guard.server";
import { moveOnce } from "~/media/storage/start.server";
import { counts } from "~/server/counts.server";
import { failingChecks } from "~/server/health.server";
import { WATCHED_PARTS } from "~/shared/statistics/watched-parts";
import { checkAlerts } from "~/studio/alerts/check-alerts.server";
import { deliverDue } from "~/studio/alerts/deliver.server";
import { pollBackups } from "~/studio/backups/run-backups.server";
import { takeOverReady } from "~/studio/files/ready-files.server";
import { followFiles, nothingSeen } from "~/studio/library/follow-files.server";
import { filesLookedAt, missingFiles } from "~/studio/library/missing-files.server";
import { performDue } from "~/studio/schedule/schedule.server";
import { recordDisk } from "~/studio/statistics/disk-days.server";
import { recordTransfer } from "~/studio/statistics/transfer-days.server";
import { emptyTrash } from "~/studio/trash/trash.server";
import { releaseCompared } from "~/trust/compared.server";
import { hideEnded } from "~/trust/consent/ending.server";
import { eraseDue, sendReportMails } from "~/trust/reports/report-mails.server";
import { forgetDecisions } from "~/trust/reports/uploader-decisions.server";
import { forgetAccepted } from "~/trust/uploaders/accepted-terms.server";
import { projected } from "~db/changes.server";
import { sqliteHandle } from "~db/client.server";
import { startHeartbeat } from "~db/heartbeat.server";

/** One round of the work, or the reason why it runs no statement. */
type Round = (() => unknown) | string;

/** What the site does periodically (`every` in db/runtime.server.ts), by file. */
export const PERIODIC_WORK: Readonly<Record<string, Round>> = {
  "app/live/event-stream.server.ts": "Sends a heartbeat to open event streams.",
  "app/live/hub.server.ts": () => subscribe(() => {})(),
  "app/media/block-list/hash-films.server.ts": hashBlockedFilms,
  "app/media/block-list/removed-entries.server.ts": () => forgetEntries(),
  "app/media/encode/task.server.ts": "Watches the progress of ffmpeg.",
  "app/media/files/local-copies.server.ts": () => evictCopies(),
  "app/media/intake/cleanup.server.ts": "Reads folders.",
  "app/media/jobs/runner.server.ts": async () => {
    const runner = startRunner(0);
    await runner.idle();
    await runner.stop();
    const job = await claim();
    if (job) await returnToQueue(job);
  },
  "app/media/jobs/worker.server.ts": beat,
  "app/media/remote/accept-stream.server.ts": beat,
  "app/media/removal-guard.server.ts": async () => {
    await acceptUploadsFolder();
    await tick();
  },
  "app/media/storage/start.server.ts": () => moveOnce(),
  "app/server/attempt-limit.server.ts": "Forgets addresses that are in memory only.",
  "app/server/node/rendering-budget.server.ts": "Forgets networks that are in memory only.",
  "app/server/node/connection-limits.server.ts": "Logs how many connections were refused.",
  "app/studio/alerts/deliver.server.ts": async () => {
    await checkAlerts();
    await deliverDue();
  },
  "app/studio/backups/run-backups.server.ts": () => pollBackups(),
  "app/studio/files/ready-files.server.ts": takeOverReady,
  "app/studio/library/follow-files.server.ts": () => followFiles(nothingSeen()),
  "app/studio/library/missing-files.server.ts": async () => {
    filesLookedAt();
    for await (const _ of missingFiles());
  },
  "app/studio/schedule/schedule.server.ts": () => performDue(),
  "app/studio/statistics/disk-days.server.ts": () => recordDisk(),
  "app/studio/statistics/transfer-days.server.ts": () => {
    counts().mediaBytes += 1;
    recordTransfer();
  },
  "app/media/files/removals.server.ts": () => removeFiles(),
  "app/studio/trash/trash.server.ts": () => emptyTrash(),
  "app/trust/compared.server.ts": releaseCompared,
  "app/trust/consent/ending.server.ts": () => hideEnded(),
  "app/trust/reports/report-mails.server.ts": async () => {
    await eraseDue();
    await forgetDecisions();
    await sendReportMails();
  },
  "app/trust/uploaders/accepted-terms.server.ts": async () => {
    for (let last = await forgetAccepted(); last > 0; ) last = await forgetAccepted(last);
  },
  "app/expired-rows.server.ts": () => deleteExpiredRows(),
  "db/follow-copy.server.ts": "Looks at the file of the database.",
  "db/heartbeat.server.ts": startHeartbeat,
  "db/threads/checkpoint.server.ts": "Has a thread bring the log into the database file.",
};

/** What visitors and orchestrators cause all the time, without a timer. */
export const CONSTANT_WORK: Readonly<Record<string, () => unknown>> = {
  "views and watched parts": () => {
    countView("v1000");
    countWatched("v1000", "1".repeat(WATCHED_PARTS));
    flushViews();
    flushWatchedParts();
  },
  "a change of the catalogue": async () => {
    sqliteHandle().prepare("UPDATE videos SET title = title || '.' WHERE id = 'v1000'").run();
    await projected();
  },
  "the health check": failingChecks,
};

async function beat(): Promise<void> {
  const job = await claim();
  if (!job) throw new Error("No job is waiting.");
  heartbeat(job, { progress: 0.5 });
  await returnToQueue(job);
}
