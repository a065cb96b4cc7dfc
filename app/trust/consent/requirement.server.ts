import { settings } from "~/server/settings.server";
import { prepared } from "~db/client.server";

/**
 * Tells the database at the start what REQUIRE_CONSENT is: its triggers hold whatever is published without a
 * valid record, also by another program, in the statement that publishes it. Turning the setting off releases
 * nothing, since a setting that was lost would publish videos. An owner can, see `releaseHidden`.
 */
export function applyConsentRequirement(): void {
  prepared(
    settings().requireConsent
      ? "INSERT OR IGNORE INTO consent_requirement (id) VALUES (1)"
      : "DELETE FROM consent_requirement",
  ).run();
}
