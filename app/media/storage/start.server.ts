import { onShutdown } from "~/platform/node/shutdown.server";
import { settings } from "~/platform/settings.server";
import { every, processState } from "~db/runtime.server";
import { removalsPausedBy } from "../removal-guard.server";
import { StorageError } from "./object-store";
import { objectStore } from "./store.server";
import { ownStore } from "./store-identity.server";

const MOVE_INTERVAL_MS = 10_000;
/**
 * How often the store is checked, even if there is nothing to move. After a failure, nothing is moved until the next
 * check.
 */
const CHECK_INTERVAL_MS = 60_000;
const REMOVE_ABANDONED_EVERY_MS = 24 * 3_600_000;
/**
 * The age at which incomplete uploads are removed. No upload takes this long, not even one of hundreds of gigabytes
 * over a slow connection.
 */
const ABANDONED_MS = 3 * 24 * 3_600_000;

export interface StoreFailure {
  /** The reason nothing can be moved into the store or read from it. */
  message: string;
  /** When the current series of failures began, in milliseconds since the epoch. */
  since: number;
}

const store = processState("store failure", () => ({
  failure: undefined as StoreFailure | undefined,
}));

/** Returns the store's current failure; undefined if the store is working or the site has no store. */
export function storeFailure(): StoreFailure | undefined {
  return store().failure;
}

function failed(message: string): void {
  store().failure = { message, since: store().failure?.since ?? Date.now() };
}

/** Starts moving files into the store. Does nothing if the site has no store. */
export function startMovingFiles(): void {
  if (!settings().storage) return;
  let isShuttingDown = false;
  let notBefore = 0;
  let nextCheck = 0;
  const work = async () => {
    if (isShuttingDown || performance.now() < notBefore) return;
    try {
      // If there is nothing to move, moveOnce() doesn't send a request to the store.
      if (storeFailure() || performance.now() >= nextCheck) {
        await checkStore();
        nextCheck = performance.now() + CHECK_INTERVAL_MS;
      }
      await moveOnce(() => !isShuttingDown);
      if (storeFailure()) console.log("The file store is responding again.");
      store().failure = undefined;
    } catch (error) {
      notBefore = performance.now() + CHECK_INTERVAL_MS;
      if (isShuttingDown) return;
      const { message } = error as Error;
      const isKnown = storeFailure()?.message === message;
      if (!isKnown) console.error(error instanceof StorageError ? message : error);
      failed(message);
    }
  };
  every(REMOVE_ABANDONED_EVERY_MS, "remove abandoned uploads to the file store", async () => {
    // Failures aren't reported here, because the periodic task that moves files into the store reports them.
    if (!storeFailure()) await removeAbandoned();
  });
  const moving = every(MOVE_INTERVAL_MS, "move files into the store", work, { firstMs: 0 });
  onShutdown(() => {
    isShuttingDown = true;
    void moving.stop();
  });
}

/** Moves new files into the store, unless removals are paused. */
export async function moveOnce(isWanted: () => boolean = () => true): Promise<void> {
  if (await removalsPausedBy()) return;
  const { moveIntoStore } = await import("./move-into-store.server");
  await moveIntoStore(undefined, isWanted);
}

/** Removes incomplete uploads, such as those of a killed process, because stores charge for them. */
async function removeAbandoned(): Promise<void> {
  await (await ownStore()).removeUnfinished(Date.now() - ABANDONED_MS);
}

/**
 * Checks the store once, before the site serves requests.
 *
 * @throws {StorageError} if the store rejects the keys or belongs to another site. If the store isn't responding, the
 *   site starts without it: visitors can watch the videos that are on the disk, and new files stay on the disk until
 *   the store responds again.
 */
export async function tryStore(): Promise<void> {
  if (!settings().storage) return;
  try {
    await removeAbandoned();
  } catch (error) {
    const isFinal = error instanceof StorageError && ["denied", "foreign"].includes(error.failure);
    if (isFinal) throw error;
    const { message } = error as Error;
    failed(message);
    console.error(`${message} Videos in the store can't be watched until this is resolved.`);
  }
}

/** @throws {StorageError} if the store doesn't respond or rejects the keys. */
async function checkStore(): Promise<void> {
  for await (const _ of (await objectStore()).list()) break;
}
