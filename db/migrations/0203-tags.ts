import type { Migration } from "../migrate.server";

/**
 * Other names of tags, and what was changed about tags, so that it can be undone and is finished after
 * a restart.
 */
export const migration: Migration = {
  name: "0203-tags",
  sql: /* sql */ `
    -- Both folded as searches fold texts; tag_aliases has no chains: no alias is the tag of another.
    CREATE TABLE tag_aliases (
      alias TEXT PRIMARY KEY NOT NULL,
      tag   TEXT NOT NULL CHECK (tag <> alias),
      label TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX tag_aliases_by_tag ON tag_aliases (tag);

    -- A change of one or more tags in all videos: to another, or away.
    CREATE TABLE tag_changes (
      id         INTEGER PRIMARY KEY,
      -- The folded tags, a JSON list, and how they are written in a sentence.
      tags       TEXT NOT NULL CHECK (json_valid(tags)),
      names      TEXT NOT NULL,
      -- What they become; null for nothing.
      target     TEXT,
      -- The aliases before, a JSON object of rows, to be brought back.
      aliases    TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(aliases)),
      state      TEXT NOT NULL DEFAULT 'running'
                   CHECK (state IN ('running', 'done', 'undoing', 'undone')),
      user_id    TEXT,
      created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    );
    CREATE TABLE tag_change_videos (
      change_id INTEGER NOT NULL REFERENCES tag_changes (id) ON DELETE CASCADE,
      video_id  TEXT NOT NULL,
      before    TEXT NOT NULL,
      after     TEXT,
      PRIMARY KEY (change_id, video_id)
    ) WITHOUT ROWID;
  `,
};
