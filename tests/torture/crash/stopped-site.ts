import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { BACKUP } from "~/features/operations/backups/backup-files.server";
import { storedBackups } from "~/features/operations/backups/backup-folder.server";
import { checkIntegrity } from "~/features/operations/backups/copy-database.server";
import { restoredFile } from "~db/database-file.server";
import { baseOf, basesOf, check, readRows } from "./checks";
import { CHECKS, killCommand, MOVES, type RunningCommand, runCommand } from "./commands";
import { prepareImport, removeFromFolder } from "./imports";
import { NOWHERE, type Video } from "./model";
import type { Session } from "./session";

/**
 * What operators do while a site is stopped: backups, restores, imports, checks, moves, and starts, including starts
 * with the wrong uploads folder. Each operation is killed several times and then completed. In between, the site is
 * sometimes started and checked.
 */

/** The probability that an operation takes place after a kill. */
const OPERATION_PROBABILITY = 0.6;
const MAX_KILLS = 12;
const START_PROBABILITY = 0.25;
/** The assumed duration of a command that hasn't been completed yet. */
const ASSUMED_DURATION_MS = 700;
const MAX_START_MS = 2_500;
const MAX_SERVING_MS = 1_500;

/**
 * Matches commands for which exit code 1 isn't a fault, because they report files that a restored database doesn't
 * contain, and work that is left for the site to do.
 */
const REPORTS = /^check-library|in use by jobs/;

/** The durations of commands that weren't killed, by command name. */
const durations = new Map<string, number>();

/** Performs a random operation in some cases, and returns what was killed. */
export async function operateWhileStopped(session: Session): Promise<string[]> {
  const { random, settings } = session;
  if (!random.chance(OPERATION_PROBABILITY)) return [];
  // Operations that have several variants are chosen more often.
  const operate = random.pick([
    ...[backUp, restore, restore, importByCommand, checkLibrary],
    ...[startWithOwnFolder, startWithOtherFolder, startWithOtherFolder, startWithOtherFolder],
    ...(settings.STORAGE_URL ? [moveStorage, moveStorage, moveStorage] : []),
  ]);
  return operate(session);
}

function checkLibrary(session: Session): Promise<string[]> {
  return runWithKills(session, session.random.pick(CHECKS));
}

function moveStorage(session: Session): Promise<string[]> {
  return runWithKills(session, session.random.pick(MOVES));
}

/** Creates a backup. The previous backup must exist until the new one has been verified. */
async function backUp(session: Session): Promise<string[]> {
  const { backups } = session;
  const before = storedBackups(backups);
  const killed = await runWithKills(session, ["backup"], () => {
    const [newest] = storedBackups(backups);
    if (before.length > 0 && (newest === undefined || newest < before[0]!)) {
      session.faults.push(`The backup ${before[0]} was deleted, and there is no newer one`);
    }
    const state = newest && checkIntegrity(path.join(backups, newest, BACKUP.database));
    if (state && state !== "ok") session.faults.push(`The backup ${newest} is damaged: ${state}`);
  });
  const [newest] = storedBackups(backups);
  if (newest) {
    const folder = path.join(backups, newest);
    session.backup = { folder, videos: videosIn(session, path.join(folder, BACKUP.database)) };
  }
  return killed;
}

/** Returns the videos in a backup. A killed import may have left some of them in the import folder. */
function videosIn(session: Session, database: string): Video[] {
  const sqlite = new Sqlite(database, { readonly: true });
  try {
    const { live, trash } = readRows(sqlite);
    const titles = [...live, ...trash].map(({ title }) => title);
    return copyOf(session.videos).map((video) => {
      if (!video.imported || video.allowed[0]?.at !== "nowhere") return video;
      const isIn = titles.some((title) => title.startsWith(`${video.word} `));
      return { ...video, allowed: [isIn ? video.imported : NOWHERE] };
    });
  } finally {
    sqlite.close();
  }
}

/**
 * Restores the last backup. After a kill, the site must have either all previous videos or exactly those in the backup.
 */
async function restore(session: Session): Promise<string[]> {
  const { backup, site } = session;
  if (!backup || !fs.existsSync(backup.folder)) return backUp(session);
  const previous = () =>
    fs.readdirSync(path.dirname(site.databasePath)).filter((name) => /before-restore/.test(name))
      .length;
  const before = previous();
  const filesBefore = namesIn(session);
  let isAdopted = false;
  const adopt = () => {
    const hasStarted = fs.existsSync(restoredFile(site.databasePath)) || previous() > before;
    if (!hasStarted || isAdopted) return;
    isAdopted = true;
    adoptBackup(session, backup.videos, filesBefore);
  };
  return runWithKills(session, ["restore", backup.folder], adopt);
}

/** Replaces the expected videos with those of a backup. Files of newer videos are kept, but don't belong to any row. */
function adoptBackup(
  session: Session,
  videos: readonly Video[],
  filesBefore: readonly string[],
): void {
  const { folder } = session;
  for (const video of session.videos) {
    if (video.imported && !videos.some(({ word }) => word === video.word))
      removeFromFolder(folder, video);
  }
  // Videos that were moved into the site after the backup no longer exist.
  session.videos = copyOf(videos).filter(
    ({ imported, allowed, word }) =>
      !imported ||
      allowed.some(({ at }) => at !== "nowhere") ||
      fs.existsSync(path.join(folder, `${word}.mp4`)),
  );
  session.expectedStrays = new Set([...(session.expectedStrays ?? []), ...filesBefore]);
}

/** Returns the base paths of all files that rows refer to, and all objects in the store. */
function namesIn({ site }: Session): string[] {
  const sqlite = new Sqlite(site.databasePath, { readonly: true });
  try {
    const { live, trash, others, stored, removals } = readRows(sqlite);
    const rows = [...live, ...trash, ...others];
    // This includes objects that the site was about to remove.
    const objects = removals.flatMap((name) => /^store\/(.+)/.exec(name)?.[1] ?? []);
    const removed = removals.flatMap((name) => baseOf(`/media/${name}`));
    return [...basesOf(rows), ...removed, ...stored.values(), ...objects];
  } finally {
    sqlite.close();
  }
}

/** Imports the folder. Each attempt continues with the videos that the previous attempt left. */
async function importByCommand(session: Session): Promise<string[]> {
  const mode = session.random.pick(["--copy", "--move", "--link"]);
  const importable = prepareImport(session);
  const killed = await runWithKills(session, ["import", mode, session.folder], () => {
    // The catalogue may contain more of the imported videos than at the last check.
    for (const video of importable) {
      if (video.allowed[0]?.at === "nowhere") video.allowed = [NOWHERE, video.imported!];
    }
  });
  for (const video of importable) video.allowed = [video.imported!];
  return killed;
}

/** Kills the site while it is starting. */
function startWithOwnFolder(session: Session): Promise<string[]> {
  return startWithKills(session, "start", {}, []);
}

/** Starts the site with another uploads folder, as if a disk weren't mounted, and then with its own folder. */
async function startWithOtherFolder(session: Session): Promise<string[]> {
  const { site, random, faults } = session;
  const kind = random.pick(["empty", "foreign", ...(canMount() ? ["read-only"] : [])]);
  if (kind === "read-only") {
    return startWithKills(session, "start, folder read-only", {}, readOnly(site.uploads));
  }
  const other = `${site.folder}-other`;
  const foreign = {
    "site.json": JSON.stringify({ id: randomUUID(), clock: random.below(3) }),
    "videos/u/1700000000000.mp4": "a video of another site",
    "thumbnails/u/1700000000000.webp": "its thumbnail",
  };
  const files: Record<string, string> = kind === "foreign" ? foreign : {};
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(other, name)), { recursive: true });
    fs.writeFileSync(path.join(other, name), content);
  }
  fs.mkdirSync(other, { recursive: true });
  try {
    return await startWithKills(session, `start, folder ${kind}`, { UPLOADS_DIR: other }, []);
  } finally {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(other, name);
      const isSame = fs.existsSync(file) && fs.readFileSync(file, "utf8") === content;
      if (!isSame) faults.push(`${name} of another site was changed or deleted`);
    }
    fs.rmSync(other, { recursive: true, force: true });
  }
}

/** Returns a wrapper command that mounts a folder read-only for the command it runs. */
function readOnly(folder: string): string[] {
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  return ["unshare", "--mount", "sh", "-c", script, folder];
}

/** Returns whether the current user may mount file systems. In most containers, users may not. */
function canMount(): boolean {
  return spawnSync("unshare", ["--mount", "mount", "--bind", "/tmp", "/tmp"]).status === 0;
}

/** Repeatedly starts the site and kills it, before it listens or while it is serving requests. */
async function startWithKills(
  session: Session,
  name: string,
  environment: Record<string, string>,
  wrapper: readonly string[],
): Promise<string[]> {
  const { site, random } = session;
  const killed: string[] = [];
  for (let left = 1 + random.below(MAX_KILLS); left > 0; left--) {
    const starting = site.start(environment, wrapper).catch(() => {});
    const serving = starting.then(() => wait(random.below(MAX_SERVING_MS)));
    await Promise.race([serving, wait(random.below(MAX_START_MS))]);
    // If the folder is wrong, the site may have refused to start.
    if (site.child?.exitCode === null) killed.push(name);
    await site.stop("SIGKILL");
    await starting;
  }
  await site.start({ UPLOADS_DIR: site.uploads }, []);
  await site.stop("SIGKILL");
  return killed;
}

/**
 * Runs a command several times and kills it, then runs it to completion.
 * @param onExit is called each time the command has exited.
 */
async function runWithKills(
  session: Session,
  args: readonly string[],
  onExit = () => {},
): Promise<string[]> {
  const { random, site, faults } = session;
  const killed: string[] = [];
  const requireSuccess = ({ name, child, output }: RunningCommand) => {
    const isReport = child.exitCode === 1 && REPORTS.test(`${name}: ${output()}`);
    if (child.exitCode === 0 || isReport) return;
    faults.push(`${name} failed with ${child.exitCode}: ${output().slice(-400)}`);
  };
  for (let left = 1 + random.below(MAX_KILLS); left > 0; left--) {
    const running = runCommand(session, args);
    const usualDuration = durations.get(running.name) ?? ASSUMED_DURATION_MS;
    await Promise.race([running.ended, wait(random.next() * usualDuration * 1.1)]);
    if (await killCommand(running)) killed.push(running.name);
    else requireSuccess(running);
    onExit();
    if (!random.chance(START_PROBABILITY)) continue;
    await site.start();
    faults.push(...(await check(session, session.videos)));
    await site.stop("SIGKILL");
  }
  const started = performance.now();
  const running = runCommand(session, args);
  await running.ended;
  requireSuccess(running);
  durations.set(running.name, performance.now() - started);
  onExit();
  return killed;
}

const wait = (ms: number) => new Promise<void>((next) => setTimeout(next, ms));
const copyOf = (videos: readonly Video[]): Video[] => structuredClone(videos) as Video[];
