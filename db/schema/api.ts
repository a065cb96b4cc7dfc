import type { Generated } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

/** What lets a program use the HTTP API in the name of a user. */
export interface ApiTokensTable {
  id: Generated<number>;
  /** SHA-256 of the token. */
  token_hash: string;
  user_id: string;
  name: string;
  /** A JSON list. */
  scopes: string;
  created_at: Time;
  expires_at: Time;
  last_used_at: Time | null;
}

/** What a request with an `Idempotency-Key` was answered. */
export interface ApiAnswersTable {
  token_id: number;
  key: string;
  /** SHA-256 of the request. */
  request: string;
  status: number;
  /** A JSON object. */
  headers: string;
  body: string;
  created_at: Time;
}

/** What a request to publish an upload was answered; one that is repeated gets the same. */
export interface PublishedUploadsTable {
  /** The id of the resumable upload. */
  upload: string;
  user_id: string;
  /** A JSON object. */
  outcome: string;
  published_at: Time;
}
