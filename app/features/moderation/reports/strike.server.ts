import { type GivenStrike, LONGEST_REASON } from "~/features/accounts/users/strike-rules";
import { strikeableOf, strikeIn } from "~/features/accounts/users/strikes.server";
import type { DeskDecision } from "./decisions";

/** Why a decision can't come with a strike. */
export function noStrike(decision: DeskDecision, ids: readonly string[]): string | undefined {
  if (decision !== "remove") return "A strike comes with a removal. Choose Remove, or untick it.";
  if (ids.length === 0) {
    return "These videos were removed before. A strike comes with the first removal.";
  }
  if (strikeableOf(ids).length > 0) return undefined;
  return "None of these videos has an uploader who can be given a strike.";
}

/** Part of a transaction: one for each uploader, however many of their videos are removed. */
export function strikeUploaders(
  videoIds: readonly string[],
  reason: string,
  userId: string,
  now: number,
): (GivenStrike & { userId: string })[] {
  const short = reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON - 1)}…` : reason;
  const all: (GivenStrike & { userId: string })[] = [];
  for (const { id } of strikeableOf(videoIds, now)) {
    const given = strikeIn(id, short, userId, now);
    if (given) all.push({ ...given, userId: id });
  }
  return all;
}
