import fs from "node:fs";
import { applyCategoryNames } from "~/catalogue/lists/category-names.server";
import { relatedIsComplete } from "~/catalogue/video.server";
import { changeStockServer } from "~/server/node/stock-server.server";
import { readAlone } from "~/server/reader/reading-alone.server";
import { SettingsError, settings } from "~/server/settings.server";
import { routeLabel } from "~/studio/monitoring/route-labels";
import { obeyCountryRules } from "~/trust/place/obey-country-rules.server";
import { closeDatabase, database } from "~db/client.server";
import { followCopy } from "~db/follow-copy.server";

/**
 * The start of a reader: of all that a site begins, what answers visitors. No migration, no account, no job,
 * and no folder is made; the database is a copy that is opened for reading.
 *
 * @throws what `boot()` prints as one sentence.
 */
export function bootReader(): void {
  const { uploadsDir } = settings();
  try {
    fs.readdirSync(uploadsDir);
  } catch {
    throw new SettingsError(
      `UPLOADS_DIR cannot be read (${uploadsDir}); mount the folder of the site that writes there, read-only.`,
    );
  }
  database();
  applyCategoryNames();
  changeStockServer(routeLabel, [], [readAlone, obeyCountryRules]);
  followCopy(applyCategoryNames);
  relatedIsComplete().catch(console.error);
  process.once("exit", closeDatabase);
}
