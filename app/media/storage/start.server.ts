import { onShutdown } from "~/server/node/shutdown.server";
import { settings } from "~/server/settings.server";
import { readMarker, writeMarker } from "./marker.server";
import { StorageError } from "./object-store";
import { objectStore } from "./store.server";

const LOOK_EVERY_MS = 10_000;
/** After a failure; the store is not asked more often than that. */
const WAIT_AFTER_FAILURE_MS = 60_000;
/** Nobody sends a film for so long. */
const ABANDONED_MS = 24 * 3_600_000;

let failing: string | undefined;

/** Why nothing can be moved into the store just now, as a sentence; undefined when all is well. */
export function storeFailure(): string | undefined {
  return failing;
}

/** Moves files into the store from now on, and removes from it what was deleted. Without a store it does nothing. */
export function startMovingFiles(): void {
  if (!settings().storage) return;
  let isLeaving = false;
  let isWorking = false;
  let notBefore = 0;
  const work = async () => {
    if (isWorking || isLeaving || performance.now() < notBefore) return;
    isWorking = true;
    try {
      await moveOnce(() => !isLeaving);
      if (failing) console.log("The file store answers again.");
      failing = undefined;
    } catch (error) {
      notBefore = performance.now() + WAIT_AFTER_FAILURE_MS;
      if (isLeaving) return;
      const { message } = error as Error;
      if (failing !== message) console.error(error instanceof StorageError ? message : error);
      failing = message;
    } finally {
      isWorking = false;
    }
  };
  const timer = setInterval(work, LOOK_EVERY_MS);
  timer.unref();
  void work();
  onShutdown(async () => {
    isLeaving = true;
    clearInterval(timer);
  });
}

/** One round: what was deleted, then what is new. */
export async function moveOnce(isWanted: () => boolean = () => true): Promise<void> {
  const [{ finishStoreRemovals }, { moveDueFiles }] = await Promise.all([
    import("./remove.server"),
    import("./move-files.server"),
  ]);
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
    const store = await objectStore();
    for await (const _ of store.list()) break;
    await store.removeUnfinished(Date.now() - ABANDONED_MS);
  } catch (error) {
    if (error instanceof StorageError && error.failure === "denied") throw error;
    failing = (error as Error).message;
    console.error(`${failing} Films that are in it can't be watched until it does.`);
  }
}
