import { settings } from "~/server/settings.server";
import type { HoldReason } from "~db/schema/moderation";
import { comparisonFailures } from "./compared.server";
import { consentRefusals, LACKS } from "./consent/validity.server";
import { HOLD_SENTENCES, holdsOf } from "./holds.server";

export { hold, releaseHold } from "./holds.server";

/**
 * Why videos can't be published: one sentence for each that can't. Every way of publishing asks this
 * first, within its transaction where it has one.
 */
export function refusalsOf(videoIds: readonly string[]): Map<string, string> {
  const refusals = consentRefusals(videoIds);
  const uncompared: string[] = [];
  for (const [id, reasons] of holdsOf(videoIds)) {
    const reason = BY_WEIGHT.find((each) => reasons.includes(each));
    if (reason) refusals.set(id, HOLD_SENTENCES[reason]);
    if (reason === "comparing") uncompared.push(id);
  }
  for (const [id, { why }] of comparisonFailures(uncompared)) refusals.set(id, notCompared(why));
  return refusals;
}

/** Said of a video whose comparison with the block list has failed for good. */
function notCompared(why: string): string {
  return `This video could not be compared with the films that were removed: ${why} A moderator has to look at it, or have it compared again.`;
}

/** Of some videos those that nothing but their record of consent keeps from being published. */
export function lacksOnlyRecord(videoIds: readonly string[]): Set<string> {
  const lacking = new Set(consentRefusals(videoIds).keys());
  for (const [id, reasons] of holdsOf(videoIds)) {
    if (reasons.every((reason) => reason === "consent")) lacking.add(id);
    else lacking.delete(id);
  }
  return lacking;
}

const BY_WEIGHT = Object.keys(HOLD_SENTENCES) as HoldReason[];

/** Why a video that has just arrived can't be published; undefined where it can. */
export function refusalOfNew(): string | undefined {
  return settings().requireConsent ? LACKS.record : undefined;
}
