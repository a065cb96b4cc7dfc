import { setImmediate } from "node:timers/promises";
import { countVideos } from "~/features/library/list/managed-list.server";
import { correctHeld } from "~/features/visibility/holds.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { fold } from "~/shared/fold";
import { ensureProjected } from "~db/changes.server";
import { database, projector, sqliteHandle, transaction } from "~db/client.server";
import { phrase } from "~db/search-index.server";
import { checkLibrary } from "./check-library.server";

/**
 * Checks derived data at startup. Derived data is updated with every row change, but other tools may have repaired or
 * rebuilt the database, and files may have been added or removed while the site was down.
 */

const SAMPLES = 20;
const SAMPLE_LENGTH = 40;
const SMALL_LIBRARY_VIDEOS = 5_000;

/**
 * Rebuilds all derived data if the totals or the search index don't match the rows. Returns whether they were rebuilt.
 */
export async function correctDerivedData(): Promise<boolean> {
  await ensureProjected();
  // The totals may differ from the rows while an import is still being projected.
  if (projector().waiting().last !== null || (totalsAgree() && searchFindsRows())) return false;
  await transaction(() => projector().reset());
  while (projector().waiting().last !== null) {
    await ensureProjected();
    await setImmediate();
  }
  return true;
}

function totalsAgree(): boolean {
  const differing = sqliteHandle().prepare(`
    SELECT status, listed, category, videos, views, bytes FROM video_totals
    EXCEPT SELECT status, listed, category, count(*), sum(views), sum(bytes) FROM videos
      GROUP BY status, listed, category
    UNION ALL SELECT 'sum', 0, '', count(*), 0, 0 FROM videos
      HAVING count(*) <> (SELECT coalesce(sum(videos), 0) FROM video_totals)
    LIMIT 1`);
  return differing.get() === undefined;
}

function searchFindsRows(): boolean {
  const sqlite = sqliteHandle();
  const samples = sqlite
    .prepare<unknown[], { key: string; title: string }>(`
      SELECT CAST(sort_key AS TEXT) AS key, title FROM videos WHERE length(title) >= 3
      ORDER BY videos.sort_key DESC LIMIT ?`)
    .all(SAMPLES);
  const finds = sqlite.prepare(
    "SELECT 1 FROM video_search WHERE video_search MATCH ? AND rowid = CAST(? AS INTEGER)",
  );
  return samples.every(({ key, title }) => {
    const start = [...fold(title)].slice(0, SAMPLE_LENGTH).join("");
    if ([...start].length < 3) return true;
    return finds.get(phrase([start]), key) !== undefined;
  });
}

/**
 * Compares the buckets with the database if that has never been done, and also at every startup if the library is small
 * enough to do so quickly, because files may have been added or removed while the site was down. For large libraries,
 * use `npm run check-library`.
 *
 * @returns whether they were compared.
 */
export async function correctStorage(): Promise<boolean> {
  const { checked_at } = await database()
    .selectFrom("storage")
    .select("checked_at")
    .executeTakeFirstOrThrow();
  const videos = await countVideos({});
  if (checked_at !== null && videos > SMALL_LIBRARY_VIDEOS) return false;
  // Another site's files must not be recorded as this site's files.
  if ((await removalsPausedBy()) === "other-database") return false;
  await checkLibrary({ wantsMissing: false });
  return true;
}

/** Runs all checks in the background. Errors are only logged. */
export function checkIntegrity(): void {
  correctDerivedData().catch((error) => console.error("Could not check the derived data:", error));
  transaction(() => correctHeld()).catch((error) =>
    console.error("Could not check the holds:", error),
  );
  correctStorage().catch((error) => console.error("Could not check the storage:", error));
}
