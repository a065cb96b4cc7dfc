import { settings } from "~/server/settings.server";
import { prepared, sqliteHandle } from "~db/client.server";
import { consentRefusals } from "./validity.server";

/**
 * What the database has to know of REQUIRE_CONSENT: its triggers hide whatever is published without a
 * valid record, also by another program, in the statement that publishes it. And videos whose time has
 * come without one, which wait for it.
 */

/** Tells the database at the start what the setting is; what waits is looked at again. */
export function applyConsentRequirement(): void {
  sqliteHandle()
    .transaction(() => {
      setRequired(settings().requireConsent);
      prepared("DELETE FROM consent_waits").run();
    })
    .immediate();
}

/** Publishes what lacks a record all the same, within a transaction: nobody else sees the exception. */
export function withoutRequirement<T>(work: () => T): T {
  const isRequired = prepared("SELECT 1 FROM consent_requirement").get() !== undefined;
  setRequired(false);
  const done = work();
  setRequired(isRequired);
  return done;
}

function setRequired(isRequired: boolean): void {
  prepared(
    isRequired
      ? "INSERT OR IGNORE INTO consent_requirement (id) VALUES (1)"
      : "DELETE FROM consent_requirement",
  ).run();
}

/** Notes that a video is published as soon as its record is valid, and keeps its time until then. */
export function awaitRecord(videoId: string): void {
  prepared(
    `INSERT OR REPLACE INTO consent_waits (video_id, publish_at)
     SELECT id, publish_at FROM videos WHERE id = ? AND publish_at IS NOT NULL`,
  ).run(videoId);
}

/** The record has come, or the video waits no longer: its time is looked at with the next ones. */
export function endWait(videoId: string): void {
  prepared("DELETE FROM consent_waits WHERE video_id = ?").run(videoId);
}

/**
 * Publishes a video that nothing holds any more. One that lacks its record waits for it, and comes back
 * where it was in the lists.
 */
export function publishReleased(videoId: string): void {
  if (!consentRefusals([videoId]).has(videoId)) {
    prepared("UPDATE videos SET status = 'published' WHERE id = ?").run(videoId);
    return;
  }
  prepared(
    `UPDATE videos SET publish_at = strftime('%Y-%m-%dT%H:%M:%fZ', created_at)
     WHERE id = ? AND status <> 'published'`,
  ).run(videoId);
  awaitRecord(videoId);
}
