import { diskFigures } from "~/media/files/disk.server";
import { storeFailure } from "~/media/storage/start.server";
import { settings } from "~/platform/settings.server";
import { formatQuantity } from "~/shared/format";
import { formatBytes } from "~/shared/format-bytes";
import { database, prepared } from "~db/client.server";
import { lastVerified, runningSince } from "../backups/backup-records.server";
import { removalsPausedMessage } from "../library-check/paused-removals.server";
import { readTransferMonth } from "../statistics/daily-records.server";
import { openAlerts, raiseAlert, resolveAlert, updateAlert } from "./alert-records.server";
import { checkConsent, checkReports } from "./check-moderation.server";

/**
 * The alert is raised below twice the queue's reserve of disk space and resolved above 2.5 times the reserve, so that
 * it doesn't flap.
 */
const DISK_FACTOR = 2;
const DISK_FACTOR_RESOLVED = 2.5;
/** A backup is overdue after this many intervals. */
const OVERDUE_INTERVALS = 2;
/** The grace period after startup, during which the site can create a backup that it missed while it was down. */
const STARTUP_GRACE_MS = 10 * 60_000;
/** An outage of the store raises an alert only if it lasts longer than this. */
const STORE_OUTAGE_MS = 5 * 60_000;
/** The minimum interval between alerts about failed jobs; jobs that fail within this interval share an alert. */
const JOBS_EVERY_MS = 15 * 60_000;
const MAX_TITLES = 3;

/**
 * Raises and resolves alerts. Each cause raises only one alert, no matter how often this function runs.
 *
 * @param upMs how long the site has been running, in milliseconds.
 */
export async function checkAlerts(now = Date.now(), upMs = process.uptime() * 1000): Promise<void> {
  await checkDisk(now);
  await checkJobs(now);
  await checkBackups(now, upMs);
  await checkStore(now);
  await checkRemovals(now);
  await checkConsent(now);
  await checkReports(now);
  await checkScans(now);
  await checkTransfer(now);
}

async function checkDisk(now: number): Promise<void> {
  const { freeBytes, reserveBytes } = await diskFigures();
  const message = `The uploads disk is almost full: ${formatBytes(freeBytes)} free.`;
  const isLow = freeBytes < DISK_FACTOR * reserveBytes;
  const isOver = freeBytes >= DISK_FACTOR_RESOLVED * reserveBytes;
  await updateAlert("disk", isLow ? message : undefined, isOver, now);
}

async function checkStore(now: number): Promise<void> {
  const failure = storeFailure();
  const isLasting = failure && now - failure.since >= STORE_OUTAGE_MS;
  const message =
    failure && `${failure.message} Videos in the store can't be watched until this is resolved.`;
  await updateAlert("store", isLasting ? message : undefined, failure === undefined, now);
}

async function checkRemovals(now: number): Promise<void> {
  const message = await removalsPausedMessage();
  await updateAlert("removals", message, message === undefined, now);
}

async function checkBackups(now: number, upMs: number): Promise<void> {
  const { backupDir, backupEveryMs } = settings();
  const last = await database()
    .selectFrom("backups")
    .select(["state", "reason"])
    .where("state", "in", ["done", "failed"])
    .orderBy("id", "desc")
    .executeTakeFirst();
  const failed =
    backupDir && last?.state === "failed" ? `A backup failed: ${last.reason}` : undefined;
  await updateAlert("backup-failed", failed, failed === undefined, now);

  const since = (await lastVerified())?.started_at ?? firstBackupAt();
  const ageMs = since === undefined ? 0 : now - Date.parse(since);
  const isOld = Boolean(backupDir) && ageMs > OVERDUE_INTERVALS * backupEveryMs;
  const isSoon = upMs < STARTUP_GRACE_MS || (await runningSince()) !== undefined;
  const old = `There has been no verified backup since ${since?.slice(0, 16).replace("T", " ")} UTC.`;
  await updateAlert("backup-old", isOld && !isSoon ? old : undefined, !isOld, now);
}

function firstBackupAt(): string | undefined {
  const first = prepared<string>("SELECT started_at FROM backups ORDER BY id LIMIT 1").pluck();
  return first.get();
}

/** Raises an alert about the jobs that have failed since the previous alert. */
async function checkJobs(now: number): Promise<void> {
  const oldest = prepared(
    "SELECT min(finished_at) FROM jobs WHERE state = 'failed' AND finished_at > ? AND finished_at <= ?",
  ).pluck();
  let from = "";
  let last: string | null = null;
  const all = await database()
    .selectFrom("alerts")
    .select(["id", "until", "raised_at", "resolved_at"])
    .where("kind", "=", "jobs")
    .orderBy("until")
    .execute();
  for (const alert of all) {
    const until = alert.until ?? "";
    const isLasting = alert.resolved_at === null && oldest.get(from, until) !== null;
    if (alert.resolved_at === null && !isLasting) await resolveAlert(alert, now);
    from = until;
    last = alert.raised_at;
  }
  if (last !== null && now - Date.parse(last) < JOBS_EVERY_MS) return;
  const { jobs, until } = prepared<{ jobs: number; until: string | null }>(
    `SELECT count(*) AS jobs, max(finished_at) AS until FROM jobs
     WHERE state = 'failed' AND finished_at > ?`,
  ).get(from)!;
  if (until === null) return;
  const message = `${formatQuantity(jobs, "job")} failed, most recently for ${titlesAt(until)}. See the Processing page.`;
  await raiseAlert({ kind: "jobs", message, until }, now);
}

function titlesAt(until: string): string {
  const titles = prepared<string>(
    `SELECT DISTINCT coalesce(videos.title, 'a video') FROM jobs
     LEFT JOIN videos ON videos.id = jobs.video_id
     WHERE jobs.state = 'failed' AND finished_at <= ? ORDER BY finished_at DESC LIMIT ${MAX_TITLES}`,
  )
    .pluck()
    .all(until);
  return titles.map((title) => `“${title.slice(0, 100)}”`).join(", ");
}

/**
 * Raises an alert when the scan refuses files, another one whenever it refuses more, and one if files can't be scanned.
 * Resolves these alerts once someone has made a decision about the files or the files have been scanned.
 */
export async function checkScans(now: number): Promise<void> {
  const { refused, until, unchecked } = prepared<{
    refused: number;
    until: string | null;
    unchecked: number;
  }>(
    `SELECT count(*) FILTER (WHERE verdict = 'refuse') AS refused,
       max(found_at) FILTER (WHERE verdict = 'refuse') AS until,
       count(*) FILTER (WHERE verdict = 'unchecked') AS unchecked FROM scan_findings`,
  ).get()!;
  const open = await openAlerts("scan-refused");
  if (until === null) for (const alert of open) await resolveAlert(alert, now);
  else if (!open.some((alert) => (alert.until ?? "") >= until)) {
    const message = `The scan refused ${formatQuantity(refused, "file")}, most recently at ${until.slice(0, 16).replace("T", " ")} UTC. Review each one on the Block list page.`;
    await raiseAlert({ kind: "scan-refused", message, until }, now);
  }
  const message = `${formatQuantity(unchecked, "file")} couldn’t be scanned. New videos stay on hold. The Block list page shows the reasons.`;
  await updateAlert("scan-unchecked", unchecked > 0 ? message : undefined, unchecked === 0, now);
}

/** The share of the budget at which a warning is raised. */
const WARNING_SHARE = 0.8;

/**
 * Raises one alert per month when 80% of TRANSFER_BUDGET_BYTES has been sent, and another when all of it has been sent.
 * Resolves these alerts when the month is over or the budget has changed.
 */
export async function checkTransfer(now: number): Promise<void> {
  const { month, bytes, budget } = readTransferMonth(now);
  const period = budget === undefined ? "" : `${month} ${budget}`;
  const kinds = [
    { kind: "transfer-over", from: budget },
    { kind: "transfer-near", from: budget && budget * WARNING_SHARE },
  ] as const;
  const wasRaised = prepared("SELECT 1 FROM alerts WHERE kind = ? AND until = ?");
  let isRaised = false;
  for (const { kind, from } of kinds) {
    for (const alert of await openAlerts(kind)) {
      if (alert.until !== period) await resolveAlert(alert, now);
    }
    if (budget === undefined || from === undefined || bytes < from) continue;
    // If both thresholds are exceeded at the same time, only the higher one raises an alert.
    const isKnown = wasRaised.get(kind, period) !== undefined;
    if (!isRaised && !isKnown) {
      const message = `${formatBytes(bytes)} of video files were sent in ${month} (UTC). The monthly budget is ${formatBytes(budget)}.`;
      await raiseAlert({ kind, message, until: period }, now);
    }
    isRaised = true;
  }
}
