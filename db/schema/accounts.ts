import type { Generated } from "kysely";

/** ISO 8601 UTC. */
type Time = string;

export const ROLES = ["owner", "editor", "moderator", "uploader"] as const;
export type Role = (typeof ROLES)[number];

export interface UsersTable {
  id: Generated<string>;
  /** Unique without regard to case. */
  email: string;
  /** Empty for an account that passkeys alone sign in to. */
  password_hash: string;
  role: Generated<Role>;
  /** 1 for an uploader who may publish what they upload. */
  may_publish: Generated<number>;
  /** Null for who may sign in. */
  deactivated_at: Time | null;
  /** Of the last deactivation or block: what was asked for before is not finished. */
  access_ended_at: Time | null;
  /** Of an uploader: null for the limit of the settings, 0 for no limit. */
  max_bytes: number | null;
  max_videos_per_day: number | null;
  max_queued_jobs: number | null;
  created_at: Generated<Time>;
  /** The secret of the second factor, encrypted; it counts once it is enabled. */
  totp_secret: string | null;
  totp_enabled_at: Time | null;
  /** The last 30-second step whose code was accepted. */
  totp_last_step: number | null;
}

/** A link with which somebody makes an account; used and expired ones stay for a while. */
export interface InvitationsTable {
  /** SHA-256 of the token in the link. */
  token_hash: string;
  email: string;
  role: Role;
  may_publish: number;
  /** The id of the owner who invites. */
  invited_by: string;
  created_at: Time;
  expires_at: Time;
  used_at: Time | null;
}

export interface PasskeysTable {
  /** The credential's id, base64url. */
  id: string;
  user_id: string;
  /** The host name that it was made for. */
  rp_id: string;
  name: string;
  /** COSE_Key (RFC 9052 section 7) */
  public_key: Uint8Array;
  /** Of its uses; 0 from authenticators that do not count. */
  counter: number;
  /** 1 where its maker copies it between devices. */
  synced: number;
  created_at: Generated<Time>;
  last_used_at: Time | null;
}

export interface SpentChallengesTable {
  /** SHA-256 of the challenge. */
  hash: string;
  expires_at: Time;
}

export interface RecoveryCodesTable {
  user_id: string;
  /** SHA-256 of a code; used codes are removed. */
  code_hash: string;
}

export interface ActivitiesTable {
  id: Generated<number>;
  /** Null when the operator did it at the command line. */
  user_id: string | null;
  action: string;
  subject_id: string | null;
  detail: Generated<string>;
  created_at: Generated<Time>;
}

export interface SessionsTable {
  /** SHA-256 of the id in the cookie, so that a stolen database opens no session. */
  id_hash: string;
  user_id: string;
  created_at: Generated<Time>;
  last_used_at: Generated<Time>;
  expires_at: Time;
  /** Such as "Firefox on Linux"; empty when the browser did not say. */
  device: Generated<string>;
}

/** A browser in which an account has signed in. */
export interface DevicesTable {
  /** Random; the browser has it in a signed cookie. */
  id: string;
  user_id: string;
  /** When the account last signed in there. */
  used_at: Time;
}
