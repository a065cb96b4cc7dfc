import type { Migration } from "../migrate.server";

export const migration: Migration = {
  name: "0001-videos-users-sessions",
  sql: /* sql */ `
    CREATE TABLE videos (
      id            TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
      title         TEXT NOT NULL,
      description   TEXT NOT NULL DEFAULT '',
      category      TEXT NOT NULL CHECK (category IN (
                      'desi', 'blacked', 'english', 'pornstar', 'premium',
                      'amateur', 'professional', 'couples', 'solo', 'featured')),
      tags          TEXT CHECK (tags IS NULL OR (json_valid(tags) AND json_type(tags) = 'array')),
      duration      TEXT NOT NULL DEFAULT '0:00',
      video_url     TEXT NOT NULL DEFAULT '',
      thumbnail_url TEXT,
      uploaded_by   TEXT,
      status        TEXT NOT NULL DEFAULT 'published'
                      CHECK (status IN ('published', 'hidden', 'review')),
      views         INTEGER NOT NULL DEFAULT 0 CHECK (views >= 0),
      created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      updated_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    );

    -- Home: published, newest first.
    CREATE INDEX videos_by_age ON videos (created_at DESC, id) WHERE status = 'published';
    -- A category: the same within it.
    CREATE INDEX videos_by_category ON videos (category, created_at DESC, id)
      WHERE status = 'published';
    -- Trending: most viewed, ties to the newer.
    CREATE INDEX videos_by_views ON videos (views DESC, created_at DESC, id)
      WHERE status = 'published' AND views > 0;
    -- Admin list: all, newest first.
    CREATE INDEX videos_all_by_age ON videos (created_at DESC, id);
    -- Who may see a file: the row that a media path belongs to.
    CREATE INDEX videos_by_video_url ON videos (video_url);
    CREATE INDEX videos_by_thumbnail_url ON videos (thumbnail_url);

    CREATE TABLE users (
      id            TEXT PRIMARY KEY NOT NULL DEFAULT (lower(hex(randomblob(16)))),
      email         TEXT NOT NULL UNIQUE COLLATE NOCASE,
      password_hash TEXT NOT NULL,
      created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    );

    CREATE TABLE sessions (
      id_hash      TEXT PRIMARY KEY NOT NULL,
      user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      last_used_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      expires_at   TEXT NOT NULL
    );
    CREATE INDEX sessions_by_user ON sessions (user_id);
    CREATE INDEX sessions_by_expiry ON sessions (expires_at);

    -- How often the catalogue and the view counts have changed. Whoever writes to the table, this
    -- process, a script or the sqlite3 shell, the triggers count it, and readers see that it moved.
    CREATE TABLE catalogue_changes (
      id        INTEGER PRIMARY KEY CHECK (id = 1),
      catalogue INTEGER NOT NULL DEFAULT 0,
      views     INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO catalogue_changes (id) VALUES (1);

    CREATE TRIGGER videos_changed_by_insert AFTER INSERT ON videos BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;
    CREATE TRIGGER videos_changed_by_delete AFTER DELETE ON videos BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;
    CREATE TRIGGER videos_changed_by_update AFTER UPDATE OF
      id, title, description, category, tags, duration, video_url, thumbnail_url, uploaded_by,
      status, created_at, updated_at ON videos BEGIN
      UPDATE catalogue_changes SET catalogue = catalogue + 1;
    END;
    CREATE TRIGGER videos_views_changed AFTER UPDATE OF views ON videos BEGIN
      UPDATE catalogue_changes SET views = views + 1;
    END;
  `,
};
