import { settings } from "~/platform/settings.server";
import { database } from "~db/client.server";
import type { AlertKind, AlertNotice } from "~db/schema/operations";
import { type Channel, channels } from "./alert-records.server";

const SHOWN = 30;

/** An alert as the page lists it. Times are ISO 8601 UTC. */
export interface ListedAlert {
  id: string;
  kind: AlertKind;
  sentence: string;
  raisedAt: string;
  resolvedAt: string | null;
  deliveries: {
    id: string;
    channel: Channel;
    event: AlertNotice["event"];
    attempts: number;
    deliveredAt: string | null;
    /** Null once it has arrived, or was given up. */
    nextAt: string | null;
    reason: string | null;
  }[];
}

export interface AlertsPage {
  /** Where notices go: never more of an address than its host, since the rest may be a secret. */
  targets: { channel: Channel; name: string }[];
  /** The newest first. */
  last: ListedAlert[];
}

export async function readAlertsPage(): Promise<AlertsPage> {
  const rows = await database()
    .selectFrom("alerts")
    .selectAll()
    .orderBy("raised_at", "desc")
    .limit(SHOWN)
    .execute();
  const deliveries = await database()
    .selectFrom("outbox")
    .selectAll()
    .$narrowType<Pick<AlertNotice, "alert_id" | "event">>()
    .where(
      "alert_id",
      "in",
      rows.map(({ id }) => id),
    )
    // In the order in which they were written.
    .orderBy("rowid" as "id")
    .execute();
  return {
    targets: channels().map((channel) => ({ channel, name: targetOf(channel) })),
    last: rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      sentence: row.sentence,
      raisedAt: row.raised_at,
      resolvedAt: row.resolved_at,
      deliveries: deliveries
        .filter(({ alert_id }) => alert_id === row.id)
        .map((delivery) => ({
          id: delivery.id,
          channel: delivery.channel,
          event: delivery.event,
          attempts: delivery.attempts,
          deliveredAt: delivery.delivered_at,
          nextAt: delivery.next_at,
          reason: delivery.reason,
        })),
    })),
  };
}

function targetOf(channel: Channel): string {
  const { alertWebhook = "", alertEmail = "" } = settings();
  return channel === "email" ? alertEmail : new URL(alertWebhook).host;
}
