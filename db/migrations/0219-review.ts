import type { Migration } from "../migrate.server";

/** Drafts are ready or not, have notes, and links with which anybody sees one of them. */
export const migration: Migration = {
  name: "0219-review",
  sql: /* sql */ `
    -- Since when a draft waits for an editor; null while it waits for who uploaded it.
    ALTER TABLE videos ADD COLUMN ready_at TEXT;

    CREATE TABLE review_notes (
      id         INTEGER PRIMARY KEY,
      video_id   TEXT NOT NULL,
      user_id    TEXT,
      text       TEXT NOT NULL,
      created_at TEXT NOT NULL
    );
    CREATE INDEX review_notes_by_video ON review_notes (video_id, id);

    CREATE TABLE preview_links (
      -- SHA-256 of the token in the link, so that a stolen database shows no draft.
      token_hash     TEXT PRIMARY KEY NOT NULL,
      video_id       TEXT NOT NULL,
      made_by        TEXT,
      created_at     TEXT NOT NULL,
      views          INTEGER NOT NULL DEFAULT 0,
      last_viewed_at TEXT
    ) WITHOUT ROWID;
    CREATE INDEX preview_links_by_video ON preview_links (video_id);
  `,
};
