import { randomUUID } from "node:crypto";
import { settings } from "~/platform/settings.server";
import { database, transaction } from "~db/client.server";
import { enqueueMessage } from "~db/outbox.server";
import { runChange } from "~db/run-query.server";
import type { AlertKind, AlertNotice, AlertRow } from "~db/schema/operations";

const MAX_ALERTS = 500;

export type Channel = AlertNotice["channel"];

export function channels(): Channel[] {
  const { alertWebhook, alertEmail } = settings();
  return [...(alertWebhook ? ["webhook" as const] : []), ...(alertEmail ? ["email" as const] : [])];
}

/** A short description of each kind of alert, used in the subject line of its email. */
export const ALERT_SUBJECTS: Record<AlertKind, string> = {
  disk: "disk almost full",
  jobs: "jobs failed",
  "backup-failed": "backup failed",
  "backup-old": "no recent backup",
  consent: "consent records end soon",
  removals: "automatic removals paused",
  store: "file store unavailable",
  "reports-urgent": "urgent reports",
  "reports-due": "reports due soon",
  "reports-overdue": "reports overdue",
  "reports-limit": "reported videos still public",
  "scan-refused": "files refused by the scan",
  "scan-unchecked": "files not scanned",
  "transfer-near": "80% of the transfer budget used",
  "transfer-over": "transfer budget used up",
  test: "",
};

/** The message shown for each kind of alert when it is resolved. */
export const RESOLVED_MESSAGES: Record<AlertKind, string> = {
  disk: "The uploads disk has enough free space again.",
  jobs: "The failed jobs have been retried or removed.",
  "backup-failed": "A backup has been created and verified again.",
  "backup-old": "A backup has been created and verified again.",
  consent: "The consent records that were about to end have been renewed or have ended.",
  removals: "Removals have resumed.",
  store: "The file store is responding again.",
  "reports-urgent":
    "The reports about missing consent or possible minors no longer need a decision.",
  "reports-due": "The reports that were due soon have been decided or are overdue.",
  "reports-overdue": "The overdue reports have been decided.",
  "reports-limit":
    "The videos that stayed public because of REPORT_HIDE_LIMIT are hidden now, or their reports have been decided.",
  "scan-refused": "Every file that the scan refused has been released or deleted.",
  "scan-unchecked":
    "The files that couldn’t be scanned have now been scanned, released or deleted.",
  "transfer-near": "The month is over, or the transfer budget was changed.",
  "transfer-over": "The month is over, or the transfer budget was changed.",
  test: "",
};

export function openAlerts(kind: AlertKind): Promise<AlertRow[]> {
  return database()
    .selectFrom("alerts")
    .selectAll()
    .where("kind", "=", kind)
    .where("resolved_at", "is", null)
    .execute();
}

/**
 * Returns the time at which the last alert of a kind was raised, in milliseconds since 1970, or 0 if there was none.
 */
export async function lastRaisedMs(kind: AlertKind): Promise<number> {
  const { last } = await database()
    .selectFrom("alerts")
    .select(({ fn }) => fn.max("raised_at").as("last"))
    .where("kind", "=", kind)
    .executeTakeFirstOrThrow();
  return last === null ? 0 : Date.parse(last);
}

/**
 * Stores an alert and enqueues its notices in a single transaction.
 *
 * @param alert.mark records the alert's id on the rows that it includes, in the same transaction.
 */
export async function raiseAlert(
  alert: { kind: AlertKind; message: string; until?: string; mark?: (alertId: string) => void },
  now = Date.now(),
): Promise<void> {
  const at = new Date(now).toISOString();
  const { kind, message, until = null, mark } = alert;
  const id = randomUUID();
  await transaction(() => {
    const resolved_at = kind === "test" ? at : null;
    const row = { id, kind, message, until, raised_at: at, resolved_at };
    runChange(database().insertInto("alerts").values(row));
    mark?.(id);
    enqueue(id, kind === "test" ? "test" : "raised", at);
    runChange(
      database()
        .deleteFrom("alerts")
        .where("id", "in", (alerts) =>
          alerts
            .selectFrom("alerts")
            .select("id")
            .orderBy("raised_at", "desc")
            .limit(-1)
            .offset(MAX_ALERTS),
        ),
    );
  });
}

/** Marks an alert as resolved and enqueues its notices. */
export async function resolveAlert({ id }: Pick<AlertRow, "id">, now = Date.now()): Promise<void> {
  const at = new Date(now).toISOString();
  await transaction(() => {
    const changes = runChange(
      database()
        .updateTable("alerts")
        .set({ resolved_at: at })
        .where("id", "=", id)
        .where("resolved_at", "is", null),
    );
    if (changes > 0) enqueue(id, "resolved", at);
  });
}

/**
 * Raises an alert with the message, if there is one, unless an alert of this kind is already open. If `isOver` is true,
 * resolves the open alerts of this kind.
 */
export async function updateAlert(
  kind: AlertKind,
  message: string | undefined,
  isOver: boolean,
  now: number,
): Promise<void> {
  const open = await openAlerts(kind);
  if (message !== undefined && open.length === 0) await raiseAlert({ kind, message }, now);
  if (isOver) for (const alert of open) await resolveAlert(alert, now);
}

function enqueue(alertId: string, event: AlertNotice["event"], at: string): void {
  for (const channel of channels()) enqueueMessage("alert_id", alertId, { event, channel }, at);
}

const PAGE_SIZE = 30;

export type AlertsPage = Awaited<ReturnType<typeof readAlertsPage>>;
export type ListedAlert = AlertsPage["last"][number];

/** Returns the recent alerts with their deliveries. Times are in ISO 8601 format (UTC). */
export async function readAlertsPage() {
  const alerts = await database()
    .selectFrom("alerts")
    .select(["id", "kind", "message", "raised_at as raisedAt", "resolved_at as resolvedAt"])
    .orderBy("raised_at", "desc")
    .limit(PAGE_SIZE)
    .execute();
  const ids = alerts.map(({ id }) => id);
  const deliveries = await database()
    .selectFrom("outbox")
    .select(["id", "channel", "event", "attempts", "reason", "alert_id as alertId"])
    .select(["delivered_at as deliveredAt", "next_at as nextAt"])
    .$narrowType<Pick<AlertNotice, "event">>()
    .where("alert_id", "in", ids)
    // Sorted in the order in which they were written.
    .orderBy("rowid" as "id")
    .execute();
  return {
    // Only a webhook's host is returned, because the rest of its URL may be a secret.
    targets: channels().map((channel) => ({ channel, name: targetOf(channel) })),
    last: alerts.map((alert) => ({
      ...alert,
      deliveries: deliveries.filter(({ alertId }) => alertId === alert.id),
    })),
  };
}

function targetOf(channel: Channel): string {
  const { alertWebhook = "", alertEmail = "" } = settings();
  return channel === "email" ? alertEmail : new URL(alertWebhook).host;
}
