/** ISO 8601 UTC. */
type Time = string;

/** Why an uploader was warned; some of them block the account. */
export interface UserStrikesTable {
  id: string;
  user_id: string;
  reason: string;
  given_by: string | null;
  given_at: Time;
  /** From then on it does not count. */
  ends_at: Time;
  withdrawn_at: Time | null;
}
