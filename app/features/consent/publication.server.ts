import { comparisonFailures } from "~/features/processing/comparison/compared.server";
import { HOLD_SENTENCES, holdsOf } from "~/features/visibility/holds.server";
import { settings } from "~/platform/settings.server";
import { consentRefusals, LACKS } from "./validity.server";

/**
 * Returns why videos can't be published: a sentence for each video that is on hold or has no valid consent record.
 * Code that publishes for a user calls this first, in its transaction if it has one.
 */
export function refusalsOf(videoIds: readonly string[]): Map<string, string> {
  const refusals = consentRefusals(videoIds);
  const uncompared: string[] = [];
  for (const [id, [reason]] of holdsOf(videoIds)) {
    // The sentence about what the record lacks is more specific.
    const isSaid = reason === "consent" && refusals.has(id);
    if (reason && !isSaid) refusals.set(id, HOLD_SENTENCES[reason]);
    if (reason === "comparing") uncompared.push(id);
  }
  for (const [id, { why }] of comparisonFailures(uncompared)) refusals.set(id, notCompared(why));
  return refusals;
}

/** The refusal for a video whose comparison with the block list has failed for good. */
function notCompared(why: string): string {
  return `This video couldn’t be compared with the videos that were removed: ${why} An editor has to watch it or compare it again.`;
}

/** Returns why a new video can't be published; undefined if it can. */
export function refusalOfNew(): string | undefined {
  return settings().requireConsent ? LACKS.record : undefined;
}
