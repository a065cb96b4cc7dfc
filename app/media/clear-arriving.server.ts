import fs from "node:fs/promises";
import path from "node:path";
import { WORK_PREFIX } from "./jobs/disk.server";
import { arrivingFolder, resumableFolder } from "./room.server";
import { removeExpiredUploads } from "./tus.server";

const EXPIRE_EVERY_MS = 3_600_000;

/**
 * Empties `uploads/tmp` of what a process left there that was killed. Resumable uploads younger
 * than a day stay: their senders will come back. Only the server calls it, before it listens.
 */
export async function clearArriving(): Promise<void> {
  await fs.mkdir(arrivingFolder(), { recursive: true });
  for (const name of await fs.readdir(arrivingFolder())) {
    // .gitkeep, which keeps the folder in the repository.
    if (name === path.basename(resumableFolder()) || name.startsWith(".")) continue;
    // Another process may be making something there; the queue clears up after itself.
    if (name.startsWith(WORK_PREFIX)) continue;
    await fs.rm(path.join(arrivingFolder(), name), { recursive: true, force: true });
  }
  await removeBrokenUploads();
  await removeExpiredUploads();
  setInterval(() => {
    removeExpiredUploads().catch((error: Error) => {
      console.error(`Could not remove old uploads: ${error.message}`);
    });
  }, EXPIRE_EVERY_MS).unref();
}

/** Halves of a pair: bytes without their record, or the other way round. */
async function removeBrokenUploads(): Promise<void> {
  const names = new Set(await fs.readdir(resumableFolder()).catch(() => []));
  for (const name of names) {
    const id = name.replace(/\.json(\.partial)?$/, "");
    const whole = names.has(id) && names.has(`${id}.json`) && !name.endsWith(".partial");
    if (!whole) await fs.rm(path.join(resumableFolder(), name), { force: true });
  }
}
