import { formatQuantity } from "~/shared/format";

export const STRIKE_DAYS = 90;
export const LONGEST_REASON = 500;

/** A strike as its uploader and owners see it; times are ISO 8601 UTC. */
export interface Strike {
  id: string;
  reason: string;
  givenAt: string;
  endsAt: string;
  withdrawnAt: string | null;
  /** Neither over nor withdrawn. */
  counts: boolean;
}

export interface GivenStrike {
  email: string;
  strikes: number;
  isBlocked: boolean;
}

export function strikeMessage({ email, strikes, isBlocked }: GivenStrike): string {
  const blocked = isBlocked ? " The account is blocked now." : "";
  return `${email} has ${formatQuantity(strikes, "strike")}.${blocked}`;
}

/** An uploader who can be given a strike for a video. */
export interface Strikeable {
  id: string;
  email: string;
  strikes: number;
  /** One more blocks the account. */
  isLast: boolean;
}
