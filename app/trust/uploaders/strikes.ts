/** For so long a strike counts. */
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
