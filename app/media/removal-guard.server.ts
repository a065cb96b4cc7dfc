import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { settings } from "~/platform/settings.server";
import { mapConcurrently } from "~/shared/map-concurrently";
import { flushOne } from "~/shared/move-files.server";
import { prepared, transaction } from "~db/client.server";
import { every, processState } from "~db/runtime.server";
import { BUCKETS, type MediaName } from "./bucket.server";
import { isStored } from "./files/stored-files.server";

/**
 * Decides whether files may be removed automatically. With a wrong DATABASE_PATH, an unmounted volume or a restored
 * database, files that exist nowhere else would look unused. Videos that a person deletes permanently are removed
 * anyway; only the removal of their objects from the store waits.
 *
 * The marker, `site.json` in the uploads folder, repeats the site's id and clock. The clock is a counter in the
 * database that is incremented every minute, so if the database's clock is behind the marker's, the database is an
 * older copy. The marker also records when it was written, which reveals a wrong system clock at the next start.
 */
export type PauseReason = "other-database" | "older-database" | "missing-files" | "clock-jumped";

interface SiteState {
  id: string;
  clock: number;
}

interface SiteMarker extends SiteState {
  /** The time when the marker was written (ISO 8601, UTC). Missing in markers written by older versions. */
  writtenAt?: string;
}

const TICK_EVERY_MS = 60_000;
/**
 * How far the database's clock may be behind the marker's. After a power failure, the database may have lost its last
 * transactions (`synchronous = NORMAL`).
 */
const MAX_LOST_TICKS = 2;
/**
 * The number of videos whose files are checked on the disk. They are spread evenly over the library, and checking them
 * takes a few milliseconds regardless of the library's size.
 */
const SAMPLED_VIDEOS = 200;
const MIN_MISSING_FILES = 20;
const MAX_MISSING_SHARE = 0.05;
const MAX_CLOCK_JUMP_MS = 24 * 3_600_000;
/** If a site was stopped for longer than this, it may have started with a wrong clock. */
const MAX_STOPPED_MS = 7 * 24 * 3_600_000;

/** The difference between the system clock and the monotonic clock when the process started. */
const systemClock = processState("system clock", () => ({ baseMs: systemClockBase() }));

function systemClockBase(): number {
  return Date.now() - performance.now();
}

/** Returns the reason why removals are paused; undefined while files may be removed. */
export async function removalsPausedBy(): Promise<PauseReason | undefined> {
  const mismatch = mismatchOf(await readMarker());
  return mismatch ?? ((await manyFilesAreMissing()) ? "missing-files" : undefined);
}

/** Returns a mismatch that the marker alone reveals. */
function mismatchOf(marker: SiteMarker | "unreadable" | undefined): PauseReason | undefined {
  if (marker === "unreadable") return "missing-files";
  const { id, clock } = readState();
  if (marker && id !== "" && marker.id !== id) return "other-database";
  if (marker && marker.clock > clock + MAX_LOST_TICKS) return "older-database";
  return hasSystemClockJumped(marker) ? "clock-jumped" : undefined;
}

/** Whether the system clock may be wrong, in which case everything in the trash and the queue would seem to be due. */
function hasSystemClockJumped(marker: SiteMarker | undefined): boolean {
  if (Math.abs(systemClockBase() - systemClock().baseMs) > MAX_CLOCK_JUMP_MS) return true;
  const writtenAt = marker?.writtenAt;
  return writtenAt !== undefined && Date.now() - Date.parse(writtenAt) > MAX_STOPPED_MS;
}

/**
 * Creates the database's id and the uploads folder's marker if they are missing, unless something suggests that the
 * database and the folder don't belong together. Called at each start, before anything is removed.
 *
 * @returns the same as `removalsPausedBy`.
 */
export async function identifySite(): Promise<PauseReason | undefined> {
  const marker = await readMarker();
  if (marker === "unreadable") return removalsPausedBy();
  if (readState().id === "") {
    const isForeign = !knowsFiles() && (await hasFiles());
    await setState({ id: (!isForeign && marker?.id) || randomUUID(), clock: 0 });
    // Once the database to which the files belong is back, it adopts this id.
    if (isForeign && !marker) await writeMarker({ id: randomUUID(), clock: 0 });
  }
  const reason = await removalsPausedBy();
  if (!reason && !marker) await writeMarker(readState());
  if (reason === "other-database" && !(await hasFiles())) {
    await writeMarker(readState());
    return undefined;
  }
  return reason;
}

/** Starts the site's clock. The clock stops while removals are paused. */
export function startSiteClock(): void {
  every(TICK_EVERY_MS, "advance the site's clock", tick);
}

/** Advances the clock, unless the folder is missing or newer than the database, or the system clock has jumped. */
export async function tick(): Promise<void> {
  const marker = await readMarker();
  const { id, clock } = readState();
  // If there is no marker, the folder isn't currently mounted.
  if (marker === undefined || id === "" || mismatchOf(marker)) return;
  await setState({ id, clock: clock + 1 });
  await writeMarker(readState());
}

/** Accepts the current system clock as correct. */
export async function acceptSystemClock(): Promise<void> {
  systemClock().baseMs = systemClockBase();
  const marker = await readMarker();
  if (typeof marker === "object") await writeMarker(marker);
}

/** Confirms that the database and the uploads folder belong together. */
export async function acceptUploadsFolder(): Promise<void> {
  const marker = await readMarker();
  const { id, clock } = readState();
  const earlier = marker === "unreadable" ? undefined : marker;
  await setState({ id: id || randomUUID(), clock: Math.max(clock, earlier?.clock ?? 0) + 1 });
  await writeMarker(readState(), earlier?.writtenAt);
}

function readState(): SiteState {
  return prepared<SiteState>("SELECT site_id AS id, clock FROM storage").get()!;
}

async function setState(state: SiteState): Promise<void> {
  const update = prepared("UPDATE storage SET site_id = @id, clock = @clock");
  await transaction(() => update.run(state));
}

const markerFile = () => path.join(settings().uploadsDir, "site.json");

/** Reads the marker. A damaged marker counts as missing, so that it is rewritten. */
async function readMarker(): Promise<SiteMarker | "unreadable" | undefined> {
  let text: string;
  try {
    text = await fs.readFile(markerFile(), "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "unreadable";
  }
  try {
    const marker = JSON.parse(text) as SiteMarker;
    return typeof marker.id === "string" && Number.isInteger(marker.clock) ? marker : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes the marker. Failures are only logged, because the site must be able to start with a full disk, and the next
 * start retries.
 */
async function writeMarker(
  { id, clock }: SiteState,
  writtenAt = new Date().toISOString(),
): Promise<void> {
  const marker: SiteMarker = { id, clock, writtenAt };
  const partial = `${markerFile()}.partial`;
  try {
    await fs.writeFile(partial, `${JSON.stringify(marker)}\n`);
    await flushOne(partial);
    await fs.rename(partial, markerFile());
  } catch (error) {
    console.error(`Could not write ${markerFile()}: ${(error as Error).message}`);
  }
}

/** Whether the database has ever recorded a video or a file. */
function knowsFiles(): boolean {
  const known = `SELECT EXISTS (SELECT 1 FROM videos) OR EXISTS (SELECT 1 FROM deleted_videos)
    OR EXISTS (SELECT 1 FROM media_files)`;
  return prepared(known).pluck().get() === 1;
}

/** Whether the uploads folder contains any files that can't be regenerated. */
async function hasFiles(): Promise<boolean> {
  for (const name of [...BUCKETS, "documents"]) {
    if (await containsFile(path.join(settings().uploadsDir, name))) return true;
  }
  return false;
}

/** Whether a folder contains any files that aren't hidden. */
async function containsFile(folder: string): Promise<boolean> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.name.startsWith(".")) continue;
    if (!entry.isDirectory() || (await containsFile(path.join(folder, entry.name)))) return true;
  }
  return false;
}

/** Whether so many recorded files are missing that they can't have been removed one by one. */
async function manyFilesAreMissing(): Promise<boolean> {
  const files = sampledFiles();
  const found = await mapConcurrently(files, ({ bucket, path: name }) =>
    fs.lstat(path.join(settings().uploadsDir, bucket, name)).catch(() => undefined),
  );
  const missing = files.filter((name, index) => found[index] === undefined && !isStored(name));
  if (missing.length >= MIN_MISSING_FILES && missing.length > files.length * MAX_MISSING_SHARE) {
    return true;
  }
  // Each bucket may be a separate volume.
  return BUCKETS.some((name) => {
    const countOf = (some: MediaName[]) => some.filter(({ bucket }) => bucket === name).length;
    return countOf(missing) * 2 > countOf(files);
  });
}

/** Returns the recorded video files and thumbnails of a sample of videos, spread evenly over the library. */
function sampledFiles(): MediaName[] {
  // A single SELECT for both the minimum and the maximum would read the whole table.
  const { first, last } = prepared<{ first: number; last: number }>(
    `SELECT (SELECT coalesce(min(number), 0) FROM videos) AS first,
       (SELECT coalesce(max(number), 0) FROM videos) AS last`,
  ).get()!;
  const next = prepared<string>(
    "SELECT id FROM videos WHERE number >= ? ORDER BY number LIMIT 1",
  ).pluck();
  const recorded = prepared<MediaName>(
    "SELECT bucket, path FROM media_files WHERE video_id = ? AND kind IN ('video', 'thumbnail')",
  );
  const ids = new Set<string>();
  const step = Math.max(1, (last - first) / (SAMPLED_VIDEOS - 1));
  for (let number = first; number <= last; number += step) {
    ids.add(next.get(Math.floor(number))!);
  }
  return [...ids].flatMap((id) => recorded.all(id));
}
