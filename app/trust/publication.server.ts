import { settings } from "~/server/settings.server";
import { HOLD_SENTENCES, holdsOf } from "~/visibility/holds.server";
import { comparisonFailures } from "./compared.server";
import { consentRefusals, LACKS } from "./consent/validity.server";

/**
 * Why nobody can publish some videos: one sentence for each that has a hold or lacks its record of consent.
 * Whatever publishes for a person calls this first, in its transaction if it has one.
 */
export function refusalsOf(videoIds: readonly string[]): Map<string, string> {
  const refusals = consentRefusals(videoIds);
  const uncompared: string[] = [];
  for (const [id, [reason]] of holdsOf(videoIds)) {
    // What the record lacks says more.
    const isSaid = reason === "consent" && refusals.has(id);
    if (reason && !isSaid) refusals.set(id, HOLD_SENTENCES[reason]);
    if (reason === "comparing") uncompared.push(id);
  }
  for (const [id, { why }] of comparisonFailures(uncompared)) refusals.set(id, notCompared(why));
  return refusals;
}

/** Said of a video whose comparison with the block list has failed for good. */
function notCompared(why: string): string {
  return `This video could not be compared with the films that were removed: ${why} A moderator has to look at it, or have it compared again.`;
}

/** Why a video that has just arrived can't be published; undefined where it can. */
export function refusalOfNew(): string | undefined {
  return settings().requireConsent ? LACKS.record : undefined;
}
