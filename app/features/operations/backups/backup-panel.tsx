import { Form, Link } from "@remix-run/react";
import { formatQuantity } from "~/shared/format";
import { formatStorage } from "~/shared/format-bytes";
import { formatSpan } from "~/shared/format-span";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Time } from "~/ui/time";
import type { ReplicationState } from "~db/litestream.server";
import type { BackupsPage, ListedBackup } from "./backups-page.server";

const UNITS = [
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** Formats a duration, given in milliseconds, in the largest unit that divides it evenly: `1 day`, `90 minutes`. */
function intervalText(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, each]) => ms % each === 0) ?? UNITS[3];
  return formatQuantity(Math.round(ms / unitMs), unit);
}

/** The age of the last verified backup, the schedule, and the button that starts a backup. */
export function BackupHead({
  page: { schedule, runningSince, lastVerified },
  now,
  busy,
}: {
  page: BackupsPage;
  /** The current time, in milliseconds since 1970. */
  now: number;
  busy: boolean;
}) {
  return (
    <section
      aria-label="Backup status"
      className="flex flex-wrap items-center justify-between gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <div className="flex min-w-0 grow basis-72 flex-col gap-1">
        <p role="status" className="font-semibold">
          {runningSince
            ? "Backup in progress…"
            : lastVerified
              ? `Last verified backup: ${agoText(lastVerified.started_at, now)}.`
              : "No verified backup yet."}
        </p>
        {lastVerified && (
          <p className="text-sm text-muted figures">
            <Time value={lastVerified.started_at} />, {sizeText(lastVerified)}
          </p>
        )}
        {schedule && (
          <p className="text-sm text-muted figures">
            {`Runs every ${intervalText(schedule.everyMs).replace(/^1 /, "")} and keeps ${formatQuantity(schedule.keep, "backup")}`}
            {schedule.stored !== null && ` (${schedule.stored} stored)`}. Next backup:{" "}
            <Time value={schedule.nextAt} />.
          </p>
        )}
      </div>
      {schedule && (
        <Form method="post" action="/admin/backups" preventScrollReset>
          <Button
            name="intent"
            value="back-up"
            busy={busy || runningSince !== null}
            busyLabel={busy ? "Starting…" : "Backing up…"}
          >
            Back up now
          </Button>
        </Form>
      )}
    </section>
  );
}

/** Shows what the backups contain, or explains how to turn on automatic backups. */
export function BackupNotes({ schedule }: Pick<BackupsPage, "schedule">) {
  if (!schedule) {
    return (
      <p className="text-sm text-muted">
        Automatic backups are off. To turn them on, set <code>BACKUP_DIR</code> to a folder, ideally
        on another disk, and restart the site.
      </p>
    );
  }
  const what = schedule.withUploads
    ? "the database, the session secret and all files, including the trash"
    : "the database and the session secret, but no files (BACKUP_UPLOADS is off)";
  return (
    <div className="flex flex-col gap-2 text-sm text-muted">
      {schedule.stored === null && (
        <p className="text-bad">
          The backup folder can’t be read. Check that its disk is mounted:{" "}
          <code>{schedule.folder}</code>
        </p>
      )}
      <p className="wrap-anywhere">
        Each backup contains {what}. It is verified by restoring it to a temporary folder and
        comparing the result. Backups are stored in <code>{schedule.folder}</code>. To restore one,
        run <code>npm run restore -- FOLDER</code>.
      </p>
    </div>
  );
}

export function BackupList({ last }: Pick<BackupsPage, "last">) {
  if (last.length === 0) return null;
  return (
    <section aria-labelledby="last-backups" className="flex flex-col gap-3">
      <h2 id="last-backups" className="text-lg font-semibold">
        Recent backups
      </h2>
      <ul className="ruled rounded-lg border border-line bg-surface text-sm">
        {last.map((backup) => (
          <li key={backup.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 p-3 sm:px-4">
            <p className="flex grow flex-wrap items-center gap-2 font-medium figures">
              <Time value={backup.started_at} />
              <StateBadge state={backup.state} />
            </p>
            <p className="text-muted wrap-anywhere">
              {backup.isScheduled ? "Scheduled" : (backup.by ?? "Command line")}
            </p>
            <p className="w-full text-muted figures wrap-anywhere">{resultText(backup)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function StateBadge({ state }: Pick<ListedBackup, "state">) {
  if (state === "done") return <Badge tone="good">Verified</Badge>;
  if (state === "running") return <Badge>Running</Badge>;
  return <Badge tone="warn">{state === "failed" ? "Failed" : "Interrupted"}</Badge>;
}

function resultText(backup: ListedBackup): string {
  if (backup.state === "running") return "Copying and verifying…";
  if (backup.state !== "done") return backup.reason ?? "";
  const tookMs = Date.parse(backup.finished_at ?? "") - Date.parse(backup.started_at);
  const repaired =
    backup.repaired > 0
      ? ` Damaged in earlier backups and copied again: ${formatQuantity(backup.repaired, "file")}.`
      : "";
  return `${sizeText(backup)}, ${formatStorage(backup.added_bytes)} of it new. Took ${formatSpan(tookMs / 1000)}.${repaired}`;
}

function sizeText({ files, bytes }: ListedBackup): string {
  return `${formatStorage(bytes)}, ${formatQuantity(files, "file")} and the database`;
}

function agoText(since: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(since));
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= 2 * each) ?? UNITS[3];
  const count = Math.floor(ms / unitMs);
  return count === 0 ? "just now" : `${formatQuantity(count, unit)} ago`;
}

/** The age of the last backup, with links to the pages for backups and alerts; shown on the statistics page. */
export function BackupLine({
  lastVerifiedAt,
  now,
}: {
  lastVerifiedAt: string | null;
  now: number;
}) {
  return (
    <p className="text-sm text-muted">
      {lastVerifiedAt
        ? `Last verified backup: ${agoText(lastVerifiedAt, now)}. `
        : "No verified backup yet. "}
      <Link to="/admin/backups" className="text-ink underline underline-offset-4">
        Backups
      </Link>{" "}
      and{" "}
      <Link to="/admin/alerts" className="text-ink underline underline-offset-4">
        alerts
      </Link>
    </p>
  );
}

export function ReplicationNote({
  replication: { state, copiedAt },
}: {
  replication: ReplicationState;
}) {
  const at = copiedAt === null ? null : new Date(copiedAt).toISOString();
  return (
    <section
      aria-label="Litestream"
      className="flex flex-col gap-1 rounded-lg border border-line bg-surface p-4 text-sm sm:p-5"
    >
      <p className={state === "following" ? "font-semibold" : "font-semibold text-bad"}>
        {state === "following" && "Litestream is replicating the database."}
        {state === "behind" && "Litestream has stopped replicating the database."}
        {state === "never" && "Litestream hasn’t replicated anything yet."}
      </p>
      <p className="text-muted figures">
        {at && (
          <>
            Last replicated: <Time value={at} />.{" "}
          </>
        )}
        {state === "following"
          ? "To see whether everything has reached the replica, check Litestream’s metrics."
          : "Check that it is running. While it isn’t, new changes will be lost if the disk fails."}
      </p>
    </section>
  );
}
