import fs from "node:fs/promises";
import path from "node:path";
import { every } from "~db/runtime.server";
import { WORK_PREFIX } from "../files/disk.server";
import { removeTemporary, temporaryFolder } from "../files/temporary-files.server";
import { resumableFolder } from "./disk-space.server";
import { removeExpiredUploads } from "./tus.server";

const SWEEP_EVERY_MS = 3_600_000;

/**
 * The minimum age of files that are removed at startup. Newer files may belong to another running process. Idle
 * connections are closed after 5 minutes.
 */
const RECENT_MS = 3_600_000;
/**
 * The minimum age of files that are removed while the site is running. It is higher, because the thumbnail from a form
 * is needed until the video has been uploaded.
 */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Removes files that a killed process has left behind in `uploads/tmp`: at startup, files older than an hour; then,
 * every hour, files older than a day. Resumable uploads are kept for a day after their last byte, because their clients
 * may resume. Only the server calls this, before it starts listening.
 */
export async function cleanUpTemporaryFiles(): Promise<void> {
  await removeOlderThan(RECENT_MS);
  await removeExpiredUploads();
  every(SWEEP_EVERY_MS, "remove old uploads", async () => {
    await removeOlderThan(ABANDONED_MS);
    await removeExpiredUploads();
  });
}

async function removeOlderThan(ageMs: number): Promise<void> {
  const before = Date.now() - ageMs;
  await fs.mkdir(temporaryFolder(), { recursive: true });
  for (const name of await fs.readdir(temporaryFolder())) {
    // Skip .gitkeep, which keeps the folder in the repository.
    if (name === path.basename(resumableFolder()) || name.startsWith(".")) continue;
    // Another process may be working in this folder. The queue removes its folders itself.
    if (name.startsWith(WORK_PREFIX)) continue;
    await removeOld(path.join(temporaryFolder(), name), before);
  }
  await removeBrokenUploads(before);
}

async function removeOld(file: string, before: number): Promise<void> {
  const stat = await fs.stat(file).catch(() => undefined);
  if (stat && stat.mtimeMs < before) await removeTemporary(file);
}

/** Removes uploads without metadata and metadata without an upload. */
async function removeBrokenUploads(before: number): Promise<void> {
  const names = new Set(await fs.readdir(resumableFolder()).catch(() => []));
  for (const name of names) {
    const id = name.replace(/\.json(\.partial)?$/, "");
    const whole = names.has(id) && names.has(`${id}.json`) && !name.endsWith(".partial");
    if (!whole) await removeOld(path.join(resumableFolder(), name), before);
  }
}
