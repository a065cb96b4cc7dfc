import fs from "node:fs/promises";
import path from "node:path";
import { every } from "~db/runtime.server";
import { WORK_PREFIX } from "../files/disk.server";
import { removeTemporary, temporaryFolder } from "../files/temporary-files.server";
import { resumableFolder } from "./disk-space.server";
import { removeExpiredUploads } from "./tus.server";

const SWEEP_EVERY_MS = 3_600_000;

/**
 * What was written within this time is spared at the start, whoever the process believes to be: a
 * connection on which nothing comes is closed after 5 minutes.
 */
const RECENT_MS = 3_600_000;
/** Later it is: the thumbnail of a form waits for as long as its video takes to arrive. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Empties `uploads/tmp` of what a process left there that was killed, once it is an hour old, and
 * later every hour of what is a day old. Resumable uploads stay for a day after their last byte: their
 * senders will come back. Only the server calls it, before it listens.
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
    // .gitkeep, which keeps the folder in the repository.
    if (name === path.basename(resumableFolder()) || name.startsWith(".")) continue;
    // Another process may be making something there; the queue clears up after itself.
    if (name.startsWith(WORK_PREFIX)) continue;
    await removeOld(path.join(temporaryFolder(), name), before);
  }
  await removeBrokenUploads(before);
}

async function removeOld(file: string, before: number): Promise<void> {
  const stat = await fs.stat(file).catch(() => undefined);
  if (stat && stat.mtimeMs < before) await removeTemporary(file);
}

/** Halves of a pair: bytes without their record, or the other way round. */
async function removeBrokenUploads(before: number): Promise<void> {
  const names = new Set(await fs.readdir(resumableFolder()).catch(() => []));
  for (const name of names) {
    const id = name.replace(/\.json(\.partial)?$/, "");
    const whole = names.has(id) && names.has(`${id}.json`) && !name.endsWith(".partial");
    if (!whole) await removeOld(path.join(resumableFolder(), name), before);
  }
}
