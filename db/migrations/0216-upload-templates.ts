import type { Migration } from "../migrate.server";

/** Texts that a user begins uploads with. */
export const migration: Migration = {
  name: "0216-upload-templates",
  sql: /* sql */ `
    CREATE TABLE upload_templates (
      id          INTEGER PRIMARY KEY AUTOINCREMENT,
      user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name        TEXT NOT NULL,
      description TEXT NOT NULL DEFAULT '',
      category    TEXT NOT NULL DEFAULT '',
      -- As it is typed, separated by commas.
      tags        TEXT NOT NULL DEFAULT '',
      -- Of one of a user's at most: what the form begins with by itself.
      is_default  INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
      -- Of one that can be restored.
      deleted_at  TEXT
    );
    CREATE INDEX upload_templates_by_user ON upload_templates (user_id, name COLLATE NOCASE);
  `,
};
