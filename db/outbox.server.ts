import { randomUUID } from "node:crypto";
import { database, transaction } from "./client.server";
import { runChange } from "./run-query.server";
import { processState } from "./runtime.server";
import type { AlertNotice, OutboxRow, ReportNotice } from "./schema/operations";

/**
 * The outbox. A message is written in the same transaction as the change that it reports, and delivery is retried until
 * it succeeds.
 */

const MINUTE_MS = 60_000;
/** The delays after each failed attempt. The last attempt is 34 hours after the first. */
const BACK_OFF_MS = [1, 5, 15, 60, 180, 360, 720, 720].map((minutes) => minutes * MINUTE_MS);
const BATCH_SIZE = 20;

/** The types of messages, grouped by the column that refers to their subject. */
interface Messages {
  alert_id: AlertNotice;
  report_id: ReportNotice;
}

/** Adds a message, as part of the caller's transaction. */
export function enqueueMessage<Subject extends keyof Messages>(
  subject: Subject,
  id: string,
  message: Pick<Messages[Subject], "event" | "channel">,
  next_at: string,
): void {
  runChange(
    database()
      .insertInto("outbox")
      .values({ id: `msg_${randomUUID()}`, [subject]: id, ...message, next_at }),
  );
}

const sending = processState("outbox", () => new Map<keyof Messages, Promise<number>>());

/**
 * Sends the messages that are due, one at a time. If the process ends after a message was sent but before its delivery
 * was recorded, the message is sent again with the same id.
 *
 * @param send rejects if the message has to be retried later. The function that it returns runs in the transaction that
 *   records the delivery.
 * @returns the number of messages that it attempted to send.
 */
export function sendDue<Subject extends keyof Messages>(
  subject: Subject,
  send: (message: Messages[Subject]) => Promise<(() => void) | undefined>,
  now = Date.now(),
): Promise<number> {
  const running = sending();
  const round =
    running.get(subject) ?? sendAll(subject, send, now).finally(() => running.delete(subject));
  running.set(subject, round);
  return round;
}

async function sendAll<Subject extends keyof Messages>(
  subject: Subject,
  send: (message: Messages[Subject]) => Promise<(() => void) | undefined>,
  now: number,
): Promise<number> {
  const due = await database()
    .selectFrom("outbox")
    .selectAll()
    .where(subject, "is not", null)
    .where("next_at", "<=", new Date(now).toISOString())
    .orderBy("next_at")
    .limit(BATCH_SIZE)
    .execute();
  for (const message of due) {
    const result = await send(message as Messages[Subject]).catch((error: Error) => error);
    if (result instanceof Error) await recordFailure(message, result.message, now);
    else await finish(message, { delivered_at: new Date().toISOString(), reason: null }, result);
  }
  return due.length;
}

async function recordFailure(message: OutboxRow, reason: string, now: number): Promise<void> {
  const wait = BACK_OFF_MS[message.attempts];
  if (wait === undefined) {
    const kind = message.alert_id ? "An alert" : "A message to a reporter";
    console.error(`${kind} could not be sent by ${message.channel}: ${reason}`);
    return finish(message, { reason });
  }
  const next_at = new Date(now + wait).toISOString();
  const columns = { attempts: message.attempts + 1, next_at, reason };
  await database().updateTable("outbox").set(columns).where("id", "=", message.id).execute();
}

/** Keeps messages about alerts, because the Alerts page lists them, and deletes messages to reporters. */
function finish(
  { id, attempts, report_id }: OutboxRow,
  columns: Partial<OutboxRow>,
  alsoRecord?: () => void,
): Promise<void> {
  return transaction(() => {
    if (report_id) runChange(database().deleteFrom("outbox").where("id", "=", id));
    else {
      const ended = { attempts: attempts + 1, next_at: null, ...columns };
      runChange(database().updateTable("outbox").set(ended).where("id", "=", id));
    }
    alsoRecord?.();
  });
}
