import type { Migration } from "../migrate.server";

const INDEXES = ["published_text", "published_grams", "managed_text"];

/** https://sqlite.org/fts5.html#the_automerge_configuration_option and the one after it. */
const configure = (index: string) => /* sql */ `
  INSERT INTO ${index} (${index}, rank) VALUES ('automerge', 16);
  INSERT INTO ${index} (${index}, rank) VALUES ('crisismerge', 64);`;

export const migration: Migration = {
  name: "0120-search-merges",
  sql: /* sql */ `
    -- A search index merges its parts now and then, in the middle of whatever insert is next. With
    -- the default, four parts are enough for that, and on a million videos some inserts took 30 ms;
    -- with sixteen, merges are rarer and small, and searching takes the same.
    ${INDEXES.map(configure).join("")}
  `,
};
