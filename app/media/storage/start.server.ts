import { onShutdown } from "~/platform/node/shutdown.server";
import { settings } from "~/platform/settings.server";
import { every, processState } from "~db/runtime.server";
import { removalsPausedBy } from "../removal-guard.server";
import { StorageError } from "./object-store";
import { objectStore } from "./store.server";
import { ownStore } from "./store-identity.server";

const LOOK_EVERY_MS = 10_000;
/** Whether it answers is asked so often, also where nothing is to be moved; after a failure nothing else is asked before. */
const ASK_EVERY_MS = 60_000;
const REMOVE_ABANDONED_EVERY_MS = 24 * 3_600_000;
/** Longer than it takes to send any file, also of hundreds of gigabytes over a slow connection. */
const ABANDONED_MS = 3 * 24 * 3_600_000;

export interface StoreFailure {
  /** Why nothing can be moved into the store, or read from it. */
  message: string;
  /** Milliseconds since the epoch: the first of the failures that followed each other. */
  since: number;
}

const store = processState("store failure", () => ({
  failure: undefined as StoreFailure | undefined,
}));

/** What is wrong with the store just now; undefined when all is well, and without a store. */
export function storeFailure(): StoreFailure | undefined {
  return store().failure;
}

function failed(message: string): void {
  store().failure = { message, since: store().failure?.since ?? Date.now() };
}

/** Moves files into the store from now on. Does nothing without a store. */
export function startMovingFiles(): void {
  if (!settings().storage) return;
  let isLeaving = false;
  let notBefore = 0;
  let askNext = 0;
  const work = async () => {
    if (isLeaving || performance.now() < notBefore) return;
    try {
      // Where nothing is to be moved, a round asks the store for nothing.
      if (storeFailure() || performance.now() >= askNext) {
        await askStore();
        askNext = performance.now() + ASK_EVERY_MS;
      }
      await moveOnce(() => !isLeaving);
      if (storeFailure()) console.log("The file store responds again.");
      store().failure = undefined;
    } catch (error) {
      notBefore = performance.now() + ASK_EVERY_MS;
      if (isLeaving) return;
      const { message } = error as Error;
      const isKnown = storeFailure()?.message === message;
      if (!isKnown) console.error(error instanceof StorageError ? message : error);
      failed(message);
    }
  };
  every(REMOVE_ABANDONED_EVERY_MS, "remove abandoned uploads to the file store", async () => {
    // The mover reports it.
    if (!storeFailure()) await removeAbandoned();
  });
  const moving = every(LOOK_EVERY_MS, "move files into the store", work, { firstMs: 0 });
  onShutdown(() => {
    isLeaving = true;
    void moving.stop();
  });
}

/** Moves what is due into the store, unless removals are paused. */
export async function moveOnce(isWanted: () => boolean = () => true): Promise<void> {
  if (await removalsPausedBy()) return;
  const { moveIntoStore } = await import("./move-into-store.server");
  await moveIntoStore(undefined, isWanted);
}

/** Removes what was sent to the store in part and given up, such as by a killed process: stores charge for it. */
async function removeAbandoned(): Promise<void> {
  await (await ownStore()).removeUnfinished(Date.now() - ABANDONED_MS);
}

/**
 * Asks the store once, before the first request is answered.
 *
 * @throws {StorageError} if it refuses the keys, or belongs to another site. A store that doesn't answer is no
 *   reason not to start: files on the disk can be watched, and new files wait there.
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

/** Whether the store answers and takes the keys. */
async function askStore(): Promise<void> {
  for await (const _ of (await objectStore()).list()) break;
}
