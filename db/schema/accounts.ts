import type { Generated } from "kysely";

/** Accounts, their credentials, uploader terms and strikes. */
export interface AccountsTables {
  users: {
    id: Generated<string>;
    /** The email address, which is unique regardless of case. */
    email: string;
    /** Empty for an account that has only passkeys. */
    password_hash: string;
    role: Generated<Role>;
    /** 1 for an uploader who may publish their own videos. */
    may_publish: Generated<number>;
    /** Null for an active account. */
    deactivated_at: Time | null;
    /** When the account was last deactivated or blocked. Work that the user requested before that is canceled. */
    access_ended_at: Time | null;
    /** The limits for an uploader. Null means the limit in the settings; 0 means no limit. */
    max_bytes: number | null;
    max_videos_per_day: number | null;
    max_queued_jobs: number | null;
    created_at: Generated<Time>;
    /** The encrypted secret of the second factor. It isn't used until `totp_enabled_at` is set. */
    totp_secret: string | null;
    totp_enabled_at: Time | null;
    /** The last 30-second time step with an accepted code. */
    totp_last_step: number | null;
  };
  sessions: {
    /** The SHA-256 of the id in the cookie, so that a stolen database doesn't give access to any session. */
    id_hash: string;
    user_id: string;
    created_at: Generated<Time>;
    last_used_at: Generated<Time>;
    expires_at: Time;
    /** The browser and system, such as "Firefox on Linux"; empty if unknown. */
    device: Generated<string>;
  };
  /** The browsers in which an account has signed in. */
  devices: {
    /** A random id, which the browser stores in a signed cookie. */
    id: string;
    user_id: string;
    /** When the account last signed in with that browser. */
    used_at: Time;
  };
  /** Links that let people create an account. Used and expired links are kept for a while. */
  invitations: {
    /** The SHA-256 of the token in the link. */
    token_hash: string;
    email: string;
    role: Role;
    may_publish: number;
    /** The id of the owner who sent the invitation. */
    invited_by: string;
    created_at: Time;
    expires_at: Time;
    used_at: Time | null;
  };
  recovery_codes: {
    user_id: string;
    /** The SHA-256 of the code. Used codes are deleted. */
    code_hash: string;
  };
  passkeys: PasskeysTable;
  spent_challenges: {
    /** The SHA-256 of the challenge. */
    hash: string;
    expires_at: Time;
  };
  activities: {
    id: Generated<number>;
    /** The user who acted; null if the operator acted on the command line. */
    user_id: string | null;
    action: string;
    subject_id: string | null;
    detail: Generated<string>;
    created_at: Generated<Time>;
  };
  /** Tokens of the HTTP API, each acting on behalf of a user. */
  api_tokens: {
    id: Generated<number>;
    /** The SHA-256 of the token. */
    token_hash: string;
    user_id: string;
    name: string;
    /** A JSON list. */
    scopes: string;
    created_at: Time;
    expires_at: Time;
    last_used_at: Time | null;
  };
  /** The responses to requests with an `Idempotency-Key`. */
  api_answers: {
    token_id: number;
    key: string;
    /** The SHA-256 of the request. */
    request: string;
    status: number;
    /** A JSON object. */
    headers: string;
    body: string;
    created_at: Time;
  };
  /** The outcomes of requests to publish an upload. A retried request gets the same outcome. */
  published_uploads: {
    /** The id of the resumable upload. */
    upload: string;
    user_id: string;
    /** A JSON object. */
    outcome: string;
    published_at: Time;
  };
  /** Strikes against uploaders. After a certain number of strikes, the account is blocked. */
  user_strikes: {
    id: string;
    user_id: string;
    reason: string;
    given_by: string | null;
    given_at: Time;
    /** When the strike expires. */
    ends_at: Time;
    withdrawn_at: Time | null;
  };
  /** The versions of the upload terms, starting at 1. Versions are never changed or deleted. */
  upload_terms: {
    version: number;
    text: string;
    created_at: Time;
    created_by: string | null;
  };
  /** One row. */
  upload_terms_state: {
    id: 1;
    /** The time from which uploaders have had to accept the terms; null while they don't have to. */
    required_since: Time | null;
  };
  /** The version of the terms that was accepted for each video. */
  accepted_terms: {
    id: Generated<number>;
    video_id: string;
    /** `file`: the terms were accepted for a replacement of the video's file. */
    subject: "video" | "file";
    version: number;
    user_id: string | null;
    accepted_at: Time;
    /** When the video was found to have been permanently deleted. */
    video_gone_at: Time | null;
  };
  uploader_decisions: UploaderDecisionsTable;
}

/** ISO 8601 UTC. */
type Time = string;

export const ROLES = ["owner", "editor", "moderator", "uploader"] as const;
export type Role = (typeof ROLES)[number];

export interface PasskeysTable {
  /** The credential's id in base64url. */
  id: string;
  user_id: string;
  /** The host name for which the passkey was created. */
  rp_id: string;
  name: string;
  /** The public key as a COSE_Key (RFC 9052 section 7) */
  public_key: Uint8Array;
  /** The signature counter; 0 for authenticators that don't support it. */
  counter: number;
  /** 1 if the passkey's provider syncs it between devices. */
  synced: number;
  created_at: Generated<Time>;
  last_used_at: Time | null;
}

/** Moderators' decisions about a user's videos, which are shown to that user. */
export interface UploaderDecisionsTable {
  id: Generated<number>;
  user_id: string;
  report_id: string;
  /** The video, which may have been deleted. */
  video_id: string;
  decision: "hide" | "keep" | "remove" | "counter-notice" | "restore";
  decided_at: Time;
  /** The encrypted title of the video, and the encrypted reason. */
  payload: string;
}
