import type { Migration } from "../migrate.server";

/** Tokens of the HTTP API, and its answers that may be asked for again. */
export const migration: Migration = {
  name: "0213-api",
  sql: /* sql */ `
    CREATE TABLE api_tokens (
      id           INTEGER PRIMARY KEY,
      -- SHA-256 of the token, so that a stolen database opens nothing.
      token_hash   TEXT NOT NULL UNIQUE,
      user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name         TEXT NOT NULL,
      -- A JSON list of scopes.
      scopes       TEXT NOT NULL,
      created_at   TEXT NOT NULL,
      expires_at   TEXT NOT NULL,
      last_used_at TEXT
    );
    CREATE INDEX api_tokens_by_user ON api_tokens (user_id, id);

    -- What a request with an Idempotency-Key was answered, for a day.
    CREATE TABLE api_answers (
      token_id   INTEGER NOT NULL REFERENCES api_tokens (id) ON DELETE CASCADE,
      key        TEXT NOT NULL,
      -- SHA-256 of method, address and body.
      request    TEXT NOT NULL,
      status     INTEGER NOT NULL,
      headers    TEXT NOT NULL,
      body       TEXT NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (token_id, key)
    ) WITHOUT ROWID;
    CREATE INDEX api_answers_by_age ON api_answers (created_at);
  `,
};
