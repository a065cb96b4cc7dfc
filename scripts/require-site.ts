import fs from "node:fs";
import { requireStoreSetting } from "~/media/storage/store-identity.server";
import { settings } from "~/platform/settings.server";
import { UsageError } from "./ask";

/**
 * For commands that only make sense for an existing site: with a wrong DATABASE_PATH they would create an
 * empty database and report that all is well.
 *
 * @throws {UsageError} if there is no database, {SettingsError} if its files are in a store that isn't set.
 */
export function requireSite(): void {
  const { databasePath } = settings();
  if (!fs.existsSync(databasePath))
    throw new UsageError(`There is no database at ${databasePath}. Check DATABASE_PATH.`);
  requireStoreSetting();
}
