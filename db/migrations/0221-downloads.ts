import type { Migration } from "../migrate.server";

/** Videos that the site fetches from an address. */
export const migration: Migration = {
  name: "0221-downloads",
  sql: /* sql */ `
    CREATE TABLE downloads (
      id          INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      address     TEXT NOT NULL,
      -- {title, description, category, tags}
      texts       TEXT NOT NULL CHECK (json_valid(texts)),
      -- What the video becomes.
      status      TEXT NOT NULL CHECK (status IN ('published', 'review')),
      state       TEXT NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
      -- Why it failed.
      reason      TEXT,
      video_id    TEXT,
      created_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    );
    CREATE INDEX downloads_unfinished ON downloads (id) WHERE state IN ('waiting', 'running');
  `,
};
