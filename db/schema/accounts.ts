import type { Generated } from "kysely";

/** Accounts, their credentials, uploader terms and strikes. */
export interface AccountsTables {
  users: {
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
  };
  sessions: {
    /** SHA-256 of the id in the cookie, so that a stolen database opens no session. */
    id_hash: string;
    user_id: string;
    created_at: Generated<Time>;
    last_used_at: Generated<Time>;
    expires_at: Time;
    /** Such as "Firefox on Linux"; empty when the browser did not say. */
    device: Generated<string>;
  };
  /** A browser in which an account has signed in. */
  devices: {
    /** Random; the browser has it in a signed cookie. */
    id: string;
    user_id: string;
    /** When the account last signed in there. */
    used_at: Time;
  };
  /** A link with which somebody makes an account; used and expired ones stay for a while. */
  invitations: {
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
  };
  recovery_codes: {
    user_id: string;
    /** SHA-256 of a code; used codes are removed. */
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
    /** Null when the operator did it at the command line. */
    user_id: string | null;
    action: string;
    subject_id: string | null;
    detail: Generated<string>;
    created_at: Generated<Time>;
  };
  /** What lets a program use the HTTP API in the name of a user. */
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
  /** What a request with an `Idempotency-Key` was answered. */
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
  /** What a request to publish an upload was answered; one that is repeated gets the same. */
  published_uploads: {
    /** The id of the resumable upload. */
    upload: string;
    user_id: string;
    /** A JSON object. */
    outcome: string;
    published_at: Time;
  };
  /** Why an uploader was warned; some of them block the account. */
  user_strikes: {
    id: string;
    user_id: string;
    reason: string;
    given_by: string | null;
    given_at: Time;
    /** From then on it does not count. */
    ends_at: Time;
    withdrawn_at: Time | null;
  };
  /** Versions of what uploaders agree to, from 1; none is ever changed or deleted. */
  upload_terms: {
    version: number;
    text: string;
    created_at: Time;
    created_by: string | null;
  };
  /** One row. */
  upload_terms_state: {
    id: 1;
    /** Null while nobody is asked to accept them. */
    required_since: Time | null;
  };
  /** Who has accepted which version for a video. */
  accepted_terms: {
    id: Generated<number>;
    video_id: string;
    /** `file`: for another file of the video. */
    subject: "video" | "file";
    version: number;
    user_id: string | null;
    accepted_at: Time;
    /** When the video was found to be deleted for good. */
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

/** What moderators have decided about a video, for who uploaded it. */
export interface UploaderDecisionsTable {
  id: Generated<number>;
  user_id: string;
  report_id: string;
  /** It may be gone. */
  video_id: string;
  decision: "hide" | "keep" | "remove" | "counter-notice" | "restore";
  decided_at: Time;
  /** The title of the video and the reason, encrypted. */
  payload: string;
}
