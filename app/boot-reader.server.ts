import fs from "node:fs";
import { obeyCountryRules } from "~/features/age/obey-country-rules.server";
import { applyCategoryNames } from "~/features/catalogue/category-names.server";
import { routeOf } from "~/features/permissions/route-of";
import { isRelatedIndexComplete } from "~/features/watch/video.server";
import { requireStoreSetting } from "~/media/storage/store-identity.server";
import { limitMedia } from "~/platform/node/media-requests.server";
import { limitRendering } from "~/platform/node/rendering-budget.server";
import { configureStockServer } from "~/platform/node/stock-server.server";
import { serveReadOnly } from "~/platform/reader/read-replica.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { closeDatabase, database } from "~db/client.server";
import { followReplica } from "~db/follow-replica.server";

/**
 * Starts a reader, which runs only the parts of the site that serve visitors. It doesn't run migrations or jobs,
 * doesn't create accounts or folders, and opens its replica of the database read-only. If an error occurs, the process
 * exits with a message.
 */
export function startReader(): void {
  requireUploads();
  database();
  requireStoreSetting();
  applyCategoryNames();
  // Nobody can sign in on a reader.
  configureStockServer(
    routeOf,
    [limitMedia(() => false), limitRendering(() => false)],
    [serveReadOnly, obeyCountryRules],
  );
  followReplica(applyCategoryNames);
  void isRelatedIndexComplete().catch(console.error);
  process.once("exit", closeDatabase);
}

function requireUploads(): void {
  const { uploadsDir, storage } = settings();
  try {
    // With an object store, the folder is created but stays empty.
    if (storage) fs.mkdirSync(uploadsDir, { recursive: true });
    fs.readdirSync(uploadsDir);
  } catch {
    throw new SettingsError(
      `UPLOADS_DIR can't be read (${uploadsDir}). Mount the primary site's uploads folder there, read-only.`,
    );
  }
}
