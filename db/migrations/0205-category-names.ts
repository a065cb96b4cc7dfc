import type { Migration } from "../migrate.server";

/** What an admin calls the categories, and in which order; empty for what the code has. */
export const migration: Migration = {
  name: "0205-category-names",
  sql: /* sql */ `
    CREATE TABLE category_names (
      id       TEXT PRIMARY KEY NOT NULL,
      label    TEXT NOT NULL,
      position INTEGER NOT NULL
    ) WITHOUT ROWID;
  `,
};
