import type { Generated } from "kysely";

/** Accounts, their credentials, uploader terms and strikes. */
export interface AccountsTables {
  users: {
    id: Generated<string>;
    /** Unique, case-insensitively. */
    email: string;
    /** Empty for an account with passkeys only. */
    password_hash: string;
    role: Generated<Role>;
    /** 1 for an uploader who may publish their own videos. */
    may_publish: Generated<number>;
    /** Null for an active account. */
    deactivated_at: Time | null;
    /** When the account was last deactivated or blocked. Work requested before that is canceled. */
    access_ended_at: Time | null;
    /** The limits of an uploader: null for the limit in the settings, 0 for no limit. */
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
    /** SHA-256 of the id in the cookie, so that a stolen database opens no session. */
    id_hash: string;
    user_id: string;
    created_at: Generated<Time>;
    last_used_at: Generated<Time>;
    expires_at: Time;
    /** Such as "Firefox on Linux"; empty if unknown. */
    device: Generated<string>;
  };
  /** Browsers in which an account has signed in. */
  devices: {
    /** Random. The browser has it in a signed cookie. */
    id: string;
    user_id: string;
    /** When the account last signed in there. */
    used_at: Time;
  };
  /** Links that create an account. Used and expired ones are kept for a while. */
  invitations: {
    /** SHA-256 of the token in the link. */
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
    /** SHA-256 of the code. Used codes are deleted. */
    code_hash: string;
  };
  passkeys: PasskeysTable;
  spent_challenges: {
    /** SHA-256 of the challenge. */
    hash: string;
    expires_at: Time;
  };
  activities: {
    id: Generated<number>;
    /** Null if the operator did it on the command line. */
    user_id: string | null;
    action: string;
    subject_id: string | null;
    detail: Generated<string>;
    created_at: Generated<Time>;
  };
  /** Tokens of the HTTP API, each acting on behalf of a user. */
  api_tokens: {
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
  };
  /** The responses to requests with an `Idempotency-Key`. */
  api_answers: {
    token_id: number;
    key: string;
    /** SHA-256 of the request. */
    request: string;
    status: number;
    /** A JSON object. */
    headers: string;
    body: string;
    created_at: Time;
  };
  /** The outcomes of requests to publish an upload. A repeated request gets the same outcome. */
  published_uploads: {
    /** The id of the resumable upload. */
    upload: string;
    user_id: string;
    /** A JSON object. */
    outcome: string;
    published_at: Time;
  };
  /** Strikes against uploaders. A certain number of them blocks the account. */
  user_strikes: {
    id: string;
    user_id: string;
    reason: string;
    given_by: string | null;
    given_at: Time;
    /** When it expires. */
    ends_at: Time;
    withdrawn_at: Time | null;
  };
  /** Versions of the upload terms, starting at 1. None is ever changed or deleted. */
  upload_terms: {
    version: number;
    text: string;
    created_at: Time;
    created_by: string | null;
  };
  /** One row. */
  upload_terms_state: {
    id: 1;
    /** Null while uploaders don't have to accept them. */
    required_since: Time | null;
  };
  /** The accepted version of the terms for each video. */
  accepted_terms: {
    id: Generated<number>;
    video_id: string;
    /** `file`: accepted for a replacement file of the video. */
    subject: "video" | "file";
    version: number;
    user_id: string | null;
    accepted_at: Time;
    /** When the video was found to be permanently deleted. */
    video_gone_at: Time | null;
  };
  uploader_decisions: UploaderDecisionsTable;
}

/** ISO 8601 UTC. */
type Time = string;

export const ROLES = ["owner", "editor", "moderator", "uploader"] as const;
export type Role = (typeof ROLES)[number];

export interface PasskeysTable {
  /** The credential's id, base64url. */
  id: string;
  user_id: string;
  /** The host name that it was created for. */
  rp_id: string;
  name: string;
  /** COSE_Key (RFC 9052 section 7) */
  public_key: Uint8Array;
  /** The signature counter; 0 for authenticators that don't support it. */
  counter: number;
  /** 1 if its provider syncs it between devices. */
  synced: number;
  created_at: Generated<Time>;
  last_used_at: Time | null;
}

/** Decisions of moderators about a user's videos, shown to that user. */
export interface UploaderDecisionsTable {
  id: Generated<number>;
  user_id: string;
  report_id: string;
  /** The video may be deleted. */
  video_id: string;
  decision: "hide" | "keep" | "remove" | "counter-notice" | "restore";
  decided_at: Time;
  /** The title of the video and the reason, encrypted. */
  payload: string;
}
