import type { Migration } from "../migrate.server";

/** Passkeys of accounts (https://www.w3.org/TR/webauthn-3/), and the challenges that are spent. */
export const migration: Migration = {
  name: "0212-passkeys",
  sql: /* sql */ `
    CREATE TABLE passkeys (
      -- The credential's id, base64url.
      id           TEXT PRIMARY KEY NOT NULL,
      user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      -- The host name that it was made for; it works at no other.
      rp_id        TEXT NOT NULL,
      name         TEXT NOT NULL,
      -- COSE_Key
      public_key   BLOB NOT NULL,
      counter      INTEGER NOT NULL,
      -- 1 where its maker copies it between devices.
      synced       INTEGER NOT NULL,
      created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      last_used_at TEXT
    ) WITHOUT ROWID;
    CREATE INDEX passkeys_by_user ON passkeys (user_id);

    -- SHA-256 of each challenge that a passkey has answered, until it would have ended anyway.
    CREATE TABLE spent_challenges (
      hash       TEXT PRIMARY KEY NOT NULL,
      expires_at TEXT NOT NULL
    ) WITHOUT ROWID;
  `,
};
