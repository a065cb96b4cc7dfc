import { database, sqliteHandle } from "~db/client.server";
import { checkLibrary } from "./library.server";
import { ALL_ORDERS } from "./order.server";

/**
 * What triggers keep can come to differ from the rows all the same: REPLACE fires no delete trigger,
 * and a file that was restored from elsewhere may have other rowids. Looked at when the site starts.
 */

const SAMPLES = 20;
const SAMPLE_LETTERS = 40;
const SMALL_LIBRARY_VIDEOS = 5_000;

/** Counts the tallies anew when they differ from the rows; whether they did. */
export function correctTallies(): boolean {
  const sqlite = sqliteHandle();
  const differs = sqlite
    .prepare(`
      SELECT (SELECT count(*) FROM videos) <> coalesce(sum(videos), 0)
          OR (SELECT coalesce(sum(views), 0) FROM videos) <> coalesce(sum(views), 0)
      FROM video_tallies`)
    .pluck()
    .get();
  if (!differs) return false;
  sqlite.transaction(() => {
    sqlite.exec(`
      DELETE FROM video_tallies;
      INSERT INTO video_tallies (status, shelf, videos, views, bytes)
        SELECT status, shelf, count(*), sum(views), sum(bytes) FROM videos GROUP BY status, shelf;`);
  })();
  return true;
}

/** Counts the segments of the list's orders anew when they differ from the rows; whether any did. */
export function correctSegments(): boolean {
  const sqlite = sqliteHandle();
  let corrected = false;
  for (const { segments } of ALL_ORDERS) {
    const differs = sqlite
      .prepare(`SELECT (SELECT count(*) FROM videos) <> sum(videos) FROM ${segments}`)
      .pluck()
      .get();
    if (!differs) continue;
    corrected = true;
    // All into the first; it is split when a page of the middle is asked for.
    sqlite.transaction(() => {
      sqlite.exec(`
        DELETE FROM ${segments} WHERE (key, id) > (
          SELECT key, id FROM ${segments} ORDER BY key, id LIMIT 1);
        UPDATE ${segments} SET videos = 0;
        INSERT INTO ${segments} (key, id, status, shelf, videos)
          SELECT key, id, tally.status, tally.shelf, tally.videos
          FROM (SELECT key, id FROM ${segments} ORDER BY key, id LIMIT 1),
            (SELECT status, shelf, count(*) AS videos FROM videos GROUP BY status, shelf) AS tally
          WHERE TRUE
          ON CONFLICT DO UPDATE SET videos = excluded.videos;`);
    })();
  }
  return corrected;
}

/** Builds the text index of the studio anew when it does not find the rows; whether it had to. */
export function correctTextIndex(): boolean {
  const sqlite = sqliteHandle();
  const samples = sqlite
    .prepare(`
      SELECT rowid AS number, title FROM videos WHERE length(title) >= 3
      ORDER BY created_at DESC LIMIT ?`)
    .all(SAMPLES) as { number: number; title: string }[];
  const finds = sqlite.prepare(
    "SELECT 1 FROM managed_text WHERE managed_text MATCH ? AND rowid = ?",
  );
  const isWhole = samples.every(({ number, title }) => {
    const start = [...title].slice(0, SAMPLE_LETTERS).join("");
    return finds.get(`"${start.replaceAll('"', '""')}"`, number) !== undefined;
  });
  if (isWhole) return false;
  sqlite.transaction(() => {
    sqlite.exec(`
      INSERT INTO managed_text (managed_text) VALUES ('delete-all');
      INSERT INTO managed_text (rowid, text) SELECT rowid, title || char(31) || coalesce((
        SELECT group_concat(value, char(31)) FROM json_each(tags) WHERE type = 'text'), '')
        FROM videos;`);
  })();
  return true;
}

/**
 * Walks the buckets once for a database that has never been compared with them, and at each start
 * while the library is small enough for that to take a moment: files may have come or gone while the
 * site was down. A large one is compared by `npm run check-library`.
 *
 * @returns whether it did.
 */
export async function correctStorage(): Promise<boolean> {
  const { checked_at } = await database()
    .selectFrom("storage")
    .select("checked_at")
    .executeTakeFirstOrThrow();
  const { videos } = await database()
    .selectFrom("video_tallies")
    .select((e) => e.fn.coalesce(e.fn.sum<number>("videos"), e.val(0)).as("videos"))
    .executeTakeFirstOrThrow();
  if (checked_at !== null && videos > SMALL_LIBRARY_VIDEOS) return false;
  await checkLibrary();
  return true;
}

/** Corrects all of it, the storage in the background; what goes wrong is logged and stops nothing. */
export function correctWhatTriggersKeep(): void {
  try {
    correctTallies();
    correctSegments();
    correctTextIndex();
    correctStorage().catch((error) => console.error("The storage could not be checked:", error));
  } catch (error) {
    console.error("The studio's figures could not be checked:", error);
  }
}
