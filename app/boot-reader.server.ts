import fs from "node:fs";
import { obeyCountryRules } from "~/features/age/obey-country-rules.server";
import { applyCategoryNames } from "~/features/catalogue/category-names.server";
import { routeOf } from "~/features/permissions/route-of";
import { isRelatedIndexComplete } from "~/features/watch/video.server";
import { requireStoreSetting } from "~/media/storage/store-identity.server";
import { limitMedia } from "~/platform/node/media-requests.server";
import { limitRendering } from "~/platform/node/rendering-budget.server";
import { changeStockServer } from "~/platform/node/stock-server.server";
import { serveReadOnly } from "~/platform/reader/read-replica.server";
import { SettingsError, settings } from "~/platform/settings.server";
import { closeDatabase, database } from "~db/client.server";
import { followCopy } from "~db/follow-copy.server";

/**
 * The start of a reader: of all that a site begins, what answers visitors. No migration, no account, no job,
 * and no folder is made; the database is a copy that is opened for reading. An error ends the process with
 * one sentence.
 */
export function startReader(): void {
  requireUploads();
  database();
  requireStoreSetting();
  applyCategoryNames();
  // Nobody is signed in to a reader.
  changeStockServer(
    routeOf,
    [limitMedia(() => false), limitRendering(() => false)],
    [serveReadOnly, obeyCountryRules],
  );
  followCopy(applyCategoryNames);
  void isRelatedIndexComplete().catch(console.error);
  process.once("exit", closeDatabase);
}

function requireUploads(): void {
  const { uploadsDir, storage } = settings();
  try {
    // With a file store, the folder stays empty.
    if (storage) fs.mkdirSync(uploadsDir, { recursive: true });
    fs.readdirSync(uploadsDir);
  } catch {
    throw new SettingsError(
      `UPLOADS_DIR cannot be read (${uploadsDir}); mount the folder of the site that writes there, read-only.`,
    );
  }
}
