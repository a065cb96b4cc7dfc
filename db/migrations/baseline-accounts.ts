/** Users, their credentials and sessions, their activities, and their templates and views. */
export const accounts = /* sql */ `
  CREATE TABLE users (
    id              TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
    email           TEXT NOT NULL UNIQUE COLLATE NOCASE,
    password_hash   TEXT NOT NULL,
    created_at      TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- The second factor: its encrypted secret, and the last time step with an accepted code
    -- (RFC 6238 section 5.2: a code is valid once).
    totp_secret     TEXT,
    totp_enabled_at TEXT,
    totp_last_step  INTEGER,
    -- A user inserted by a tool that doesn't know roles is an owner.
    role            TEXT NOT NULL DEFAULT 'owner',
    -- Whether an uploader may publish their own videos.
    may_publish     INTEGER NOT NULL DEFAULT 0 CHECK (may_publish IN (0, 1)),
    deactivated_at  TEXT,
    -- When the account was last deactivated or blocked. Work requested before then is dropped.
    access_ended_at TEXT,
    -- The uploader's own limits: null uses the setting, 0 means no limit.
    max_bytes          INTEGER CHECK (max_bytes >= 0),
    max_videos_per_day INTEGER CHECK (max_videos_per_day >= 0),
    max_queued_jobs    INTEGER CHECK (max_queued_jobs >= 0)
  );

  CREATE TABLE invitations (
    -- SHA-256 of the token in the link, so that a stolen database can't create accounts.
    token_hash  TEXT PRIMARY KEY NOT NULL,
    email       TEXT NOT NULL COLLATE NOCASE,
    role        TEXT NOT NULL,
    may_publish INTEGER NOT NULL DEFAULT 0 CHECK (may_publish IN (0, 1)),
    -- The id of the owner who sent the invitation, which is void if that owner can no longer invite anyone.
    invited_by  TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    expires_at  TEXT NOT NULL,
    used_at     TEXT
  ) WITHOUT ROWID;

  -- SHA-256 of each recovery code. Used codes are removed.
  CREATE TABLE recovery_codes (
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (user_id, code_hash)
  ) WITHOUT ROWID;

  -- Passkeys (https://www.w3.org/TR/webauthn-3/).
  CREATE TABLE passkeys (
    -- The credential id, base64url.
    id           TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- The host name for which the passkey was created. It works only there.
    rp_id        TEXT NOT NULL,
    name         TEXT NOT NULL,
    -- COSE_Key
    public_key   BLOB NOT NULL,
    counter      INTEGER NOT NULL,
    -- 1 if the passkey's provider syncs it between devices.
    synced       INTEGER NOT NULL,
    created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    last_used_at TEXT
  ) WITHOUT ROWID;
  CREATE INDEX passkeys_by_user ON passkeys (user_id);

  -- SHA-256 of each used challenge, until it expires.
  CREATE TABLE spent_challenges (
    hash       TEXT PRIMARY KEY NOT NULL,
    expires_at TEXT NOT NULL
  ) WITHOUT ROWID;

  -- The cookie contains the id, and the table contains its SHA-256, so that a stolen database doesn't reveal sessions.
  CREATE TABLE sessions (
    id_hash      TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    last_used_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    expires_at   TEXT NOT NULL,
    -- Helps users recognize a session, such as 'Firefox on Linux'.
    device       TEXT NOT NULL DEFAULT ''
  );
  CREATE INDEX sessions_by_user ON sessions (user_id);
  CREATE INDEX sessions_by_expiry ON sessions (expires_at);

  -- Browsers in which an account has signed in, at most ten per account. A signed cookie contains the id.
  CREATE TABLE devices (
    id      TEXT PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- When the account last signed in with that browser.
    used_at TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX devices_by_user ON devices (user_id, used_at);
  CREATE INDEX devices_by_use ON devices (used_at);

  CREATE TABLE api_tokens (
    id           INTEGER PRIMARY KEY,
    -- SHA-256 of the token, so that a stolen database doesn't give access.
    token_hash   TEXT NOT NULL UNIQUE,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    -- A JSON list.
    scopes       TEXT NOT NULL,
    created_at   TEXT NOT NULL,
    expires_at   TEXT NOT NULL,
    last_used_at TEXT
  );
  CREATE INDEX api_tokens_by_user ON api_tokens (user_id, id);

  -- The responses to API requests with an Idempotency-Key, for a day.
  CREATE TABLE api_answers (
    token_id   INTEGER NOT NULL REFERENCES api_tokens (id) ON DELETE CASCADE,
    key        TEXT NOT NULL,
    -- SHA-256 of method, path and body.
    request    TEXT NOT NULL,
    status     INTEGER NOT NULL,
    headers    TEXT NOT NULL,
    body       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (token_id, key)
  ) WITHOUT ROWID;
  CREATE INDEX api_answers_by_age ON api_answers (created_at);

  -- The outcomes of published uploads, for a week: a repeated request gets the same outcome.
  CREATE TABLE published_uploads (
    upload       TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- A JSON object.
    outcome      TEXT NOT NULL,
    published_at TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX published_uploads_by_user ON published_uploads (user_id);
  CREATE INDEX published_uploads_by_age ON published_uploads (published_at);

  -- Actions of users, never of visitors. An entry outlives its user and video, so there are no foreign keys.
  CREATE TABLE activities (
    id         INTEGER PRIMARY KEY,
    user_id    TEXT,
    action     TEXT NOT NULL,
    subject_id TEXT,
    detail     TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  );
  -- Recent uploads of each user, for the upload limits.
  CREATE INDEX activities_of_uploads ON activities (user_id, created_at)
    WHERE action IN ('publish', 'draft', 'file-send');

  CREATE TABLE upload_templates (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    category    TEXT NOT NULL DEFAULT '',
    -- As entered, comma-separated.
    tags        TEXT NOT NULL DEFAULT '',
    -- 1 for the template that the upload form starts from; at most one per user.
    is_default  INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
    -- Set while the template can be restored.
    deleted_at  TEXT
  );
  CREATE INDEX upload_templates_deleted ON upload_templates (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE INDEX upload_templates_by_user ON upload_templates (user_id, name COLLATE NOCASE);

  -- Saved views of the studio's video list.
  CREATE TABLE saved_views (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name       TEXT NOT NULL COLLATE NOCASE,
    -- The query parameters, as manageHref() writes them.
    parameters TEXT NOT NULL,
    UNIQUE (user_id, name)
  );
`;
