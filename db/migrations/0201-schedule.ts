import type { Migration } from "../migrate.server";

/** ISO 8601 UTC: what is compared as text must be written in one way. */
const isTime = (column: string) =>
  `CHECK (${column} IS NULL OR (${column} GLOB '????-??-??T??:??:??*Z' AND julianday(${column}) NOT NULL))`;

/** When a video is published or hidden by itself. */
export const migration: Migration = {
  name: "0201-schedule",
  sql: /* sql */ `
    ALTER TABLE videos ADD COLUMN publish_at TEXT ${isTime("publish_at")};
    ALTER TABLE videos ADD COLUMN unpublish_at TEXT ${isTime("unpublish_at")};
    CREATE INDEX videos_by_publish_at ON videos (publish_at) WHERE publish_at IS NOT NULL;
    CREATE INDEX videos_by_unpublish_at ON videos (unpublish_at) WHERE unpublish_at IS NOT NULL;
  `,
};
