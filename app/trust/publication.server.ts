import type { HoldReason } from "~db/schema/moderation";
import { HOLD_SENTENCES, holdsOf } from "./holds.server";

export { hold, releaseHold } from "./holds.server";

/**
 * Why videos can't be published: one sentence for each that can't. Every way of publishing asks this
 * first, within its transaction where it has one.
 */
export function refusalsOf(videoIds: readonly string[]): Map<string, string> {
  const refusals = new Map<string, string>();
  for (const [id, reasons] of holdsOf(videoIds)) {
    const reason = BY_WEIGHT.find((each) => reasons.includes(each));
    if (reason) refusals.set(id, HOLD_SENTENCES[reason]);
  }
  return refusals;
}

const BY_WEIGHT = Object.keys(HOLD_SENTENCES) as HoldReason[];
