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

/** A length of time in its largest whole unit: `1 day`, `90 minutes`. Milliseconds. */
function lengthText(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, each]) => ms % each === 0) ?? UNITS[3];
  return formatQuantity(Math.round(ms / unitMs), unit);
}

/** How old the last proved backup is, when the next is due, and the button for one now. */
export function BackupHead({
  page: { timetable, runningSince, proved },
  now,
  busy,
}: {
  page: BackupsPage;
  /** Milliseconds since 1970. */
  now: number;
  busy: boolean;
}) {
  return (
    <section
      aria-label="State"
      className="flex flex-wrap items-center justify-between gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <div className="flex min-w-0 grow basis-72 flex-col gap-1">
        <p role="status" className="font-semibold">
          {runningSince
            ? "A backup is being made."
            : proved
              ? `The last proved backup is ${ageText(proved.started_at, now)} old.`
              : "There is no proved backup yet."}
        </p>
        {proved && (
          <p className="text-sm text-muted figures">
            <Time value={proved.started_at} />, {sizeText(proved)}
          </p>
        )}
        {timetable && (
          <p className="text-sm text-muted figures">
            {`Every ${lengthText(timetable.everyMs).replace(/^1 /, "")}; the last ${timetable.keep} stay`}
            {timetable.stored !== null && `, and there ${storedText(timetable.stored)}`}. Next{" "}
            <Time value={timetable.nextAt} />.
          </p>
        )}
      </div>
      {timetable && (
        <Form method="post" action="/admin/backups" preventScrollReset>
          <Button
            name="intent"
            value="back-up"
            busy={busy || runningSince !== null}
            busyLabel={busy ? "Starting..." : "Backing up..."}
          >
            Back up now
          </Button>
        </Form>
      )}
    </section>
  );
}

function storedText(count: number): string {
  return count === 1 ? "is 1" : `are ${count}`;
}

/** What there is to know of a timetable that is off, or of what the backups have. */
export function BackupNotes({ timetable }: Pick<BackupsPage, "timetable">) {
  if (!timetable) {
    return (
      <p className="text-sm text-muted">
        The site makes no backups by itself. Set <code>BACKUP_DIR</code> to a folder, best on
        another disk, and start it again.
      </p>
    );
  }
  const what = timetable.withUploads
    ? "the database, the secret beside it and all files, those of the trash included"
    : "the database and the secret beside it, but no files (BACKUP_UPLOADS is off)";
  return (
    <div className="flex flex-col gap-2 text-sm text-muted">
      {timetable.stored === null && (
        <p className="text-bad">
          The folder can’t be read now. Is its disk mounted? <code>{timetable.folder}</code>
        </p>
      )}
      <p className="wrap-anywhere">
        A backup has {what}. It is restored into a temporary folder and compared before it counts.
        They are in <code>{timetable.folder}</code>; <code>npm run restore -- FOLDER</code> brings
        one back.
      </p>
    </div>
  );
}

export function BackupList({ last }: Pick<BackupsPage, "last">) {
  if (last.length === 0) return null;
  return (
    <section aria-labelledby="last-backups" className="flex flex-col gap-3">
      <h2 id="last-backups" className="text-lg font-semibold">
        Last backups
      </h2>
      <ul className="ruled rounded-lg border border-line bg-surface text-sm">
        {last.map((backup) => (
          <li key={backup.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 p-3 sm:px-4">
            <p className="flex grow flex-wrap items-center gap-2 font-medium figures">
              <Time value={backup.started_at} />
              <StateBadge state={backup.state} />
            </p>
            <p className="text-muted wrap-anywhere">
              {backup.isTimed ? "By the timetable" : (backup.by ?? "From the command line")}
            </p>
            <p className="w-full text-muted figures wrap-anywhere">{resultText(backup)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function StateBadge({ state }: Pick<ListedBackup, "state">) {
  if (state === "done") return <Badge tone="good">Proved</Badge>;
  if (state === "running") return <Badge>Running</Badge>;
  return <Badge tone="warn">{state === "failed" ? "Failed" : "Interrupted"}</Badge>;
}

function resultText(backup: ListedBackup): string {
  if (backup.state === "running") return "It is being copied and proved.";
  if (backup.state !== "done") return backup.reason ?? "";
  const tookMs = Date.parse(backup.finished_at ?? "") - Date.parse(backup.started_at);
  const repaired =
    backup.repaired > 0
      ? ` ${formatQuantity(backup.repaired, "damaged file")} of the earlier ones copied again.`
      : "";
  return `${sizeText(backup)}, ${formatStorage(backup.added_bytes)} of it new, in ${formatSpan(tookMs / 1000)}.${repaired}`;
}

function sizeText({ files, bytes }: ListedBackup): string {
  return `${formatStorage(bytes)}, ${formatQuantity(files, "file")} and the database`;
}

function ageText(since: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(since));
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= 2 * each) ?? UNITS[3];
  return formatQuantity(Math.floor(ms / unitMs), unit);
}

/** On the page of statistics: how old the last backup is, and the way to all of them and to the alerts. */
export function BackupLine({ provedAt, now }: { provedAt: string | null; now: number }) {
  return (
    <p className="text-sm text-muted">
      {provedAt
        ? `The last proved backup is ${ageText(provedAt, now)} old. `
        : "There is no proved backup. "}
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
        {state === "following" && "Litestream follows the database."}
        {state === "behind" && "Litestream no longer follows the database."}
        {state === "never" && "Litestream has not copied anything yet."}
      </p>
      <p className="text-muted figures">
        {at && (
          <>
            Its last copy is of <Time value={at} />.{" "}
          </>
        )}
        {state === "following"
          ? "Whether all of it has reached the replica, its own metrics say."
          : "Is it running? Until it is, a disk that is lost takes with it what is written now."}
      </p>
    </section>
  );
}
