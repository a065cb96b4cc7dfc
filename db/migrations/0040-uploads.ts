import type { Migration } from "../migrate.server";

export const migration: Migration = {
  name: "0040-uploads",
  sql: /* sql */ `
    -- SHA-256 of the bytes that were uploaded, so that the same file is recognised when it comes
    -- again. No foreign key: a deleted video may be brought back, and is then known again.
    CREATE TABLE video_digests (
      video_id TEXT PRIMARY KEY NOT NULL,
      sha256   TEXT NOT NULL CHECK (length(sha256) = 64)
    ) WITHOUT ROWID;
    CREATE INDEX video_digests_by_sha256 ON video_digests (sha256);
  `,
};
