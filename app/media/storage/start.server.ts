import { onShutdown } from "~/server/node/shutdown.server";
import { settings } from "~/server/settings.server";
import { every, processState } from "~db/runtime.server";
import { removalsPausedBy } from "../removal-guard.server";
import { readMarker, writeMarker } from "./marker.server";
import { StorageError } from "./object-store";
import { objectStore } from "./store.server";

const LOOK_EVERY_MS = 10_000;
/** Whether it answers is asked so often, also where nothing is to be moved; after a failure nothing else is asked before. */
const ASK_EVERY_MS = 60_000;
/** Nobody sends a film for so long. */
const ABANDONED_MS = 24 * 3_600_000;

export interface StoreFailure {
  /** Why nothing can be moved into the store, or read from it. */
  sentence: string;
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

function failed(sentence: string): void {
  store().failure = { sentence, since: store().failure?.since ?? Date.now() };
}

/** Moves files into the store from now on, and removes from it what was deleted. Without a store it does nothing. */
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
      if (storeFailure()) console.log("The file store answers again.");
      store().failure = undefined;
    } catch (error) {
      notBefore = performance.now() + ASK_EVERY_MS;
      if (isLeaving) return;
      const { message } = error as Error;
      const isKnown = storeFailure()?.sentence === message;
      if (!isKnown) console.error(error instanceof StorageError ? message : error);
      failed(message);
    }
  };
  const moving = every(LOOK_EVERY_MS, "move files into the store", work, { firstMs: 0 });
  onShutdown(() => {
    isLeaving = true;
    void moving.stop();
  });
}

/** One round: what was deleted, then what is new. Nothing while removals are paused. */
export async function moveOnce(isWanted: () => boolean = () => true): Promise<void> {
  if (await removalsPausedBy()) return;
  const [{ finishStoreRemovals }, { removeStaleCopies }, { moveDueFiles }] = await Promise.all([
    import("./remove.server"),
    import("./copies.server"),
    import("./move-files.server"),
  ]);
  await removeStaleCopies();
  await finishStoreRemovals();
  if (readMarker()?.direction === "back") return;
  writeMarkerOnce();
  await moveDueFiles(undefined, isWanted);
}

function writeMarkerOnce(): void {
  const { url } = settings().storage!;
  if (readMarker()?.url !== url) writeMarker({ url, direction: "there" });
}

/**
 * Asks the store once, before the first request is answered.
 *
 * @throws {StorageError} when it refuses the keys; one that does not answer is no reason not to start, since
 *   what is on the disk can be watched, and new files wait there.
 */
export async function tryStore(): Promise<void> {
  if (!settings().storage) return;
  try {
    await askStore();
    await (await objectStore()).removeUnfinished(Date.now() - ABANDONED_MS);
  } catch (error) {
    if (error instanceof StorageError && error.failure === "denied") throw error;
    const { message } = error as Error;
    failed(message);
    console.error(`${message} Films that are in it can't be watched until it does.`);
  }
}

/** Whether the store answers and takes the keys. */
async function askStore(): Promise<void> {
  for await (const _ of (await objectStore()).list()) break;
}
