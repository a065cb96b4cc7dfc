import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import { settings } from "~/server/settings.server";
import { database } from "~db/client.server";
import type { Schema } from "~db/schema";
import type { AlertDeliveryRow, AlertKind, AlertRow } from "~db/schema/alerts";

/** The oldest go first. */
const ALERTS_KEPT = 500;

export type Channel = AlertDeliveryRow["channel"];

/** What can be sent with the settings there are. */
export function channels(): Channel[] {
  const { alertWebhook, alertEmail } = settings();
  return [...(alertWebhook ? ["webhook" as const] : []), ...(alertEmail ? ["email" as const] : [])];
}

/** What an alert of each kind says, and what is said when it is over. */
const RESOLVED: Record<AlertKind, string> = {
  disk: "The disk of the uploads has room again.",
  jobs: "The conversions that had failed were made, tried again or removed.",
  "backup-failed": "A backup was made and proved again.",
  "backup-old": "A backup was made and proved again.",
  consent: "The records of consent that were to end were renewed, or have ended.",
  removals: "Removals have resumed.",
  store: "The file store answers again.",
  "reports-urgent":
    "Nobody waits any more with a report of what was shown without consent or under age.",
  "reports-due": "The reports that were due soon were decided, or are overdue.",
  "reports-overdue": "The reports that were overdue were decided.",
  "reports-limit":
    "The videos that REPORT_HIDE_LIMIT had left public were hidden, or their reports were decided.",
  "scan-refused": "Somebody has decided about the files that the scan refused.",
  "scan-unchecked": "All files were scanned, or somebody has decided about them.",
  test: "",
};

export function resolvedSentence(kind: AlertKind): string {
  return RESOLVED[kind];
}

/** The alerts of a kind that last. */
export function openAlerts(kind: AlertKind): Promise<AlertRow[]> {
  return database()
    .selectFrom("alerts")
    .selectAll()
    .where("kind", "=", kind)
    .where("resolved_at", "is", null)
    .execute();
}

/** Returns when the last alert of a kind was raised, in milliseconds; 0 if none was. */
export async function lastRaisedMs(kind: AlertKind): Promise<number> {
  const { last } = await database()
    .selectFrom("alerts")
    .select(({ fn }) => fn.max("raised_at").as("last"))
    .where("kind", "=", kind)
    .executeTakeFirstOrThrow();
  return last === null ? 0 : Date.parse(last);
}

/**
 * Records an alert with the notices of it, in one transaction: neither is there without the other.
 *
 * @param alert.mark notes the id of the alert on the rows that it includes, in the same transaction.
 */
export async function raiseAlert(
  alert: { kind: AlertKind; sentence: string; until?: string; mark?: (alertId: string) => void },
  now = Date.now(),
): Promise<void> {
  const at = new Date(now).toISOString();
  const { kind, sentence, until = null, mark } = alert;
  const id = randomUUID();
  await database()
    .transaction()
    .execute(async (transaction) => {
      const resolved_at = kind === "test" ? at : null;
      const row = { id, kind, sentence, until, raised_at: at, resolved_at };
      await transaction.insertInto("alerts").values(row).execute();
      mark?.(id);
      await enqueue(transaction, id, kind === "test" ? "test" : "raised", at);
      await transaction
        .deleteFrom("alerts")
        .where("id", "in", (alerts) =>
          alerts
            .selectFrom("alerts")
            .select("id")
            .orderBy("raised_at", "desc")
            .limit(-1)
            .offset(ALERTS_KEPT),
        )
        .execute();
    });
}

/** Records that an alert is over, with the notices of that. */
export async function resolveAlert({ id }: Pick<AlertRow, "id">, now = Date.now()): Promise<void> {
  const at = new Date(now).toISOString();
  await database()
    .transaction()
    .execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable("alerts")
        .set({ resolved_at: at })
        .where("id", "=", id)
        .where("resolved_at", "is", null)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) await enqueue(transaction, id, "resolved", at);
    });
}

async function enqueue(
  transaction: Transaction<Schema>,
  alert_id: string,
  event: AlertDeliveryRow["event"],
  next_at: string,
): Promise<void> {
  for (const channel of channels()) {
    await transaction
      .insertInto("alert_deliveries")
      .values({ id: `msg_${randomUUID()}`, alert_id, event, channel, next_at })
      .execute();
  }
}
