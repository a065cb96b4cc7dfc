import type { Migration } from "../migrate.server";

/**
 * Roles of users, and the links that invite them. Whoever has an account today, or is entered by
 * another program that knows no roles, is an owner.
 */
export const migration: Migration = {
  name: "0210-roles",
  sql: /* sql */ `
    ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'owner'
      CHECK (role IN ('owner', 'editor', 'uploader'));
    -- Of an uploader: whether what they upload may be published by them.
    ALTER TABLE users ADD COLUMN may_publish INTEGER NOT NULL DEFAULT 0
      CHECK (may_publish IN (0, 1));
    ALTER TABLE users ADD COLUMN deactivated_at TEXT;

    CREATE TABLE invitations (
      -- SHA-256 of the token in the link, so that a stolen database makes no account.
      token_hash  TEXT PRIMARY KEY NOT NULL,
      email       TEXT NOT NULL COLLATE NOCASE,
      role        TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'uploader')),
      may_publish INTEGER NOT NULL DEFAULT 0 CHECK (may_publish IN (0, 1)),
      created_at  TEXT NOT NULL,
      expires_at  TEXT NOT NULL,
      used_at     TEXT
    ) WITHOUT ROWID;

    -- An uploader's own list, the newest first. What other programs enter has often no uploader.
    CREATE INDEX videos_by_uploader ON videos (uploaded_by, sort_key, status, category)
      WHERE uploaded_by IS NOT NULL;
    ALTER TABLE deleted_videos ADD COLUMN uploaded_by TEXT GENERATED ALWAYS AS
      (CASE WHEN json_valid("row") THEN json_extract("row", '$.uploaded_by') END) VIRTUAL;
    CREATE INDEX deleted_videos_by_uploader
      ON deleted_videos (uploaded_by, deleted_at, id, title, bytes, deleted_by)
      WHERE uploaded_by IS NOT NULL;
  `,
};
