import { settings } from "~/platform/settings.server";
import { prepared } from "~db/client.server";

/**
 * Stores REQUIRE_CONSENT in the database at startup. Its triggers then hold each video that is published without a
 * valid record, even by another program, in the same statement. Turning the setting off releases nothing, because a
 * setting lost by accident would publish videos. Owners can release them, see `releaseHidden`.
 */
export function applyConsentRequirement(): void {
  prepared(
    settings().requireConsent
      ? "INSERT OR IGNORE INTO consent_requirement (id) VALUES (1)"
      : "DELETE FROM consent_requirement",
  ).run();
}
