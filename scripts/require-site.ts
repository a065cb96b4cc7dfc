import fs from "node:fs";
import { requireStoreSetting } from "~/media/storage/store-identity.server";
import { settings } from "~/platform/settings.server";
import { UsageError } from "./prompt";

/**
 * Checks that the site exists. With a wrong DATABASE_PATH, a command would otherwise create an empty database and
 * report success.
 *
 * @throws {UsageError} if there is no database, {SettingsError} if its files are in a store that isn't configured.
 */
export function requireSite(): void {
  const { databasePath } = settings();
  if (!fs.existsSync(databasePath))
    throw new UsageError(`There is no database at ${databasePath}. Check DATABASE_PATH.`);
  requireStoreSetting();
}
