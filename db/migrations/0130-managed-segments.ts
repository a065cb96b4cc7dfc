import type { Migration } from "../migrate.server";

/** The orders of the admin list: what they sort by, and what stands before every video. */
const ORDERS = [
  { name: "age", key: "created_at", first: "''", type: "TEXT" },
  { name: "views", key: "views", first: "-1", type: "INTEGER" },
  { name: "title", key: "title", first: "''", type: "TEXT COLLATE NOCASE" },
  { name: "length", key: "seconds", first: "-9223372036854775808", type: "INTEGER" },
  { name: "size", key: "bytes", first: "-9223372036854775808", type: "INTEGER" },
];
const SEGMENT_VIDEOS = 1_024;

/** Adds to the count of the segment that a row of `videos` lies in. */
const count = (name: string, key: string, by: 1 | -1, row: string) => /* sql */ `
  INSERT INTO managed_by_${name} (key, id, status, shelf, videos)
    SELECT key, id, ${row}.status, ${row}.shelf, ${by} FROM (
      SELECT key, id FROM managed_by_${name} WHERE (key, id) <= (${row}.${key}, ${row}.id)
      ORDER BY key DESC, id DESC LIMIT 1) WHERE TRUE
    ON CONFLICT DO UPDATE SET videos = videos + ${by};`;

const segments = ({ name, key, first, type }: (typeof ORDERS)[number]) => /* sql */ `
  CREATE TABLE managed_by_${name} (
    key    ${type} NOT NULL,
    id     TEXT NOT NULL,
    status TEXT NOT NULL,
    shelf  TEXT NOT NULL,
    videos INTEGER NOT NULL,
    PRIMARY KEY (key, id, status, shelf)
  ) WITHOUT ROWID;
  WITH numbered AS (
    SELECT ${key} AS key, id, status, shelf,
      (row_number() OVER (ORDER BY ${name === "title" ? "title COLLATE NOCASE" : key}, id) - 1)
        / ${SEGMENT_VIDEOS} AS segment
    FROM videos),
  starts AS (
    SELECT DISTINCT segment, first_value(key) OVER w AS key, first_value(id) OVER w AS id
    FROM numbered
    WINDOW w AS (PARTITION BY segment
      ORDER BY ${name === "title" ? "key COLLATE NOCASE" : "key"}, id))
  INSERT INTO managed_by_${name} (key, id, status, shelf, videos)
    SELECT CASE segment WHEN 0 THEN ${first} ELSE starts.key END,
      CASE segment WHEN 0 THEN '' ELSE starts.id END, status, shelf, count(*)
    FROM numbered JOIN starts USING (segment) GROUP BY segment, status, shelf;
  -- The first segment is there even when nothing is in it.
  INSERT INTO managed_by_${name} (key, id, status, shelf, videos) VALUES (${first}, '', '', '', 0);

  CREATE TRIGGER managed_by_${name}_replaced AFTER INSERT ON videos
    WHEN EXISTS (SELECT 1 FROM replaced_videos WHERE id = NEW.id) BEGIN
    INSERT INTO managed_by_${name} (key, id, status, shelf, videos)
      SELECT segment.key, segment.id, replaced.status, replaced.shelf, -1
      FROM replaced_videos AS replaced, managed_by_${name} AS segment
      WHERE replaced.id = NEW.id
        AND (segment.key, segment.id) <= (replaced.${key}, replaced.id)
      ORDER BY segment.key DESC, segment.id DESC LIMIT 1
      ON CONFLICT DO UPDATE SET videos = videos - 1;
  END;
  CREATE TRIGGER managed_by_${name}_inserted AFTER INSERT ON videos BEGIN
    ${count(name, key, 1, "NEW")}
  END;
  CREATE TRIGGER managed_by_${name}_deleted AFTER DELETE ON videos BEGIN
    ${count(name, key, -1, "OLD")}
  END;
  CREATE TRIGGER managed_by_${name}_updated
    AFTER UPDATE OF ${key === "seconds" ? "duration" : key}, id, status, category ON videos
    WHEN OLD.${key} IS NOT NEW.${key} OR OLD.id <> NEW.id
      OR OLD.status <> NEW.status OR OLD.shelf <> NEW.shelf BEGIN
    ${count(name, key, -1, "OLD")}
    ${count(name, key, 1, "NEW")}
  END;`;

export const migration: Migration = {
  name: "0130-managed-segments",
  sql: /* sql */ `
    -- Each order of the admin list in segments of about a thousand videos: where one begins, and how
    -- many videos of each status and category are in it. With them a page in the middle of a million
    -- is found by adding up, not by walking there. The site splits the segments that have grown.
    ${ORDERS.map(segments).join("\n")}

    -- The few videos that are not public, in each order: a page of them would else be looked for
    -- among all the others.
    CREATE INDEX videos_unpublished_by_age ON videos (created_at, id, status, shelf)
      WHERE status <> 'published';
    CREATE INDEX videos_unpublished_by_views ON videos (views, id, status, shelf)
      WHERE status <> 'published';
    CREATE INDEX videos_unpublished_by_title ON videos (title COLLATE NOCASE, id, status, shelf)
      WHERE status <> 'published';
    CREATE INDEX videos_unpublished_by_length ON videos (seconds, id, status, shelf)
      WHERE status <> 'published';
    CREATE INDEX videos_unpublished_by_size ON videos (bytes, id, status, shelf)
      WHERE status <> 'published';
  `,
};
