import { setImmediate } from "node:timers/promises";
import { totalOf } from "~/features/library/list/managed-list.server";
import { correctHeld } from "~/features/visibility/holds.server";
import { removalsPausedBy } from "~/media/removal-guard.server";
import { ensureProjected } from "~db/changes.server";
import { database, projector, sqliteHandle, transaction } from "~db/client.server";
import { checkLibrary } from "./check-library.server";

/**
 * Derived data follow every change of a row, but the database file may have been repaired or rebuilt by
 * other tools, and files may have been added or removed while the site was down. Checked at start.
 */

const SAMPLES = 20;
const SAMPLE_LENGTH = 40;
const SMALL_LIBRARY_VIDEOS = 5_000;

/** Rebuilds all derived data when totals or search disagree with the rows; returns whether it did. */
export async function correctDerivedData(): Promise<boolean> {
  await ensureProjected();
  // While an import is still being projected, they may differ.
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
    const start = [...title].slice(0, SAMPLE_LENGTH).join("");
    return finds.get(`"${start.replaceAll('"', '""')}"`, key) !== undefined;
  });
}

/**
 * Walks the buckets once for a database that has never been compared with them, and at each start
 * while the library is small enough to do it quickly: files may have been added or removed while the
 * site was down. A large one is compared by `npm run check-library`.
 *
 * @returns whether it did.
 */
export async function correctStorage(): Promise<boolean> {
  const { checked_at } = await database()
    .selectFrom("storage")
    .select("checked_at")
    .executeTakeFirstOrThrow();
  const videos = await totalOf({});
  if (checked_at !== null && videos > SMALL_LIBRARY_VIDEOS) return false;
  // Files of another site are not recorded as files of this one.
  if ((await removalsPausedBy()) === "other-database") return false;
  await checkLibrary({ wantsMissing: false });
  return true;
}

/** Corrects all of it in the background; errors are logged and stop nothing. */
export function checkIntegrity(): void {
  correctDerivedData().catch((error) =>
    console.error("The derived data could not be checked:", error),
  );
  transaction(() => correctHeld()).catch((error) =>
    console.error("The holds could not be checked:", error),
  );
  correctStorage().catch((error) => console.error("The storage could not be checked:", error));
}
