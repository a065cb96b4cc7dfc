import { listPages } from "~/catalogue/list-pages.server";
import { relatedHits } from "~/catalogue/related-hits.server";
import { searchHits } from "~/catalogue/search-hits.server";
import { managedHits, managedIds } from "~/studio/list/managed-search.server";
import { serveThread } from "~db/threads/serve-thread.server";

/** The entry of the threads that read the database; vite.config.ts makes a file of it. */
serveThread({
  list: listPages,
  search: searchHits,
  related: relatedHits,
  managed: managedHits,
  "managed-ids": managedIds,
});
