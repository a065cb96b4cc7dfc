import { formatQuantity } from "~/shared/format";

export const STRIKE_DAYS = 90;
export const MAX_STRIKE_REASON_LENGTH = 500;

/** A strike, as shown to owners and to the uploader who received it. Times are ISO 8601 UTC. */
export interface Strike {
  id: string;
  reason: string;
  givenAt: string;
  endsAt: string;
  withdrawnAt: string | null;
  /** Whether the strike still counts: it has neither expired nor been withdrawn. */
  counts: boolean;
}

export interface GivenStrike {
  email: string;
  strikes: number;
  isBlocked: boolean;
}

export function strikeMessage({ email, strikes, isBlocked }: GivenStrike): string {
  const blocked = isBlocked ? " The account is now blocked." : "";
  return `${email} has ${formatQuantity(strikes, "strike")}.${blocked}`;
}

/** An uploader who can be given a strike for a video. */
export interface Strikeable {
  id: string;
  email: string;
  strikes: number;
  /** Whether one more strike would block the account. */
  isLast: boolean;
}
