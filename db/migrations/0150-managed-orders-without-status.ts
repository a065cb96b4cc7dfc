import type { Migration } from "../migrate.server";

const ORDERS = [
  { name: "age", key: "created_at" },
  { name: "views", key: "views" },
  { name: "title", key: "title COLLATE NOCASE" },
  { name: "length", key: "seconds" },
  { name: "size", key: "bytes" },
];

export const migration: Migration = {
  name: "0150-managed-orders-without-status",
  sql: /* sql */ `
    -- Hiding or publishing a video touched each order of the admin list. What is not public has its
    -- own indexes, and most of the rest is: the status is read from the few rows of a page instead.    ${ORDERS.map(
      ({ name, key }) => /* sql */ `
    DROP INDEX videos_managed_by_${name};
    CREATE INDEX videos_managed_by_${name} ON videos (${key}, id, shelf);`,
    ).join("")}
    DROP INDEX videos_managed_by_state;
    CREATE INDEX videos_by_shelf ON videos (shelf);
  `,
};
