import type { Migration } from "../migrate.server";

export const migration: Migration = {
  name: "0020-accounts",
  sql: /* sql */ `
    -- What an admin recognises a session by, such as 'Firefox on Linux'.
    ALTER TABLE sessions ADD COLUMN device TEXT NOT NULL DEFAULT '';

    -- The second factor: the secret encrypted, and the last time step whose code was taken (RFC 6238
    -- section 5.2: a code is good once).
    ALTER TABLE users ADD COLUMN totp_secret TEXT;
    ALTER TABLE users ADD COLUMN totp_enabled_at TEXT;
    ALTER TABLE users ADD COLUMN totp_last_step INTEGER;

    CREATE TABLE recovery_codes (
      user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      code_hash TEXT NOT NULL,
      PRIMARY KEY (user_id, code_hash)
    ) WITHOUT ROWID;

    -- What admins did, newest last. Nothing about visitors ever stands here. What somebody did
    -- outlives the account and the video, so neither is a foreign key.
    CREATE TABLE activities (
      id         INTEGER PRIMARY KEY,
      user_id    TEXT,
      action     TEXT NOT NULL,
      subject_id TEXT,
      detail     TEXT NOT NULL DEFAULT '',
      created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    );
  `,
};
