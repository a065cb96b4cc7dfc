import { setTimeout as pause } from "node:timers/promises";
import { bucketFile, parseMediaUrl } from "~/media/bucket.server";
import { fileExists } from "~/media/media-files.server";
import { readCaptions } from "~db/captions";
import { database, prepared, transaction } from "~db/client.server";
import { every } from "~db/runtime.server";

/**
 * Finds videos with missing files. The list of videos can't check the files of 100,000 videos, so this check runs once
 * a day and in `npm run check-library`, and the list shows the time of the check. This is the only code that writes to
 * the `missing_files` table.
 */

export interface MissingFile {
  videoId: string;
  title: string;
  url: string;
}

const BATCH_SIZE = 500;
const CHECK_EVERY_MS = 24 * 3_600_000;
/** How often to check whether a day has passed, and the delay before the first such check after startup. */
const POLL_EVERY_MS = 10 * 60_000;
const FIRST_POLL_MS = 30_000;
/** The pause between batches. Checking 100,000 videos takes about eight minutes, most of which is spent in pauses. */
const PAUSE_MS = 2_000;

/**
 * Returns the next batch of rows after a row number, with all columns that reference files. Loading all rows of a large
 * library at the same time would take hundreds of megabytes of memory.
 */
export function rowsWithFilesAfter(number: number) {
  return rowsWithFiles().where("number", ">", number).limit(BATCH_SIZE).execute();
}

function rowsWithFiles() {
  return database()
    .selectFrom("videos")
    .select(["number", "id", "title", "video_url", "source_url", "thumbnail_url"])
    .select(["hls_url", "storyboard_url", "preview_url", "captions", "generated_poster_url"])
    .orderBy("number");
}

type Row = Awaited<ReturnType<typeof rowsWithFilesAfter>>[number];

/**
 * Checks every file that a video references, in row order, and records the videos with missing files. If the check is
 * stopped early, its results so far are kept, but it doesn't count as complete.
 *
 * @param pauseMs the pause after each batch of rows.
 */
export async function* missingFiles({ pauseMs = 0 } = {}): AsyncGenerator<MissingFile> {
  const began = new Date().toISOString();
  for (let after = 0; ; ) {
    const rows = await rowsWithFilesAfter(after);
    const suspects = missingOf(rows).map(({ number }) => number);
    // Files are checked twice, because a file may have been replaced since its row was read.
    const missing = suspects.length > 0 ? missingOf(await rowsOf(suspects)) : [];
    const last = rows.at(-1)?.number;
    const numbers = [...new Set(missing.map(({ number }) => number))];
    await record(after, last ?? Number.MAX_SAFE_INTEGER, numbers);
    for (const { number: _, ...file } of missing) yield file;
    if (last === undefined) break;
    after = last;
    if (pauseMs > 0) await pause(pauseMs, undefined, { ref: false });
  }
  await database().updateTable("storage").set({ files_looked_at: began }).execute();
}

function rowsOf(numbers: readonly number[]): Promise<Row[]> {
  return rowsWithFiles().where("number", "in", numbers).execute();
}

function missingOf(rows: readonly Row[]): (MissingFile & { number: number })[] {
  return rows.flatMap((row) => {
    const { id: videoId, title, number } = row;
    return missingUrls(row).map((url) => ({ videoId, title, number, url }));
  });
}

function missingUrls({ captions, ...row }: Row): string[] {
  const derived = [row.hls_url, row.storyboard_url, row.preview_url];
  const captionUrls = readCaptions(captions).map(({ url }) => url);
  const urls = [row.video_url, row.source_url, row.thumbnail_url, ...derived, ...captionUrls];
  return urls.flatMap((url) => {
    const file = url ? parseMediaUrl(url) : undefined;
    const at = file && bucketFile(file.bucket, file.path);
    return url && file && !(at && fileExists(at)) ? [url] : [];
  });
}

/** Records that, of the rows from `after` (exclusive) to `last` (inclusive), exactly these have missing files. */
function record(after: number, last: number, numbers: readonly number[]): Promise<void> {
  return transaction(() => {
    prepared("DELETE FROM missing_files WHERE number > ? AND number <= ?").run(after, last);
    if (numbers.length === 0) return;
    // A video may have been deleted in the meantime.
    prepared(
      `INSERT INTO missing_files (number) SELECT number FROM videos
       WHERE number IN (SELECT value FROM json_each(?))`,
    ).run(JSON.stringify(numbers));
  });
}

/** Returns the time at which the last complete check started (ISO 8601, UTC), or null if there was none. */
export function filesCheckedAt(): string | null {
  return prepared<string | null>("SELECT files_looked_at FROM storage").pluck().get()!;
}

/** Starts a background check for missing files whenever the last check is at least a day old. */
export function startCheckingFiles(): void {
  const poll = async () => {
    const last = filesCheckedAt();
    if (last !== null && Date.now() - Date.parse(last) < CHECK_EVERY_MS) return;
    for await (const _ of missingFiles({ pauseMs: PAUSE_MS }));
  };
  every(POLL_EVERY_MS, "check for missing files", poll, { firstMs: FIRST_POLL_MS });
}
